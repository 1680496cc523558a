"""A Console has the browser of a connected tab disconnect it, and asks its person for another grant."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client
from kapture.hub.grants.narrowed_grants import MOST_KEPT, NarrowedGrants
from kapture.hub.sessions.tab_session import LEFT_CODE
from kapture.policy import Grant
from kapture.policy.audit import AuditLog
from kapture.policy.audit_reader import entries
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


async def test_a_browser_that_does_not_disconnect_the_tab_is_an_error(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        await connect(there)
        tab = await there.tab("tab1", browser=BROWSER)
        there.nursery.start_soon(tab.answer_all)
        await fails(ErrorCode.COMMAND_TIMEOUT, there.hub.tab_control.disconnect("tab1"))
        assert "tab1" in there.hub.tabs


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
    narrowed = NarrowedGrants()
    assert narrowed.of("a", None, given) == given
    narrowed.keep("a", left)
    assert narrowed.of("a", None, given) == left
    assert narrowed.of("b", "a", given) == left
    assert narrowed.of("c", "b", given) == left
    assert narrowed.of("d", "unknown", given) == given


def test_of_too_many_narrowed_tabs_the_one_is_forgotten_that_has_not_been_asked_for_longest() -> None:
    given, left = Grant.make(["*"], "full"), Grant.make(["shop.example"], "read")
    narrowed = NarrowedGrants()
    for number in range(MOST_KEPT):
        narrowed.keep(f"t{number}", left)
    for number in (0, MOST_KEPT):  # the first opens another tab
        assert narrowed.of(f"new{number}", "t0", given) == left
    assert (narrowed.left("t0"), narrowed.left("t1"), narrowed.left("t2")) == (left, None, None)


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
        assert there.hub.state.pending_narrowings.left("tab1") is None


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
        assert "narrowings.json could not be written" in (there.hub.state.pending_narrowings.failure or "")
        monkeypatch.undo()
        there.hub.tab_control.narrow_grant(CONSOLE, "tab1", left)
        assert there.hub.state.pending_narrowings.failure is None


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
async def test_what_the_person_chooses_afterwards_holds(tmp_path: Path, autojump_clock: MockClock, how: str) -> None:
    chosen = Grant.make(["other.example"], "full") if how == "another grant" else WIDE
    async with world(tmp_path) as there:
        _, tab = await narrowed(there, Grant.make(["shop.example"], "read"))
        await tab.close(1006 if how == "another grant" else LEFT_CODE)
        await trio.testing.wait_all_tasks_blocked()
        await there.tab("tab1", browser=BROWSER, grant=chosen.to_json())
        assert there.hub.state.router.find("tab1").grant == chosen
