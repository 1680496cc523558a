"""A tab's CDP sessions: replies, events, and what happens when a session ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

from kapture.cdp import CdpConnection, CdpError, Reply
from kapture.errors import ErrorCode, KaptureError


class Transport:
    """Keeps what is sent; the test answers."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str | None, Reply]] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> Reply:
        reply = Reply()
        self.sent.append((method, session_id, reply))
        return reply


async def test_a_reply_settles_once_and_tells_before_anything_later() -> None:
    reply = Reply()
    told: list[str] = []
    reply.then(lambda settled: told.append(f"first {settled.value()}"))
    reply.resolve({"n": 1})
    reply.then(lambda _: told.append("late"))
    reply.resolve({"n": 2})
    reply.fail(CdpError("A.b", "no"))
    assert told == ["first {'n': 1}", "late"]
    assert await reply.wait() == {"n": 1}
    assert reply.error is None


async def test_a_failed_reply_raises_for_everyone_who_asks() -> None:
    reply = Reply()
    reply.fail(CdpError("A.b", "no", -32601))
    for _ in range(2):
        with pytest.raises(CdpError) as caught:
            await reply.wait()
        assert caught.value.cdp_code == -32601
    with pytest.raises(CdpError):
        reply.value()


async def test_commands_of_a_session_that_ends_fail_at_once_and_so_do_later_ones() -> None:
    transport = Transport()
    connection = CdpConnection(transport)
    child = connection.session("S1")
    waiting = child.submit("Runtime.evaluate")
    other = connection.root.submit("Runtime.evaluate")
    connection.forget("S1")
    assert waiting.error is not None
    assert waiting.error.code is ErrorCode.DETACHED
    assert not other.done
    assert child.closed
    with pytest.raises(KaptureError) as caught:
        await child.send("Page.enable")
    assert caught.value.code is ErrorCode.DETACHED
    assert [method for method, _, _ in transport.sent] == ["Runtime.evaluate", "Runtime.evaluate"]


def test_events_reach_their_session_only_and_none_that_has_ended() -> None:
    connection = CdpConnection(Transport())
    child = connection.session("S1")
    heard: list[str] = []
    connection.root.on("Page.a", lambda _: heard.append("root"))
    off = child.on("Page.a", lambda params: heard.append(f"child {params['n']}"))
    child.on("*", lambda event: heard.append(f"any {event['method']}"))
    connection.deliver("Page.a", {"n": 1}, "S1")
    assert heard == ["child 1", "any Page.a"]
    off()
    off()
    connection.deliver("Page.a", {}, None)
    assert heard[2:] == ["root"]
    connection.forget("S1")
    connection.deliver("Page.a", {"n": 2}, "S1")
    connection.deliver("Page.a", {"n": 2}, "unheard of")
    assert heard[3:] == []


def test_listening_ends_with_its_block_even_when_it_fails() -> None:
    connection = CdpConnection(Transport())
    heard: list[int] = []

    def fail() -> None:
        with connection.root.listening({"A.b": lambda _: heard.append(1)}):
            connection.deliver("A.b", {}, None)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    connection.deliver("A.b", {}, None)
    assert heard == [1]


async def test_send_all_keeps_the_order_and_raises_the_first_refusal() -> None:
    transport = Transport()
    connection = CdpConnection(transport)
    async with trio.open_nursery() as nursery:
        results: list[Any] = []

        async def send() -> None:
            results.extend(await connection.root.send_all([("A.a", {}), ("A.b", {})]))

        nursery.start_soon(send)
        await trio.testing.wait_all_tasks_blocked()
        assert [method for method, _, _ in transport.sent] == ["A.a", "A.b"]
        transport.sent[1][2].resolve({"second": True})
        transport.sent[0][2].resolve({"first": True})
    assert results == [{"first": True}, {"second": True}]
