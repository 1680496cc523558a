"""The tabs of a browser over its own connection, with a scripted browser on the other end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.backends.chromium.target import TabIds
from kapture.errors import ProtocolError
from tests.unit.backends.browser_bench import browser


async def test_a_window_that_a_page_opens_is_not_kept_waiting_for_a_debugger(tmp_path: Path) -> None:
    async with browser(tmp_path) as (_, socket):
        await socket.announce("popup", "T1")
        await wait_all_tasks_blocked()
        assert "Runtime.runIfWaitingForDebugger" in socket.sent_on("popup")


async def test_a_session_for_a_script_is_no_further_tab_and_ends_with_its_block(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1")
        await wait_all_tasks_blocked()
        seen: list[str] = []
        async with made.another_session(
            "T1", lambda method, params, session: seen.append(method), lambda: False
        ) as transport:
            assert len(made.tabs) == 1
            transport.submit("Page.enable", {}, None)
            await socket.say({"method": "Page.loadEventFired", "params": {}, "sessionId": "script"})
            await wait_all_tasks_blocked()
            assert socket.sent_on("script") == ["Page.enable"]
            assert seen == ["Page.loadEventFired"]
        await wait_all_tasks_blocked()
        assert socket.sent[-1]["method"] == "Target.detachFromTarget"
        assert socket.sent[-1]["params"] == {"sessionId": "script"}
        assert len(made.tabs) == 1


def ignore(method: str, params: dict[str, Any], session_id: str | None) -> None:
    return


async def test_a_popup_of_a_held_tab_waits_for_the_script_that_takes_it(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1")
        await wait_all_tasks_blocked()
        async with made.another_session("T1", ignore, lambda: True):
            await socket.announce("popup", "T2", openerId="T1")
            await socket.announce("other", "T3", openerId="T9")
            await wait_all_tasks_blocked()
            assert (socket.sent_on("popup"), socket.sent_on("other")) == ([], ["Runtime.runIfWaitingForDebugger"])
            assert [tab.paused for tab in made.tabs] == [None, None, "T2"]
            async with made.another_session("T2", ignore, lambda: True) as transport:
                transport.submit("Fetch.enable", {}, None)
                await wait_all_tasks_blocked()
                assert socket.sent_on("popup") == ["Fetch.enable"]
                assert [tab.paused for tab in made.tabs] == [None, None, None]
            await wait_all_tasks_blocked()
            assert socket.sent_on("popup") == ["Fetch.enable", "Runtime.runIfWaitingForDebugger"]
        await wait_all_tasks_blocked()
        set_up = [sent["params"] for sent in socket.sent if sent["method"] == "Target.setAutoAttach"]
        assert [sent["waitForDebuggerOnStart"] for sent in set_up] == [False, True, False]


async def test_a_popup_that_no_script_takes_is_resumed(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1")
        await wait_all_tasks_blocked()
        async with made.another_session("T1", ignore, lambda: True):
            await socket.announce("popup", "T2", openerId="T1")
            await trio.sleep(60)
            assert socket.sent_on("popup") == ["Runtime.runIfWaitingForDebugger"]
            assert {"sessionId": "popup"} in [sent["params"] for sent in socket.sent]


async def test_a_tab_that_is_let_go_stays_open_and_is_left_alone_by_later_connections_too(tmp_path: Path) -> None:
    ids = TabIds()
    detached = {"method": "Target.detachFromTarget", "params": {"sessionId": "mine"}}
    async with browser(tmp_path, ids) as (made, socket):
        await socket.announce("mine", "T1")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        assert tab.let_go is not None
        tab.let_go()
        await wait_all_tasks_blocked()
        assert (made.tabs, tab.leaving, tab.why_left) == ((), True, "let_go")
        assert socket.sent[-1].items() >= detached.items()
        assert "Target.closeTarget" not in [command["method"] for command in socket.sent]
    async with browser(tmp_path, ids) as (again, socket):
        await socket.announce("mine", "T1")
        await socket.announce("other", "T2")
        await wait_all_tasks_blocked()
        assert [tab.tab_id for tab in again.tabs] == [ids.of("T2")]
        assert any(detached.items() <= command.items() for command in socket.sent)
        await socket.say({"method": "Target.targetDestroyed", "params": {"targetId": "T1"}})
        await wait_all_tasks_blocked()
        assert [known.target_id for known in ids.known] == ["T2"]
        assert not ids.is_let_go("T1")


async def test_a_tab_of_which_the_browser_sends_nonsense_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1")
        await socket.announce("second", "T2")
        await wait_all_tasks_blocked()
        first, second = made.tabs
        made.connection.submit("Page.getFrameTree", {}, "first").then(lambda reply: reply.value()["frameTree"])
        await wait_all_tasks_blocked()
        assert (made.tabs, first.why_left) == ((second,), "unreadable")
        assert (
            socket.sent[-1].items() >= {"method": "Target.detachFromTarget", "params": {"sessionId": "first"}}.items()
        )


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Target.attachedToTarget", {}),
        ("Target.attachedToTarget", {"sessionId": "S", "targetInfo": {"targetId": "T1"}}),
        ("Target.attachedToTarget", {"sessionId": 5, "targetInfo": {"targetId": ["T1"], "url": 7, "title": None}}),
        ("Target.detachedFromTarget", {}),
        ("Target.targetInfoChanged", {"targetInfo": "T1"}),
        ("Target.targetDestroyed", {"targetId": 1}),
    ],
)
async def test_an_event_that_is_none_of_a_browser_ends_the_connection_with_the_reason(
    tmp_path: Path, method: str, params: dict[str, Any]
) -> None:
    with pytest.RaisesGroup(ProtocolError, flatten_subgroups=True):
        async with browser(tmp_path) as (_, socket):
            await socket.say({"method": method, "params": params})
            await wait_all_tasks_blocked()


async def test_script_session_gets_newest_entries_of_flooded_console_and_all_other_events(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    got: list[int | None] = []

    def deliver(method: str, params: dict[str, Any], session_id: str | None) -> None:
        got.append(params.get("number"))

    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        async with tab.script_session(deliver, lambda: False):
            for number in range(10_000):
                params = {"number": number}
                await socket.say({"method": "Runtime.consoleAPICalled", "params": params, "sessionId": "script"})
            await socket.say({"method": "Page.loadEventFired", "params": {}, "sessionId": "script"})
            await wait_all_tasks_blocked()
            assert got == [*range(3_750), None]
            assert socket.sent_on("script") == ["Emulation.setCPUThrottlingRate"]
            await trio.sleep(0.25)
            assert got[3_751:] == list(range(9_950, 10_000))
