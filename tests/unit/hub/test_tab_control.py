"""A Console has the browser of a connected tab disconnect it, and asks its person for another grant."""

from __future__ import annotations

import errno
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.changed import Changed
from kapture.commands.core.recorder import RecorderView
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.narrowings import CommandLineGrants
from kapture.hub.tab_session import LEFT_CODE
from kapture.policy import Grant
from kapture.policy.audit import AuditLog, entries
from kapture.private_files import write_private_file
from tests.unit.hub.simulated import SimulatedTab, World, fails, world
from tests.unit.hub.test_extensions import BROWSER

CONSOLE = Client(name="Kapture Console", kind="websocket")


async def connect(
    there: World, *, capabilities: tuple[str, ...] = ("tab_request", "tab_control", "tab_narrow")
) -> SimulatedTab:
    """The extension of a browser, and a tab of it."""
    browser = await there.connect_proven()
    await browser.send(type="register_browser", protocol=1, browser=BROWSER, capabilities=list(capabilities))
    await browser.receive("browser_registered")
    return browser


async def test_the_browser_is_told_which_tab_to_disconnect_and_it_is_gone_then(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        browser = await connect(there)
        tab = await there.tab("tab1", browser=BROWSER)
        ended = there.start(there.hub.tab_control.disconnect("tab1"))
        assert (await browser.receive("tab_disconnect"))["tabId"] == "tab1"
        assert not ended.done.is_set()
        await tab.send(type="event", event="detached", reason="disconnected", message="")
        await tab.close()
        assert await ended.wait() is None
        assert "tab1" not in there.hub.tabs


@pytest.mark.parametrize("decision", ["tab", "deny", "unanswered"])
async def test_the_person_of_the_tab_is_asked_about_it_and_the_answer_is_recorded(
    tmp_path: Path, autojump_clock: MockClock, decision: str
) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
        browser = await connect(there)
        await there.tab("tab1", browser=BROWSER)
        asked = there.start(there.hub.tab_control.request_grant(CONSOLE, "tab1"))
        message = await browser.receive("tab_request")
        assert (message["tabId"], message["client"]) == ("tab1", "Kapture Console")
        await fails(ErrorCode.QUEUE_FULL, there.hub.tab_control.request_grant(CONSOLE, "tab1"))
        await browser.send(type="tab_request_answer", id=message["id"], decision=decision)
        assert await asked.wait() == decision
    recorded = {"tab": "allowed", "deny": "denied"}.get(decision, decision)
    (entry,) = [one for one in entries(tmp_path) if one["event"] == "decision"]
    assert (entry["command"], entry["outcome"], entry["tab"]) == ("change_grant", recorded, "tab1")


async def test_a_person_who_does_not_answer_is_asked_no_longer(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        browser = await connect(there)
        tab = await there.tab("tab1", browser=BROWSER)
        there.nursery.start_soon(tab.answer_all)
        asked = there.start(there.hub.tab_control.request_grant(CONSOLE, "tab1"))
        await browser.receive("tab_request")
        withdrawn = there.start(browser.receive("tab_request_end"))  # and its pings are answered meanwhile
        assert await asked.wait() == "unanswered"
        await withdrawn.wait()


async def test_tabs_of_other_browsers_are_left_alone(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        await connect(there)
        await there.tab("tab1", browser=BROWSER | {"instance": "another"})
        await there.tab("tab2")
        control = there.hub.tab_control
        for tab_id in ("tab1", "tab2"):
            assert not control.possible(there.hub.state.router.find(tab_id))
            await fails(ErrorCode.UNSUPPORTED, control.disconnect(tab_id))
            await fails(ErrorCode.UNSUPPORTED, control.request_grant(CONSOLE, tab_id))


async def test_an_extension_that_cannot_do_it_is_not_asked(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as there:
        await connect(there, capabilities=("tab_request",))
        await there.tab("tab1", browser=BROWSER)
        await fails(ErrorCode.UNSUPPORTED, there.hub.tab_control.disconnect("tab1"))


async def test_access_is_taken_away_at_once_and_the_browser_hears_of_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
        browser = await connect(there)
        await there.tab("tab1", browser=BROWSER, grant={"sites": ["shop.example", "bank.test"], "level": "interact"})
        left = Grant.make(["a.shop.example"], "read")
        there.hub.tab_control.narrow_grant(CONSOLE, "tab1", left)
        assert there.hub.state.router.find("tab1").grant == left
        message = await browser.receive("tab_narrow")
        assert (message["tabId"], message["sites"], message["level"]) == ("tab1", ["a.shop.example"], "read")
    (entry,) = [one for one in entries(tmp_path) if one["event"] == "decision"]
    assert (entry["command"], entry["outcome"], entry["tab"]) == ("narrow_grant", "allowed", "tab1")


@pytest.mark.parametrize(
    ("sites", "level"), [(["shop.example"], "full"), (["*"], "read"), (["shop.example", "bank.test"], "read")]
)
async def test_no_access_is_added_without_the_person(
    tmp_path: Path, autojump_clock: MockClock, sites: list[str], level: str
) -> None:
    async with world(tmp_path) as there:
        await connect(there)
        await there.tab("tab1", browser=BROWSER, grant={"sites": ["shop.example"], "level": "interact"})
        with pytest.raises(KaptureError, match="Access can only be taken away here") as refused:
            there.hub.tab_control.narrow_grant(CONSOLE, "tab1", Grant.make(sites, level))
        assert refused.value.code == ErrorCode.POLICY_DENIED
        assert there.hub.state.router.find("tab1").grant == Grant.make(["shop.example"], "interact")


async def test_access_of_a_tab_that_executes_commands_itself_or_of_an_older_extension_is_not_taken_away(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        await connect(there, capabilities=("tab_request", "tab_control"))
        await there.tab("tab1", browser=BROWSER)
        await there.tab("tab2")
        for tab_id, words in (("tab1", "Update the extension"), ("tab2", "no browser whose Kapture extension")):
            with pytest.raises(KaptureError, match=words):
                there.hub.tab_control.narrow_grant(CONSOLE, tab_id, Grant.make([], "read"))


def test_a_tab_that_comes_back_or_that_a_narrowed_one_opens_has_no_more_than_was_left() -> None:
    given, left = Grant.make(["*"], "full"), Grant.make(["shop.example"], "read")
    grants = CommandLineGrants()
    assert grants.of("a", None, given) == given
    grants.keep("a", left)
    assert grants.of("a", None, given) == left
    assert grants.of("b", "a", given) == left
    assert grants.of("c", "b", given) == left
    assert grants.of("d", "unknown", given) == given


WIDE = Grant.make(["shop.example", "bank.test"], "interact")


async def narrowed(there: World, left: Grant) -> tuple[SimulatedTab, SimulatedTab]:
    """The extension of a browser that has not heard yet of what is left of its tab's grant, and the tab."""
    browser = await connect(there)
    tab = await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
    there.hub.tab_control.narrow_grant(CONSOLE, "tab1", left)
    return browser, tab


async def test_access_that_was_taken_away_stays_so_when_the_browser_has_not_heard_of_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    left = Grant.make(["shop.example"], "read")
    async with world(tmp_path) as there:
        browser, tab = await narrowed(there, left)
        await browser.close()
        await tab.close()
        await trio.testing.wait_all_tasks_blocked()
        again = await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
        find = there.hub.state.router.find
        assert find("tab1").grant == left
        await there.tab("tab2", browser=BROWSER, grant=WIDE.to_json(), opener="tab1")
        assert find("tab2").grant == left
        browser = await connect(there)
        heard = [await browser.receive("tab_narrow") for _ in range(2)]
        assert [(one["tabId"], one["sites"], one["level"]) for one in heard] == [
            (tab_id, ["shop.example"], "read") for tab_id in ("tab1", "tab2")
        ]
        await again.send(type="event", event="grant", grant=left.to_json())  # it has narrowed the grant
        await again.send(type="event", event="grant", grant=WIDE.to_json())  # later the person widens it
        await trio.testing.wait_all_tasks_blocked()
        assert find("tab1").grant == WIDE


async def test_access_that_was_taken_away_stays_so_when_the_hub_restarts_before_the_browser_has_heard_of_it(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    left = Grant.make(["shop.example"], "read")
    async with world(tmp_path) as there:
        await narrowed(there, left)
    async with world(tmp_path) as there:
        browser = await connect(there)
        tab = await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
        assert there.hub.state.router.find("tab1").grant == left
        heard = await browser.receive("tab_narrow")
        assert (heard["tabId"], heard["sites"], heard["level"]) == ("tab1", ["shop.example"], "read")
        await tab.send(type="event", event="grant", grant=left.to_json())
        await trio.testing.wait_all_tasks_blocked()
    async with world(tmp_path) as there:  # it was confirmed: the person may have widened it since
        await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
        assert there.hub.state.router.find("tab1").grant == WIDE


@pytest.mark.parametrize("content", ["", "{", '{"tab1": 7}', '{"tab1": {"sites": ["a b"], "level": "read"}}'])
async def test_a_damaged_file_of_what_was_taken_away_does_not_keep_the_hub_from_starting(
    tmp_path: Path, content: str
) -> None:
    write_private_file(tmp_path / "narrowings.json", content.encode())
    async with world(tmp_path) as there:
        assert there.hub.state.unconfirmed_grants.left("tab1") is None


async def test_status_reports_that_what_was_taken_away_is_not_kept(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    left = Grant.make(["shop.example"], "read")
    async with world(tmp_path) as there:
        await connect(there)
        await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
        monkeypatch.setattr("kapture.private_files.os.open", read_only)
        there.hub.tab_control.narrow_grant(CONSOLE, "tab1", left)
        assert there.hub.state.router.find("tab1").grant == left
        assert "narrowings.json could not be written" in (there.hub.state.unconfirmed_grants.failure or "")
        monkeypatch.undo()
        there.hub.tab_control.narrow_grant(CONSOLE, "tab1", left)
        assert there.hub.state.unconfirmed_grants.failure is None


async def test_a_browser_that_is_connected_already_hears_again_of_a_tab_that_comes_back_with_more(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        browser, tab = await narrowed(there, Grant.make([], "read"))
        await browser.receive("tab_narrow")
        await tab.close()
        await trio.testing.wait_all_tasks_blocked()
        await there.tab("tab1", browser=BROWSER, grant=WIDE.to_json())
        assert (await browser.receive("tab_narrow"))["sites"] == []


async def test_a_second_narrowing_holds_when_the_browser_confirms_the_first(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    first, second = Grant.make(["shop.example"], "interact"), Grant.make(["shop.example"], "read")
    async with world(tmp_path) as there:
        _, tab = await narrowed(there, first)
        there.hub.tab_control.narrow_grant(CONSOLE, "tab1", second)
        await tab.send(type="event", event="grant", grant=first.to_json())
        await trio.testing.wait_all_tasks_blocked()
        assert there.hub.state.router.find("tab1").grant == second


@pytest.mark.parametrize("how", ["another grant", "connected anew"])
async def test_later_choice_of_person_holds(tmp_path: Path, autojump_clock: MockClock, how: str) -> None:
    chosen = Grant.make(["other.example"], "full") if how == "another grant" else WIDE
    async with world(tmp_path) as there:
        _, tab = await narrowed(there, Grant.make(["shop.example"], "read"))
        await tab.close(1006 if how == "another grant" else LEFT_CODE)
        await trio.testing.wait_all_tasks_blocked()
        await there.tab("tab1", browser=BROWSER, grant=chosen.to_json())
        assert there.hub.state.router.find("tab1").grant == chosen


PAGE = "https://shop.example.com/cart"
SITES = ["example.com"]


@attrs.define(eq=False, slots=False)
class Page:
    """One that emulates nothing."""

    dialogs: Left
    memory: Any = None


@attrs.define(eq=False)
class Left:
    """A page with a mocked response, whose dialogs are accepted, and the recorder of the hub; `ended` says what has
    been ended, `fails` what cannot be."""

    ended: list[str] = attrs.field(factory=list)
    forgotten: list[str] = attrs.field(factory=list)
    fails: str = ""
    policy: str = "accept"
    changed: Changed = attrs.field(factory=Changed)

    @property
    def page(self) -> Any:
        page = Page(self)
        for name in ("routes", "client_settings", "network_conditions"):
            setattr(page, name, SimpleNamespace(end=partial(self._end, name)))
        page.memory = SimpleNamespace(forget=self.forgotten.append)
        return page

    def _end(self, name: str) -> None:
        if name == self.fails:
            raise KaptureError(ErrorCode.QUEUE_FULL, "The tab reads too slowly.")
        self.ended.append(name)

    def end(self, tab_id: str) -> None:
        self.ended.append(f"recording of {tab_id}")

    def state(self, tab_id: str) -> None:
        """Nothing that a panel could be told."""

    def tab_gone(self, tab_id: str, *, closed: bool) -> None:
        """The hub says so at the end."""


async def connected(there: World, left: Left, monkeypatch: pytest.MonkeyPatch) -> SimulatedTab:
    tab = await there.tab(url=PAGE, grant={"sites": SITES, "level": "full"})
    backend = there.hub.state.router.find("tab1").backend
    monkeypatch.setattr(type(backend), "current_page", left.page)
    return tab


@pytest.mark.parametrize(
    ("level", "ended", "policy"),
    [
        ("full", [], "accept"),
        ("interact", ["routes", "client_settings"], "accept"),
        ("read", ["routes", "client_settings", "network_conditions", "recording of tab1"], "ask"),
    ],
)
async def test_activities_above_new_level_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, ended: list[str], policy: str
) -> None:
    left = Left()
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        tab = await connected(there, left, monkeypatch)
        assert left.ended == []
        await tab.send(type="event", event="grant", grant={"sites": SITES, "level": level})
        await wait_all_tasks_blocked()
        assert (left.ended, left.policy) == (ended, policy)


async def test_failing_undo_does_not_keep_other_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = Left(fails="routes")
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        tab = await connected(there, left, monkeypatch)
        await tab.send(type="event", event="grant", grant={"sites": ["shop.example.com"], "level": "read"})
        await wait_all_tasks_blocked()
        assert left.ended == ["client_settings", "network_conditions", "recording of tab1"]
        assert left.forgotten == ["events"]


async def test_a_recording_ends_where_a_tab_comes_back_with_a_lower_level(tmp_path: Path) -> None:
    left = Left()
    async with world(tmp_path, recorder=cast("RecorderView", left)) as there:
        await there.tab(url=PAGE, grant={"sites": SITES, "level": "read"})
        assert left.ended == ["recording of tab1"]


@pytest.mark.parametrize(
    ("sites", "forgotten"),
    [(["example.com"], []), (["shop.example.com"], ["events"]), (["example.com", "other.example"], [])],
    ids=["the same", "less", "more"],
)
async def test_raw_events_that_were_collected_go_with_a_part_of_the_grant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sites: list[str], forgotten: list[str]
) -> None:
    left = Left()
    async with world(tmp_path) as there:
        tab = await connected(there, left, monkeypatch)
        await tab.send(type="event", event="grant", grant={"sites": sites, "level": "full"})
        await wait_all_tasks_blocked()
        assert left.forgotten == forgotten
