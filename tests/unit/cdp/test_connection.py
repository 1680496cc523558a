"""A tab's CDP sessions: replies, events, and what happens when a session ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import trio
import trio.testing

from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply, run_program
from kapture.errors import ErrorCode, KaptureError


class Transport:
    """Keeps what is sent; the test answers. What is handed over together is kept too."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str | None, PendingReply]] = []
        self.batches: list[Sequence[CdpCommand]] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        self.sent.append((method, session_id, reply))
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        self.batches.append(commands)


async def test_a_reply_settles_once_and_tells_before_anything_later() -> None:
    reply = PendingReply()
    calls: list[str] = []
    reply.then(lambda settled: calls.append(f"first {settled.value()}"))
    reply.resolve({"n": 1})
    reply.then(lambda _: calls.append("late"))
    reply.resolve({"n": 2})
    reply.fail(CdpError("A.b", "no"))
    assert calls == ["first {'n': 1}", "late"]
    assert await reply.wait() == {"n": 1}
    assert reply.error is None


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


def test_what_was_submitted_before_a_failure_is_sent_all_the_same() -> None:
    transport = Transport()
    connection = CdpConnection(transport)

    def fail() -> None:
        with connection.together():
            connection.root.submit("A.first")
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert [one.method for one in transport.batches[0]] == ["A.first"]
    connection.root.submit("A.alone")
    assert [method for method, _, _ in transport.sent] == ["A.alone"]


def test_one_by_one_a_command_that_waits_for_the_previous_one_is_the_next() -> None:
    transport = Transport()
    commands = [
        CdpCommand("A.a", {}),
        CdpCommand("A.b", {}),
        CdpCommand("A.c", {}, wait_for_previous=True),
        CdpCommand("A.d", {}),
    ]
    run_program(transport.submit, commands)
    assert [method for method, _, _ in transport.sent] == ["A.a", "A.b"]
    # A caller that gives up on an answer does not make the browser faster.
    commands[1].reply.resolve({})
    transport.sent[0][2].fail(CdpError("A.a", "no"))
    assert len(transport.sent) == 2
    transport.sent[1][2].resolve({})
    assert [method for method, _, _ in transport.sent] == ["A.a", "A.b", "A.c", "A.d"]
    transport.sent[2][2].resolve({"n": 3})
    assert commands[2].reply.value() == {"n": 3}
    with pytest.raises(CdpError):
        commands[0].reply.value()


def test_only_events_that_somebody_has_listened_for_are_delivered_once_others_may_be_left_out() -> None:
    chosen: list[frozenset[str] | None] = []
    connection = CdpConnection(Transport(), chosen.append)
    connection.root.on("Page.a", lambda _: None)
    assert chosen == []
    connection.leave_out_unread_events()
    assert chosen == [frozenset({"Page.a"})]
    off = connection.session("S1").on("Page.b", lambda _: None)
    assert chosen[1:] == [frozenset({"Page.a", "Page.b"})]
    off()
    connection.root.on("Page.b", lambda _: None)
    assert chosen[2:] == []  # listening anew, as every action does, sends nothing
