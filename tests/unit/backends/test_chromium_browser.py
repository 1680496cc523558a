"""The tabs of a browser over its own connection, with a scripted browser on the other end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.chromium.browser import CdpBrowser
from kapture.backends.chromium.kinds import ATTACHED, LAUNCHED, BrowserKind
from kapture.backends.chromium.target import TabIds
from kapture.errors import NoBackend, ProtocolError


class ScriptedBrowser:
    """The socket: answers every command, and says that a session has come before it answers that one was attached."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.silent = False
        self.target = "browser"
        self.asleep: dict[
            str, str
        ] = {}  # the sessions and targets of tabs without a page that it has from the beginning
        self._unanswered: list[str] = []
        self._to_hub, self._at_hub = trio.open_memory_channel[str](1_000)

    async def get_message(self) -> str:
        return await self._at_hub.receive()

    async def send_message(self, message: str) -> None:
        command = json.loads(message)
        self.sent.append(command)
        if self.silent:
            self._unanswered.append(message)
            return
        result: dict[str, Any] = {}
        if command["method"] == "Target.attachToTarget":
            result = {"sessionId": "script"}
            await self.announce("script", command["params"]["targetId"])
        if command["method"] == "Target.getTargetInfo":
            result = {"targetInfo": {"type": self.target}}
        if command["method"] == "Target.setAutoAttach":
            for session_id, target_id in self.asleep.items():
                await self.announce(session_id, target_id, "https://a.test/")
        if command["method"] == "Inspector.enable" and command["sessionId"] in self.asleep:
            await self.say({"method": "Inspector.targetCrashed", "params": {}, "sessionId": command["sessionId"]})
        await self.say({"id": command["id"], "result": result})

    async def reply(self) -> None:
        """Reply to the commands that came while it was silent, and to later ones at once."""
        self.silent = False
        while self._unanswered:
            await self.say({"id": json.loads(self._unanswered.pop(0))["id"], "result": {}})

    async def announce(self, session_id: str, target_id: str, url: str = "about:blank", title: str = "") -> None:
        info = {"targetId": target_id, "type": "page", "url": url, "title": title}
        await self.say({"method": "Target.attachedToTarget", "params": {"sessionId": session_id, "targetInfo": info}})

    async def say(self, message: dict[str, Any]) -> None:
        await self._to_hub.send(json.dumps(message))

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()

    def sent_on(self, session_id: str) -> list[str]:
        return [command["method"] for command in self.sent if command.get("sessionId") == session_id]


@asynccontextmanager
async def browser(
    folder: Path, ids: TabIds | None = None, kind: BrowserKind = LAUNCHED, socket: ScriptedBrowser | None = None
) -> AsyncIterator[tuple[CdpBrowser, ScriptedBrowser]]:
    async def serve(tab: CdpTab) -> None:
        await tab.gone.wait()

    socket = socket or ScriptedBrowser()
    async with trio.open_nursery() as nursery:
        made = CdpBrowser(
            socket,
            kind,
            ids=ids or TabIds(),
            opened=set(),
            folder=folder,
            limit_bytes=1_000_000,
            open_page=lambda *_: None,  # type: ignore[arg-type]
            serve_tab=serve,
        )
        await nursery.start(made.run)
        yield made, socket
        nursery.cancel_scope.cancel()


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
        async with made.another_session("T1", lambda method, params, session: seen.append(method)) as transport:
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
        assert not ids.let_go


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


async def replace(
    socket: ScriptedBrowser,
    old: tuple[str, str],
    new: tuple[str, str],
    *,
    sleeps: bool,
    title: str = "",
    wakes: bool = False,
) -> None:
    """Say that one target comes and another goes, each given by its session and id, and reply to what is asked then."""
    socket.silent = True
    await socket.announce(*new, "https://a.test/", title)
    await socket.say({"method": "Target.detachedFromTarget", "params": {"sessionId": old[0]}})
    await socket.say({"method": "Target.targetDestroyed", "params": {"targetId": old[1]}})
    await wait_all_tasks_blocked()
    if sleeps:
        await socket.say({"method": "Inspector.targetCrashed", "params": {}, "sessionId": new[0]})
    if wakes:
        info = {"targetId": new[1], "type": "page", "url": "https://a.test/", "title": title}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
    await socket.reply()
    await wait_all_tasks_blocked()


