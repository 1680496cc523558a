"""Decisions: every command, every level, inside and outside the grant, in one generated table; and what caps it."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Access, Command, Scope, all_commands, get_command
from kapture.commands.keys import Press
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.hub import Hub
from kapture.page.documents.read_gate import EVERY_SITE
from kapture.pairing import Pairing
from kapture.policy import Policy
from kapture.policy import arguments as reach
from kapture.policy.policy import Ask, ShareCaps
from kapture.policy.policy_file import Downloads, PolicyFile, Section, Uploads
from kapture.settings import Settings
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
def test_granting_what_refusal_asks_for_allows_the_call(command: Command) -> None:
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
def test_grant_of_every_site_excludes_site_closed_by_policy(rules: PolicyFile, *, closes_some: bool) -> None:
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


# Where a command leads, or what it reaches beyond the page, is decided like the page itself.


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
def test_step_beyond_the_tab_is_refused_on_every_grant_without_asking(method: str) -> None:
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


# What the hub itself serves, such as the Console, is for its person: no grant covers it.


PORT = 61_822
EVERYTHING = grant("full", "*", "file://")
OWN = [
    f"http://127.0.0.1:{PORT}/console/",
    f"http://localhost:{PORT}/console/#x",
    f"http://[::1]:{PORT}/",
    f"http://2130706433:{PORT}/console/",
    f"http:\\\\me@127.1:{PORT}\\console",
    f"blob:http://127.0.0.1:{PORT}/1-2",
]


@pytest.mark.parametrize("url", OWN)
def test_no_grant_covers_a_page_of_kapture(url: str) -> None:
    rules = policy(own_port=PORT, unsafe_all_sites=True)
    assert not rules.may_read(url, grant=EVERYTHING)
    assert not rules.may_read("about:blank", grant=EVERYTHING, inherited=url)
    for name in ("get_text", "evaluate", "click"):
        decision = decide(name, given_=EVERYTHING, url=url, rules=rules)
        assert decision.rule == "own pages"
        assert decision.ask is None, "nobody is asked for what nobody can allow"


def test_a_page_of_kapture_is_not_opened_and_can_be_left() -> None:
    rules = policy(own_port=PORT)
    there, away = SimpleNamespace(url=OWN[0]), SimpleNamespace(url="https://example.com/")
    for name in ("navigate", "tab_new", "download_file"):
        assert decide(name, given_=EVERYTHING, params=there, rules=rules).rule == "own pages"
    assert decide("navigate", given_=EVERYTHING, url=OWN[0], params=away, rules=rules).allowed


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", f"http://example.com:{PORT}/", "http://127.0.0.1/"])
def test_other_servers_are_sites_like_any_other(url: str) -> None:
    assert policy(own_port=PORT).may_read(url, grant=EVERYTHING)


async def test_a_hub_knows_its_own_pages(tmp_path: Path) -> None:
    async with Hub.open(Settings(home=tmp_path, port=PORT), pairing=Pairing(tmp_path)) as hub:
        assert not hub.state.consent.policy.may_read(OWN[0], grant=EVERYTHING)


# What a person is asked to allow, in words.


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (Ask(site="bank.example"), "work on bank.example"),
        (Ask(site="*"), "work on any site"),
        (Ask(site="file://"), "work on files of this computer"),
        (Ask(level=Access.READ), "read this tab"),
        (Ask(level=Access.INTERACT), "interact with this tab"),
        (Ask(level=Access.FULL), "have full access to this tab"),
        (Ask(level=Access.FULL, site="a.example"), "have full access to this tab and work on a.example"),
    ],
)
def test_a_question_says_in_plain_words_what_the_client_wants_to_do(ask: Ask, words: str) -> None:
    assert str(ask) == words


# What the browser's error page passes on.


def test_from_an_error_page_what_could_not_be_opened_is_loaded_again_where_it_is_granted() -> None:
    error_page = "chrome-error://chromewebdata/"
    assert decide("reload", given_=grant(), url=error_page, inherited=INSIDE).allowed
    assert not decide("reload", given_=grant(), url=error_page, inherited=OUTSIDE).allowed
    assert not decide("reload", given_=grant(), url=error_page).allowed
    assert not decide("click", given_=grant(), url=error_page, inherited=INSIDE).allowed


def test_refusal_says_that_page_may_be_of_any_site() -> None:
    decision = decide("get_text", given_=grant(), url="about:blank", inherited="unknown:")
    assert decision.reason == "It is not known which site made this page, and not every site is granted."


def test_a_data_url_belongs_to_the_site_that_an_error_page_is_shown_for() -> None:
    data = SimpleNamespace(url="data:text/html,x")
    for inherited, allowed in ((INSIDE, True), (OUTSIDE, False), (None, False)):
        decision = decide(
            "navigate", given_=grant(), url="chrome-error://chromewebdata/", inherited=inherited, params=data
        )
        assert decision.allowed is allowed


# The policy's prohibitions hold for every way to the same thing.


def test_policy_without_code_lets_no_code_into_a_page() -> None:
    rules = policy(rules=PolicyFile(evaluate=False))
    evaluates = SimpleNamespace(method="Runtime.evaluate", params={"expression": "1"})
    script = SimpleNamespace(action="mock", url="https://example.com/app.js", body="steal()")
    for name, params in (("cdp", evaluates), ("route", script)):
        assert decide(name, given_=grant("full"), params=params).allowed
        assert decide(name, given_=grant("full"), params=params, rules=rules).rule == "evaluate: false"
    assert decide("route", given_=grant("full"), params=SimpleNamespace(action="block"), rules=rules).allowed


def test_changing_stored_scenarios_is_not_reading() -> None:
    for name in ("run_scenario", "edit_scenario", "delete_scenario", "batch"):
        assert not get_command(name).read_only, name
    for name in ("edit_scenario", "delete_scenario"):
        assert not decide(name, given_=None, rules=policy(safe_mode=True)).allowed
    for heal in (False, True):
        run = decide("run_scenario", given_=None, params=SimpleNamespace(heal=heal), rules=policy(safe_mode=True))
        assert run.allowed is not heal
    nothing = policy(rules=PolicyFile(clients={"stranger": Section(level="none")}))
    for name in ("list_scenarios", "search_scenarios", "show_scenario"):
        assert decide(name, given_=None, rules=nothing).allowed
        assert not decide(name, given_=None, rules=nothing, client="stranger").allowed


def test_share_takes_away_from_every_grant_and_from_its_own_clients_alone() -> None:
    rules = policy(rules=PolicyFile(clients={"claude": Section(deny=("app.example.com",))}))
    section = Section(level="interact", allow=("*.example.com",), commands_denied=("status",))
    rules.shares["devhost"] = ShareCaps(section=section)
    given = grant("full", "*")

    def allowed(client: str, command: str, url: str = "https://shop.example.com/") -> bool:
        return decide(command, given_=given, url=url, rules=rules, client=client).allowed

    assert allowed("agent @devhost", "click")
    assert not allowed("agent @devhost", "evaluate")
    assert not allowed("agent @devhost", "click", OUTSIDE)
    assert not allowed("agent @devhost", "status")
    assert not rules.may_read(OUTSIDE, grant=given, client="agent @devhost")
    assert rules.usable_level(given, "agent @devhost") is Access.INTERACT
    assert not allowed("claude @devhost", "click", INSIDE), "the file's section of a client is evaded over a share"
    assert allowed("agent", "evaluate", OUTSIDE)
    assert not allowed("agent @elsewhere @devhost", "evaluate")


@pytest.mark.parametrize("client", ["claude @ended", "cursor @devhost", "claude @devhost @ended"])
def test_client_without_an_open_share_that_lets_it_in_may_do_nothing(client: str) -> None:
    rules = policy(unsafe_all_sites=True)
    rules.shares["devhost"] = ShareCaps(section=Section(), clients=("Claude*",))
    given = grant("full", "*")
    for name in ("snapshot", "evaluate", "list_tabs", "status", "request_tab"):
        assert decide(name, given_=given, rules=rules, client="claude-code @devhost").allowed
        assert not decide(name, given_=given, rules=rules, client=client).allowed
    assert not rules.may_read(INSIDE, grant=given, client=client)
    assert rules.usable_level(given, client) is Access.NONE


def test_clients_of_a_share_have_only_folders_of_its_own(tmp_path: Path) -> None:
    rules = Policy(home=tmp_path, rules=PolicyFile(uploads=Uploads(folders=(str(tmp_path / "mine"),))))
    rules.shares["devhost"] = ShareCaps(section=Section(level="interact"))
    for folder in (tmp_path / "mine", tmp_path / "shared-files" / "devhost" / "uploads"):
        folder.mkdir(parents=True)
        (folder / "file").write_text("")
    files = rules.files("agent @devhost")
    assert files.check_upload(tmp_path / "shared-files" / "devhost" / "uploads" / "file")
    with pytest.raises(PolicyDenied):
        files.check_upload(tmp_path / "mine" / "file")
    assert files.download_folder() == tmp_path / "shared-files" / "devhost" / "downloads"


def test_container_that_mounts_the_folder_of_a_share_lends_it_no_files(tmp_path: Path) -> None:
    rules = Policy(home=tmp_path)
    rules.shares["box"] = ShareCaps(section=Section(level="interact"))
    mine, mounted = tmp_path / "mine", tmp_path / "shares" / "box"
    for folder in (mine, mounted):
        folder.mkdir(parents=True)
    (mine / "file").write_text("")
    for name in ("uploads", "downloads"):
        (mounted / name).symlink_to(mine)
    with pytest.raises(PolicyDenied):
        rules.files("agent @box").check_upload(mine / "file")
    assert rules.files("agent @box").download_folder() != mine
