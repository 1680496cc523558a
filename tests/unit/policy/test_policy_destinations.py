"""Where a command leads, or what it reaches beyond the page, is decided like the page itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import attrs
import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import all_commands, get_command
from kapture.errors import KaptureError
from kapture.policy import arguments as reach
from tests.unit.policy.deciding import INSIDE, OUTSIDE, decide, grant

COMMANDS = tuple(all_commands())


def test_every_parameter_that_looks_like_an_address_or_code_is_accounted_for() -> None:
    # Found by name; whoever adds one decides here what it is. Reasons stand beside the names.
    exempt = {
        ("network", "url"): "a filter over what was already seen",
        ("wait_for_response", "url"): "a filter",
        ("route", "url"): "a pattern for requests of this page, at level full",
        ("har", "url"): "a filter",
        ("wait_for", "url"): "a glob to wait for",
        ("request_tab", "url"): "a wish that the person sees; `kapture.hub.tab_requests` checks it",
        ("cookies", "domain"): "checked by the command through the page's gate, at level full",
    }
    words = (
        "url",
        "uri",
        "href",
        "origin",
        "domain",
        "address",
        "code",
        "script",
        "function",
        "expression",
        "javascript",
    )
    for command in COMMANDS:
        for field in attrs.fields(command.params):
            if not any(word in field.name.lower().split("_") for word in words) or "str" not in str(field.type):
                continue
            known = field.name in reach.ADDRESSES.get(command.name, ()) or command.name in reach.EVALUATES
            assert known or (command.name, field.name) in exempt, f"{command.name}.{field.name} is not in the table"


def test_the_tables_name_only_commands_and_parameters_that_exist() -> None:
    for name, parameters in reach.ADDRESSES.items():
        fields = {field.name for field in attrs.fields(get_command(name).params)}
        assert set(parameters) <= fields, name
    for name in reach.EVALUATES | reach.SENDS_CDP | reach.DOWNLOADS | reach.UPLOADS | reach.LEAVES_PAGE_ALONE:
        get_command(name)


@pytest.mark.parametrize("command", sorted(reach.ADDRESSES))
@pytest.mark.parametrize(
    "address",
    [
        OUTSIDE,
        "https://example.com@evil.test/",
        "https://evil.test\\@example.com/",
        "https://example.com.evil.test/",
        "//evil.test/x",
        "evil.test",
        "http://0x7f000001/",
        "blob:https://evil.test/1",
        "file:///etc/passwd",
    ],
)
def test_a_destination_outside_the_grant_is_refused(command: str, address: str) -> None:
    decision = decide(command, given_=grant(), params=SimpleNamespace(url=address))
    assert not decision.allowed
    assert decision.ask is not None or "file" in address


@pytest.mark.parametrize("command", sorted(reach.ADDRESSES))
@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "chrome://settings", "view-source:https://example.com", "ht tp://x", "https://"]
)
def test_a_destination_that_is_no_page_never_passes(command: str, address: str) -> None:
    try:
        decision = decide(command, given_=grant("full", "*"), params=SimpleNamespace(url=address))
    except KaptureError:
        return  # what the command itself would have said
    assert not decision.allowed


@pytest.mark.parametrize("command", sorted(reach.ADDRESSES))
def test_without_a_destination_the_place_of_the_tab_decides(command: str) -> None:
    nowhere = SimpleNamespace(url="")
    assert decide(command, given_=grant(), params=nowhere).allowed
    outside = decide(command, given_=grant(), url=OUTSIDE, params=nowhere)
    assert outside.allowed == (command in reach.LEAVES_PAGE_ALONE)
    with pytest.raises(KaptureError):
        destination("", base=INSIDE, may_open=lambda _: True)


@pytest.mark.parametrize("method", ["Browser.close", "Target.createTarget", "SystemInfo.getInfo"])
def test_what_reaches_beyond_the_tab_is_refused_on_every_grant_and_nobody_is_asked(method: str) -> None:
    for sites in ("example.com", "*"):
        decision = decide("cdp", given_=grant("full", sites), params=SimpleNamespace(method=method, params={}))
        assert (decision.allowed, decision.ask) == (False, None)


@pytest.mark.parametrize(("event", "named"), [("Runtime.consoleAPICalled", True), ("Fetch.requestPaused", False)])
def test_events_of_other_sites_take_a_grant_of_any_site(event: str, named: bool) -> None:
    given_ = SimpleNamespace(action="subscribe", events=[event])
    assert decide("cdp_events", given_=grant("full"), params=given_).allowed == named
    assert decide("cdp_events", given_=grant("full", "*"), params=given_).allowed


@pytest.mark.parametrize(
    "address", ["https://www.example.com/", "example.com/x", "/path", "#top", "?q=1", "about:blank"]
)
def test_a_destination_inside_the_grant_passes_also_from_outside_when_it_stands_alone(address: str) -> None:
    assert decide("navigate", given_=grant(), params=SimpleNamespace(url=address)).allowed
    relative = not address.startswith(("https", "example", "about"))
    outside = decide("navigate", given_=grant(), url=OUTSIDE, params=SimpleNamespace(url=address))
    assert outside.allowed == (not relative)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.navigate", {"url": OUTSIDE}),
        ("Page.navigate", {"url": "https://ev\til.test"}),
        ("Page.navigate", {"url": "javascript:1"}),
        ("Network.getAllCookies", {}),
        ("Network.getCookies", {"urls": [OUTSIDE]}),
        ("Network.loadNetworkResource", {"url": OUTSIDE}),
        ("Storage.getCookies", {}),
        ("Storage.clearDataForOrigin", {"origin": OUTSIDE}),
        ("Browser.setDownloadBehavior", {}),
        ("Target.createTarget", {"url": OUTSIDE}),
        ("Target.attachToTarget", {"targetId": "x"}),
    ],
)
def test_raw_cdp_does_not_reach_other_sites_than_the_granted(method: str, params: dict[str, Any]) -> None:
    given_ = SimpleNamespace(method=method, params=params)
    assert not decide("cdp", given_=grant("full"), params=given_).allowed


def test_raw_cdp_on_the_page_itself_passes_at_level_full() -> None:
    given_ = SimpleNamespace(method="Page.getLayoutMetrics", params={})
    assert decide("cdp", given_=grant("full"), params=given_).allowed
    assert not decide("cdp", given_=grant("interact"), params=given_).allowed