async def test_a_tab_that_the_browser_puts_to_sleep_keeps_its_id_at_the_target_that_replaces_its_own(
    tmp_path: Path,
) -> None:
    async with browser(tmp_path) as (made, socket):
        for session_id, target_id in (("first", "T1"), ("second", "T2")):
            await socket.announce(session_id, target_id, "https://a.test/")
        await wait_all_tasks_blocked()
        first, second = made.tabs
        made.opened.add("T2")
        await socket.announce("other", "T3", "https://b.test/")
        await replace(socket, ("second", "T2"), ("asleep", "T4"), sleeps=True)
        assert len(made.tabs) == 3
        assert {first, second} < set(made.tabs)
        assert (second.leaving, second.gone.is_set()) == (False, False)
        assert second.why_detached == "The browser has put this tab to sleep."
        assert made.opened == {"T4"}
        info = {"targetId": "T4", "type": "page", "url": "https://a.test/", "title": "Awake"}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
        await wait_all_tasks_blocked()
        assert not second.why_detached
        assert second.address.title == "Awake"
        await socket.announce("new", "T5", "https://a.test/")
        await wait_all_tasks_blocked()
        assert len(made.tabs) == 4


@pytest.mark.parametrize("sleeps", [True, False])
async def test_a_tab_that_wakes_as_soon_as_it_sleeps_goes_on_with_its_id(tmp_path: Path, sleeps: bool) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://a.test/", "Mine")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        await replace(socket, ("first", "T1"), ("second", "T2"), sleeps=sleeps, title="Mine", wakes=True)
        assert made.tabs == (tab,)
        assert not tab.why_detached
        assert (tab.leaving, tab.gone.is_set()) == (False, False)


async def test_a_tab_that_is_closed_beside_another_of_its_address_is_gone(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://a.test/")
        await wait_all_tasks_blocked()
        (first,) = made.tabs
        await replace(socket, ("first", "T1"), ("second", "T2"), sleeps=False)
        assert (first.leaving, first.gone.is_set()) == (True, True)
        (second,) = made.tabs
        assert second.tab_id != first.tab_id


async def test_a_tab_is_gone_when_the_one_that_might_replace_it_goes_too(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://a.test/")
        await wait_all_tasks_blocked()
        (first,) = made.tabs
        socket.silent = True
        await socket.announce("second", "T2", "https://a.test/")
        for session_id in ("first", "second"):
            await socket.say({"method": "Target.detachedFromTarget", "params": {"sessionId": session_id}})
        await wait_all_tasks_blocked()
        await socket.reply()
        await wait_all_tasks_blocked()
        assert first.gone.is_set()
        assert not made.tabs


async def test_a_tab_that_was_let_go_is_left_alone_when_it_falls_asleep(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("mine", "T1", "https://a.test/")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        assert tab.let_go is not None
        tab.let_go()
        await wait_all_tasks_blocked()
        await replace(socket, ("mine", "T1"), ("asleep", "T2"), sleeps=True)
        assert not made.tabs
        assert socket.sent[-1]["params"] == {"sessionId": "asleep"}


async def test_a_tab_that_sleeps_when_its_browser_is_attached_to_says_so_and_wakes(tmp_path: Path) -> None:
    socket = ScriptedBrowser()
    socket.asleep = {"mine": "T1"}
    async with browser(tmp_path, kind=ATTACHED, socket=socket) as (made, _):
        (tab,) = made.tabs
        assert tab.why_detached == "The browser has put this tab to sleep, or its page has crashed."
        info = {"targetId": "T1", "type": "page", "url": "https://a.test/", "title": "Awake"}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
        await wait_all_tasks_blocked()
        assert not tab.why_detached


async def test_the_address_of_a_page_is_not_taken_for_a_browsers(tmp_path: Path) -> None:
    socket = ScriptedBrowser()
    socket.target = "page"
    with pytest.RaisesGroup(NoBackend, flatten_subgroups=True) as caught:
        async with browser(tmp_path, kind=ATTACHED, socket=socket):
            pass
    assert "one page, not of a browser" in str(caught.value.exceptions[0])
