"""Browsers that the hub launches or attaches to, when what is at the other end of the connection is none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock
from trio_websocket import ConnectionClosed

from kapture.backends.chromium.browser import CdpBrowser
from kapture.backends.chromium.find import LAUNCHED
from kapture.backends.chromium.target import TabIds
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.browsers import set_up
from kapture.hub.no_tab import why_no_tab
from kapture.policy import Grant
from tests.unit.hub.simulated import world

Answer: TypeAlias = Callable[[Mapping[str, Any]], "dict[str, Any] | str | None"]


class Peer:
    """A socket. `answer` has the reply to each command: fields, frames, or None, at which the connection ends."""

    def __init__(self, answer: Answer, on_data: Callable[[], None] = lambda: None) -> None:
        self._answer = answer
        self._on_data = on_data
        self._to_hub, self._at_hub = trio.open_memory_channel[str](100)

    async def get_message(self) -> str:
        try:
            message = await self._at_hub.receive()
        except trio.EndOfChannel:
            raise ConnectionClosed(None) from None
        self._on_data()
        return message

    async def send_message(self, message: str) -> None:
        command = json.loads(message)
        match self._answer(command):
            case None:
                self._to_hub.close()
            case str(frames):
                for frame in frames.splitlines():
                    self._to_hub.send_nowait(frame)
            case dict(fields):
                self._to_hub.send_nowait(json.dumps({"id": command["id"], **fields}))

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()


class Peers:
    """An `Endpoint` at which each connection has a new peer."""

    is_local = True
    shown = "ws://127.0.0.1:1"

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    @asynccontextmanager
    async def connected(self, on_data: Callable[[], None]) -> AsyncIterator[Peer]:
        yield Peer(self._answer, on_data)


def silent(_: Mapping[str, Any]) -> str:
    return ""


def ends(_: Mapping[str, Any]) -> None:
    return None


def refuses(command: Mapping[str, Any]) -> dict[str, Any]:
    return {"error": {"code": -32601, "message": f"'{command['method']}' wasn't found"}}


def talks(_: Mapping[str, Any]) -> str:
    return "Welcome"


async def serve_none(_: object) -> None:
    await trio.lowlevel.checkpoint()


PEERS = [
    (silent, "has not answered for 30 s"),
    (ends, "ended the connection before it answered"),
    (refuses, "'Browser.getVersion' wasn't found"),
    (talks, "does not speak the DevTools protocol"),
]


@pytest.mark.parametrize(("peer", "words"), PEERS)
async def test_attaching_to_other_program_is_refused(
    peer: Answer, words: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as it:
        with pytest.raises(KaptureError, match=words) as caught:
            await it.hub.browsers.attach(
                Peers(peer),  # type: ignore[arg-type]
                Grant.make(["*"], "read"),
                TabIds(),
                on_connected=lambda _: None,
                on_lost=lambda *_: None,
            )
        assert caught.value.code is ErrorCode.NO_BACKEND
        assert "ws://host:port/devtools/browser/" in caught.value.hint


@pytest.mark.parametrize(("peer", "words"), PEERS)
async def test_a_program_that_is_no_browser_is_reported_as_not_launched(
    peer: Answer, words: str, tmp_path: Path, autojump_clock: MockClock
) -> None:
    browser = CdpBrowser(
        Peer(peer),
        LAUNCHED,
        ids=TabIds(),
        folder=tmp_path,
        limit_bytes=1_000_000,
        open_page=lambda *_: None,  # type: ignore[arg-type]
        serve_tab=serve_none,
    )
    async with trio.open_nursery() as nursery:
        with pytest.raises(KaptureError, match=words) as caught:
            await set_up(nursery, browser)
    assert caught.value.code is ErrorCode.LAUNCH_FAILED
    assert "--browser" in caught.value.hint


async def test_a_browser_that_refuses_only_downloads_is_attached_to(tmp_path: Path, autojump_clock: MockClock) -> None:
    def answer(command: Mapping[str, Any]) -> dict[str, Any]:
        return refuses(command) if command["method"] == "Browser.setDownloadBehavior" else {"result": {}}

    assert await pauses(answer, 0, tmp_path) == []


async def test_a_connection_that_ends_whenever_it_was_made_is_made_again_less_and_less_often(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    def answer(command: Mapping[str, Any]) -> dict[str, Any] | str:
        if command["method"] != "Target.setAutoAttach":
            return {"result": {}}
        event = {"method": "Target.attachedToTarget", "params": {}}
        return "\n".join([json.dumps({"id": command["id"], "result": {}}), json.dumps(event)])

    waits = await pauses(answer, 8, tmp_path)
    assert all(later > earlier for earlier, later in pairwise(waits[:6]))  # twice as long, ± 25 %
    assert waits[7] > 10_000


async def test_a_browser_from_which_nothing_comes_any_more_is_connected_to_again(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    asked = 0

    def answers_for_a_while(command: Mapping[str, Any]) -> dict[str, Any] | str:
        nonlocal asked
        asked += command["method"] == "Browser.getVersion"
        return {"result": {}} if asked < 10 else ""

    reasons = list[str]()
    started = trio.current_time()
    async with world(tmp_path) as it:
        with trio.CancelScope() as scope:

            def lost(error: KaptureError, _: float) -> None:
                reasons.append(error.message)
                reasons.append(why_no_tab(it.hub.state).message)
                scope.cancel()

            endpoint: Any = Peers(answers_for_a_while)
            grant = Grant.make(["*"], "read")
            await it.hub.browsers.attach(endpoint, grant, TabIds(), on_connected=lambda _: None, on_lost=lost)
    limits = it.hub.state.settings.limits
    assert reasons == [
        f"The browser at {Peers.shown} has not answered {limits.missed_heartbeats} heartbeats in a row.",
        f"No tab is connected. The connection to the browser at {Peers.shown} was lost, and is being made again.",
    ]
    assert not it.hub.state.lost_endpoints
    assert trio.current_time() - started > 10 * limits.heartbeat_ms / 1_000  # as long as it answered, it was kept


async def pauses(peer: Answer, count: int, home: Path) -> list[float]:
    """Attach to the peer, and return how many milliseconds are waited after each of `count` lost connections; with 0
    return once it is attached to."""
    waits = list[float]()
    async with world(home) as it:
        with trio.CancelScope() as scope:

            def lost(_: KaptureError, pause_ms: float) -> None:
                waits.append(pause_ms)
                if len(waits) == count:
                    scope.cancel()

            def connected(_: Sequence[str]) -> None:
                if count == 0:
                    scope.cancel()

            endpoint: Any = Peers(peer)
            grant = Grant.make(["*"], "read")
            await it.hub.browsers.attach(endpoint, grant, TabIds(), on_connected=connected, on_lost=lost)
        assert scope.cancelled_caught
    return waits


class Browser:
    """Each tab takes `opens_s` to open, and each page `loads_s` to load."""

    def __init__(self, *, opens_s: float = 0, loads_s: float = 0) -> None:
        self.opens_s = opens_s
        self.loads_s = loads_s
        self.tabs = [SimpleNamespace(tab_id="first")]
        self.tabs_changed = Changed()
        self.connection = SimpleNamespace(closed=trio.Event())
        self.shown: dict[str, str] = {}
        self.refuses: Callable[[str], bool] = lambda url: False

    async def open_tab(self, url: str, *, beside: str | None, background: bool) -> str:
        await trio.sleep(self.opens_s)
        if self.connection.closed.is_set():
            raise KaptureError(ErrorCode.DETACHED, "The browser was lost.")
        tab_id = f"tab{len(self.tabs)}"
        self.tabs.append(SimpleNamespace(tab_id=tab_id))
        return tab_id

    async def navigate(self, tab_id: str, url: str) -> str:
        await trio.sleep(self.loads_s)
        if self.refuses(url):
            raise KaptureError(ErrorCode.NAVIGATION_FAILED, "It is not to be shown.")
        self.shown[tab_id] = url
        return "net::ERR_ABORTED" if "download" in url else ""
