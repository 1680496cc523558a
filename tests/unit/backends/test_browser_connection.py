"""Tests of browser connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
import trio.testing
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from trio.testing import wait_all_tasks_blocked
from trio_websocket import ConnectionClosed

from kapture.backends import pending_requests
from kapture.backends.browser_connection import BrowserConnection, SessionTransport
from kapture.backends.outbox import Outbox
from kapture.backends.pending_requests import PendingRequests
from kapture.cdp import CdpError, PendingReply
from kapture.errors import Detached, ErrorCode, KaptureError, ProtocolError, TabDisconnected
from tests.support.examples import examples


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


async def test_unprocessable_message_ends_its_tab_and_no_other() -> None:
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
async def test_malformed_devtools_message_ends_the_connection(frame: str) -> None:
    browser = FakeBrowser()
    connection = BrowserConnection(browser, limit_bytes=1_000, on_event=lambda *_: None)
    browser.send_frame(frame)
    with pytest.raises(ProtocolError):
        await connection.run()
    assert connection.closed.is_set()


class PendingRequestsMachine(RuleBasedStateMachine):
    """Requests made, given up and answered in every order: each reply is settled by its own response only."""

    asked: Bundle[tuple[str, PendingReply]] = Bundle("asked")
    given_up: Bundle[str] = Bundle("given_up")
    answered: Bundle[str] = Bundle("answered")

    def __init__(self) -> None:
        super().__init__()
        self.requests = PendingRequests()
        self.open: set[str] = set()
        self.late = 0
        self.unsolicited = 0

    @rule(target=asked)
    def ask(self) -> tuple[str, PendingReply]:
        key, reply = self.requests.begin()
        assert key not in self.open
        self.open.add(key)
        return key, reply

    @rule(target=given_up, question=consumes(asked))
    def give_up(self, question: tuple[str, PendingReply]) -> str:
        key, _ = question
        assert self.requests.abandon(key), "the tab must be told"
        assert not self.requests.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, question=consumes(asked))
    def answer(self, question: tuple[str, PendingReply]) -> str:
        key, reply = question
        assert self.requests.take(key) is reply
        assert not self.requests.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, key=consumes(given_up))
    def answer_late(self, key: str) -> str:
        assert self.requests.take(key) is None
        self.late += 1
        return key

    @rule(key=answered)
    def answer_again(self, key: str) -> None:
        assert self.requests.take(key) is None
        self.late += 1

    @rule(key=st.sampled_from(["c0", "x", "c99999", "", "c01", "c-1", "C1", "1", "c" + "9" * 40]))
    def answer_what_was_never_asked(self, key: str) -> None:
        assert self.requests.take(key) is None
        self.unsolicited += 1

    @invariant()
    def counts_hold(self) -> None:
        assert len(self.requests) == len(self.open)
        assert (self.requests.late, self.requests.unsolicited) == (self.late, self.unsolicited)


TestPendingRequests = PendingRequestsMachine.TestCase
TestPendingRequests.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)

GONE = KaptureError(ErrorCode.TAB_DISCONNECTED, "gone")


async def test_everything_open_fails_when_the_socket_ends_and_nothing_begins_after() -> None:
    requests = PendingRequests()
    replies = [requests.begin()[1] for _ in range(3)]
    requests.close(GONE)
    for reply in replies:
        with pytest.raises(KaptureError, match="gone"):
            await reply.wait()
    with pytest.raises(KaptureError, match="gone"):
        requests.begin()
    assert len(requests) == 0


async def test_questions_that_are_never_answered_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_requests, "MAX_PENDING", 10)
    requests = PendingRequests()
    replies = [requests.begin() for _ in range(100)]
    assert len(requests) == 10
    with pytest.raises(KaptureError) as failure:
        await replies[0][1].wait()
    assert failure.value.code is ErrorCode.COMMAND_TIMEOUT
    assert requests.take(replies[99][0]) is replies[99][1]


class _Socket:
    def __init__(self) -> None:
        self.sent: list[str] = []
        self.open = trio.Event()

    async def get_message(self) -> str:
        raise NotImplementedError

    async def send_message(self, message: str) -> None:
        await self.open.wait()
        self.sent.append(message)

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        raise NotImplementedError


async def test_the_limit_counts_bytes(nursery: Any) -> None:
    outbox, socket = Outbox(10), _Socket()
    nursery.start_soon(outbox.write_to, socket)
    outbox.put("12345")
    with pytest.raises(KaptureError) as failure:
        outbox.put("ééé")
    assert failure.value.code is ErrorCode.QUEUE_FULL
    assert not outbox.offer("123456")
    socket.open.set()
    await outbox.flushed()
    outbox.put("ééé")
    await wait_all_tasks_blocked()
    assert socket.sent == ["12345", "ééé"]


async def test_no_frame_is_larger_than_a_message_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kapture.backends.outbox.MAX_MESSAGE_BYTES", 100)
    with pytest.raises(KaptureError) as failure:
        Outbox(1_000).put("x" * 101)
    assert failure.value.code is ErrorCode.INVALID_PARAMS


async def test_closing_while_a_frame_is_being_sent_drops_the_rest(nursery: Any) -> None:
    outbox, socket = Outbox(1_000), _Socket()
    nursery.start_soon(outbox.write_to, socket)
    outbox.put("1")
    outbox.put("2")
    await wait_all_tasks_blocked()
    outbox.close()
    outbox.put("3")
    socket.open.set()
    await wait_all_tasks_blocked()
    assert socket.sent == ["1"]
