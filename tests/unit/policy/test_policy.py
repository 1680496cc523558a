"""Decisions: every command, every level, inside and outside the grant, in one generated table; and what caps it."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import Access, Command, Scope, all_commands, get_command
from kapture.commands.keys import Press
from kapture.errors import ErrorCode
from kapture.page.documents.read_gate import EVERY_SITE
from kapture.policy import arguments as reach
from kapture.policy.policy_file import Downloads, PolicyFile, Section, Uploads
from tests.unit.policy.deciding import INSIDE, OUTSIDE, decide, grant, policy

COMMANDS = tuple(all_commands())


IDS = [command.name for command in COMMANDS]


LEVELS = ("read", "interact", "full")


def needed(command: Command) -> Access:
    return Access.FULL if command.name in reach.EVALUATES | reach.SENDS_CDP else command.access


def harmless(command: Command) -> bool:
    return command.scope is Scope.HUB and command.access is Access.NONE


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_a_command_runs_only_at_its_level_and_on_its_sites(command: Command) -> None:
    for level, place in itertools.product(
        (None, *LEVELS), (INSIDE, OUTSIDE, "chrome://settings/", "file:///etc/passwd")
    ):
        decision = decide(command, given_=None if level is None else grant(level), url=place)
        if command.scope is Scope.HUB:
            assert decision.allowed, (level, place)
            continue
        enough = level is not None and LEVELS.index(level) + 1 >= needed(command)
        stays = command.name in reach.LEAVES_PAGE_ALONE
        assert decision.allowed == (enough and (place == INSIDE or stays)), (level, place, decision)
        if not decision.allowed:
            error = decision.error()
            assert error.code is ErrorCode.POLICY_DENIED
            assert error.message
            assert error.hint
            assert error.data["rule"]


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_in_safe_mode_nothing_above_reading_runs_whatever_is_granted(command: Command) -> None:
    decision = decide(command, given_=grant("full", "*"), rules=policy(safe_mode=True))
    assert decision.allowed == (harmless(command) or needed(command) <= Access.READ)
    assert decision.ask is None


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_the_files_level_caps_every_grant_and_no_person_can_lift_it(command: Command) -> None:
    for cap, level in enumerate(("none", *LEVELS)):
        rules = policy(rules=PolicyFile(level=level))  # type: ignore[arg-type]
        decision = decide(command, given_=grant("full", "*"), rules=rules)
        assert decision.allowed == (harmless(command) or needed(command) <= cap), level
        assert decision.ask is None, level


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_a_command_that_the_file_names_never_runs(command: Command) -> None:
    rules = policy(rules=PolicyFile(commands_denied=(command.name,)))
    assert not decide(command, given_=grant("full", "*"), rules=rules).allowed


def test_commands_that_run_code_or_cdp_are_declared_at_level_full() -> None:
    for name in reach.EVALUATES | reach.SENDS_CDP:
        assert get_command(name).access is Access.FULL


def test_the_refusal_of_a_site_says_which_one_to_ask_for_and_nothing_of_the_page() -> None:
    decision = decide("click", given_=grant(), url="https://shop.evil.test:8443/cart?token=secret#x")
    error = decision.error()
    assert "shop.evil.test:8443" in error.hint
    assert "secret" not in str(error) + str(error.data)
    assert error.data["ask"] == {"kind": "site", "site": "shop.evil.test:8443"}


def test_the_refusal_of_a_level_says_which_one_to_ask_for() -> None:
    decision = decide("click", given_=grant("read"))
    assert decision.error().data["ask"] == {"kind": "level", "level": "interact"}


def test_the_refusal_of_a_tab_that_is_in_no_extension_says_how_its_grant_is_widened() -> None:
    level = decide("click", given_=grant("read"), widened_by="Run it again.")
    site = decide("click", given_=grant(), url="https://other.test/", widened_by="Run it again.")
    assert (level.error().hint, site.error().hint) == ("Run it again.", "Run it again.")
    assert decide("click", given_=grant(), widened_by="Run it again.").allowed


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if command.scope is Scope.TAB], ids=lambda c: c.name
)
def test_what_a_refusal_asks_for_is_what_lets_the_call_through(command: Command) -> None:
    held = grant("read", "other.test")
    for _ in range(4):
        decision = decide(command, given_=held)
        if decision.allowed:
            return
        assert decision.ask is not None
        wider = decision.ask.widen(held)
        assert wider != held
        held = wider
    pytest.fail(f"{command.name} is refused whatever is granted: {decision}")


def test_the_file_can_take_code_and_raw_cdp_away() -> None:
    rules = policy(rules=PolicyFile(evaluate=False, cdp=False))
    for name in reach.EVALUATES:
        assert decide(name, given_=grant()).allowed
        assert not decide(name, given_=grant(), rules=rules).allowed
    assert not decide(
        "cdp", given_=grant(), params=SimpleNamespace(method="DOM.enable", params={}), rules=rules
    ).allowed


def test_denied_addresses_win_over_allowed_ones_and_over_every_grant() -> None:
    rules = policy(rules=PolicyFile(allow=("example.com",), deny=("*/admin*", "https://secret.example.com/*")))
    everything = grant("full", "*", "file://")

    def may(url: str) -> bool:
        allowed = decide("screenshot", given_=everything, url=url, rules=rules).allowed
        assert allowed == rules.may_read(url, grant=everything)
        return allowed

    assert may("https://www.example.com/")
    assert not may("https://www.example.com/admin/x")
    assert not may("https://www.example.com/ADMIN")
    assert not may("https://www.example.com/%61dmin")
    assert not may("https://secret.example.com/")
    assert not may("https://other.test/")
    assert not may("file:///etc/passwd")
    assert not may("blob:https://other.test/1")


def test_a_clients_section_takes_more_away_and_all_that_match_count() -> None:
    rules = policy(
        rules=PolicyFile(
            clients={
                "claude*": Section(level="interact"),
                "*code*": Section(deny=("example.com",)),
                "strict": Section(allow=("other.test",), evaluate=False, cdp=False),
            }
        )
    )
    assert decide("evaluate", given_=grant(), rules=rules, client="cursor").allowed
    assert not decide("evaluate", given_=grant(), rules=rules, client="Claude Desktop").allowed
    assert decide("click", given_=grant(), rules=rules, client="claude desktop").allowed
    assert not decide("screenshot", given_=grant(), rules=rules, client="claude-code").allowed
    assert not rules.may_read(INSIDE, grant=grant(), client="claude-code")
    assert not decide("screenshot", given_=grant(), rules=rules, client="STRICT").allowed


def test_files_can_be_turned_off() -> None:
    rules = policy(rules=PolicyFile(downloads=Downloads(enabled=False), uploads=Uploads(enabled=False)))
    for name in reach.DOWNLOADS | reach.UPLOADS:
        assert not decide(name, given_=grant("full", "*"), rules=rules).allowed


def test_unsafe_all_sites_lifts_sites_and_nothing_else() -> None:
    rules = policy(unsafe_all_sites=True)
    assert decide("click", given_=grant("interact"), url=OUTSIDE, rules=rules).allowed
    assert not decide("click", given_=grant("read"), url=OUTSIDE, rules=rules).allowed
    assert not decide("click", given_=None, url=OUTSIDE, rules=rules).allowed
    assert not decide("click", given_=grant("full"), url="chrome://settings", rules=rules).allowed
    assert not decide("click", given_=grant("full"), url="file:///etc/passwd", rules=rules).allowed
    denied = policy(unsafe_all_sites=True, rules=PolicyFile(deny=("evil.test",)))
    assert not decide("click", given_=grant("full"), url=OUTSIDE, rules=denied).allowed
    assert rules.warnings()
    assert policy().warnings() == []


def test_the_refusal_of_the_browsers_error_page_says_that_the_page_could_not_be_opened() -> None:
    refused = decide("click", given_=grant("full"), url="chrome-error://chromewebdata/", rules=policy())
    assert not refused.allowed
    assert refused.reason.startswith("The page could not be opened")


@pytest.mark.parametrize("open_port", [False, True])
def test_nothing_is_allowed_without_a_grant(*, open_port: bool) -> None:
    rules = policy(open_port=open_port)
    assert not decide("screenshot", given_=None, rules=rules).allowed
    assert bool(rules.warnings()) is open_port


def test_a_blank_page_counts_as_the_page_it_came_from() -> None:
    assert decide("screenshot", given_=grant(), url="about:blank").allowed
    assert not decide("screenshot", given_=grant(), url="about:blank", inherited=OUTSIDE).allowed
    assert not policy().may_read("about:srcdoc", grant=grant(), inherited=OUTSIDE)
    assert policy().may_read("about:srcdoc", grant=grant(), inherited=INSIDE)
    denied = policy(rules=PolicyFile(deny=("evil.test",)))
    assert not denied.may_read("about:blank", grant=grant("full", "*"), inherited=OUTSIDE)


@given(st.text(max_size=60), st.sampled_from(LEVELS))
def test_no_address_of_a_page_crashes_or_is_read_outside_the_grant(url: str, level: str) -> None:
    rules = policy(rules=PolicyFile(allow=("example.com",)))
    for text in (url, f"https://{url}", f"https://example.com{url}"):
        allowed = decide("screenshot", given_=grant(level), url=text, rules=rules).allowed
        assert allowed == rules.may_read(text, grant=grant(level))
        if allowed and not text.startswith("about:blank") and text:
            from kapture.policy.grant import parse

            address = parse(text)
            assert address is not None
            assert address.host == "example.com" or address.host.endswith(".example.com")


def test_the_usable_level_is_the_least_of_all_caps() -> None:
    assert policy().usable_level(None) is Access.NONE
    assert policy().usable_level(grant("full")) is Access.FULL
    assert policy(safe_mode=True).usable_level(grant("full")) is Access.READ
    assert policy(rules=PolicyFile(level="none")).usable_level(grant("full")) is Access.NONE
    capped = policy(rules=PolicyFile(clients={"x": Section(level="read")}))
    assert capped.usable_level(grant("full"), "X") is Access.READ
    assert policy(safe_mode=True).describe()["level"] == "read"


@pytest.mark.parametrize(
    ("rules", "closes_some"),
    [
        (PolicyFile(), False),
        (PolicyFile(allow=("*",)), False),
        (PolicyFile(deny=("file:///home/me/*",)), False),
        (PolicyFile(deny=("bank.test",)), True),
        (PolicyFile(deny=("*/admin*",)), True),
        (PolicyFile(allow=("example.com",)), True),
        (PolicyFile(clients={"agent*": Section(deny=("bank.test",))}), True),
    ],
)
def test_what_reaches_every_site_does_not_reach_one_that_the_policy_closes(
    rules: PolicyFile, *, closes_some: bool
) -> None:
    made, any_site = policy(rules=rules), grant("full", "*")

    def allowed(method: str) -> bool:
        params = SimpleNamespace(method=method, params={})
        return decide("cdp", given_=any_site, params=params, rules=made, client="agent").allowed

    assert allowed("Network.getAllCookies") is not closes_some
    assert allowed("Runtime.evaluate"), "bound to the document, which is checked by itself"
    assert made.may_read(EVERY_SITE, grant=any_site, client="agent") is not closes_some
    assert not made.may_read(EVERY_SITE, grant=grant("full"), client="agent"), "a grant of named sites"


@pytest.mark.parametrize(
    "params",
    [
        Press(key="Control+v"),
        Press(key="Shift+Insert"),
        Press(key="v", modifiers=["Meta"]),
        Press(key="Insert", modifiers=["Shift"]),
    ],
)
def test_the_persons_clipboard_is_pasted_at_the_level_full_only(params: Press) -> None:
    refused = decide("press", given_=grant("interact"), params=params)
    assert not refused.allowed
    assert "clipboard" in refused.reason
    assert decide("press", given_=grant("full"), params=params).allowed
    assert decide("press", given_=grant("interact"), params=Press(key="Control+c")).allowed


@pytest.mark.parametrize("url", ["data:text/html,<script>1</script>", " DATA:text/html,x", "data:,x"])
@pytest.mark.parametrize("command", ["navigate", "tab_new"])
def test_a_data_url_is_code_of_the_clients_and_needs_full_to_be_opened(command: str, url: str) -> None:
    params = SimpleNamespace(url=url)
    for sites in (("example.com",), ("*",)):
        refused = decide(command, given_=grant("interact", *sites), params=params)
        assert "data: URL needs the level 'full'" in refused.reason
        assert decide(command, given_=grant("full", *sites), params=params).allowed
    scripts_forbidden = policy(rules=PolicyFile(evaluate=False))
    assert not decide(command, given_=grant("full"), params=params, rules=scripts_forbidden).allowed
    assert decide("download_file", given_=grant("interact"), params=params).allowed
