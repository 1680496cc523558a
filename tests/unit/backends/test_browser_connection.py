from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
import trio.testing
from trio_websocket import ConnectionClosed

from kapture.backends.browser_connection import BrowserConnection, SessionTransport
from kapture.cdp import CdpError
from kapture.errors import Detached, ProtocolError, TabDisconnected


@attrs.define
class FakeBrowser:
    """The other end of the socket: what was sent to it, and what it sends."""

    sent: list[dict[str, Any]] = attrs.field(factory=list)
    _to_hub: Any = None
    _hub_reads: Any = None

    def __attrs_post_init__(self) -> None:
        self._to_hub, self._hub_reads = trio.open_memory_channel[str](100)

    async def get_message(self) -> str:
        try:
            return str(await self._hub_reads.receive())
        except trio.EndOfChannel:
            raise ConnectionClosed(None) from None

    async def send_message(self, message: str) -> None:
        self.sent.append(json.loads(message))

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        self._to_hub.close()

    def send(self, **message: Any) -> None:
        self.send_frame(json.dumps(message))

    def send_frame(self, frame: str) -> None:
        self._to_hub.send_nowait(frame)

    async def until_sent(self, count: int) -> None:
        while len(self.sent) < count:
            await trio.testing.wait_all_tasks_blocked()


@attrs.frozen
class Connected:
    browser: FakeBrowser
    connection: BrowserConnection
    events: list[tuple[str, Any]]


@asynccontextmanager
async def connected() -> AsyncIterator[Connected]:
    browser, events = FakeBrowser(), list[tuple[str, Any]]()
    connection = BrowserConnection(
        browser, limit_bytes=1_000_000, on_event=lambda method, params: events.append((method, params))
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.run)
        yield Connected(browser, connection, events)
        nursery.cancel_scope.cancel()


def no_give_up() -> None:
    raise AssertionError("nothing was wrong")


async def test_a_reply_reaches_the_command_with_its_id() -> None:
    async with connected() as it:
        first = it.connection.submit("A.a", {}, "S")
        second = it.connection.submit("B.b", {"x": 1})
        it.browser.send(id=2, result={"second": True})
        it.browser.send(id=1, error={"code": -32602, "message": "Invalid parameters", "data": "params.x: missing"})
        assert await second.wait() == {"second": True}
        with pytest.raises(CdpError, match=r"A\.a: Invalid parameters \(params\.x: missing\)") as refused:
            await first.wait()
        assert (refused.value.cdp_code, refused.value.cdp_data) == (-32602, "params.x: missing")
        assert it.browser.sent == [
            {"id": 1, "method": "A.a", "params": {}, "sessionId": "S"},
            {"id": 2, "method": "B.b", "params": {"x": 1}},
        ]


async def test_events_reach_the_tab_whose_session_they_are_of() -> None:
    heard: dict[str, list[tuple[str, str | None]]] = {"one": [], "two": []}
    async with connected() as it:
        it.connection.open_route("S1", lambda method, _, session: heard["one"].append((method, session)), no_give_up)
        it.connection.open_route("S2", lambda method, _, session: heard["two"].append((method, session)), no_give_up)
        it.browser.send(method="Page.x", params={}, sessionId="S1")
        it.browser.send(method="Target.attachedToTarget", params={"sessionId": "F"}, sessionId="S2")
        it.browser.send(method="Page.y", params={}, sessionId="F")
        it.browser.send(method="Page.z", params={}, sessionId="unknown")
        it.browser.send(method="Target.targetCreated", params={})
        await trio.testing.wait_all_tasks_blocked()
        assert heard == {"one": [("Page.x", None)], "two": [("Target.attachedToTarget", None), ("Page.y", "F")]}
        assert it.events == [("Target.targetCreated", {})]


async def test_commands_of_a_session_that_ends_fail_for_they_get_no_reply() -> None:
    async with connected() as it:
        it.connection.open_route("S", lambda *_: None, no_give_up)
        it.browser.send(method="Target.attachedToTarget", params={"sessionId": "F"}, sessionId="S")
        await trio.testing.wait_all_tasks_blocked()
        frame = it.connection.submit("A.a", {}, "F")
        tab = SessionTransport(it.connection, "S").submit("B.b", {}, None)
        it.browser.send(method="Target.detachedFromTarget", params={"sessionId": "F"}, sessionId="S")
        with pytest.raises(Detached):
            await frame.wait()
        assert not tab.done
        it.connection.close_route("S")
        with pytest.raises(Detached):
            await tab.wait()


async def test_what_cannot_be_processed_ends_the_tab_that_it_is_about_and_no_other() -> None:
    given_up, heard = list[str](), list[str]()

    def stumble(method: str, params: dict[str, Any], session: str | None) -> None:
        heard.append(method)
        raise KeyError("frame")

    async with connected() as it:
        it.connection.open_route("S1", stumble, lambda: given_up.append("S1"))
        it.connection.open_route("S2", lambda method, *_: heard.append(method), no_give_up)
        it.connection.open_route("S3", lambda *_: None, lambda: given_up.append("S3"))
        it.connection.submit("A.a", {}, "S3").then(lambda reply: reply.value()["missing"])
        waiting = it.connection.submit("A.a", {}, "S1")
        it.browser.send(method="Page.frameNavigated", params={}, sessionId="S1")
        it.browser.send(method="Page.loadEventFired", params={}, sessionId="S1")
        it.browser.send(id=1, result={})
        it.browser.send(method="Page.x", params={}, sessionId="S2")
        await trio.testing.wait_all_tasks_blocked()
        assert given_up == ["S1", "S3"]
        assert heard == ["Page.frameNavigated", "Page.x"]
        with pytest.raises(Detached):
            await waiting.wait()
        assert not it.connection.closed.is_set()


async def test_half_a_character_in_what_a_page_says_ends_nothing() -> None:
    async with connected() as it:
        heard = list[Any]()
        it.connection.open_route("S", lambda method, params, _: heard.append((method, params)), no_give_up)
        it.browser.send_frame(r'{"sessionId": "S", "method": "Page.said", "params": {"text": "a\ud800b"}}')
        it.browser.send_frame(r'{"method": "Target.targetInfoChanged", "params": {"title": "\udc00"}}')
        await trio.testing.wait_all_tasks_blocked()
        assert heard == [("Page.said", {"text": "a\ufffdb"})]
        assert it.events == [("Target.targetInfoChanged", {"title": "\ufffd"})]


async def test_commands_fail_when_the_connection_is_lost_and_later_ones_at_once() -> None:
    async with connected() as it:
        waiting = it.connection.submit("A.a", {})
        await it.browser.aclose()
        with pytest.raises(TabDisconnected, match="connection to the browser was lost"):
            await waiting.wait()
        with pytest.raises(TabDisconnected):
            await it.connection.send("B.b")


@pytest.mark.parametrize("frame", ["no json", "[]", '{"id": "text"}', "[" * 100_000])
async def test_what_is_no_devtools_message_ends_the_connection(frame: str) -> None:
    browser = FakeBrowser()
    connection = BrowserConnection(browser, limit_bytes=1_000, on_event=lambda *_: None)
    browser.send_frame(frame)
    with pytest.raises(ProtocolError):
        await connection.run()
    assert connection.closed.is_set()
