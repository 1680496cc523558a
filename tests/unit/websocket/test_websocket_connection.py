"""The hub's end of a WebSocket over a real socket; the other end sends frames as it likes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing
from trio_websocket import ConnectionClosed
from wsproto.events import BytesMessage, CloseConnection, Event, Message, Ping, Pong, TextMessage

from kapture import eager_stream
from kapture.eager_stream import EagerStream, WholeStream
from kapture.websocket import WebSocket
from tests.unit.websocket.peer import MOST, connected

if_eager = pytest.mark.skipif(not eager_stream.AVAILABLE, reason="sockets have no file descriptors here")
MORE_THAN_FITS = "0123456789" * 500_000


@asynccontextmanager
async def beside(work: Callable[..., Awaitable[Any]], *arguments: Any) -> AsyncIterator[None]:
    """Run this too, to its end."""
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(work, *arguments)
            yield


async def closed_with(socket: WebSocket) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        await socket.get_message()
    assert closed.value.reason is not None
    assert closed.value.reason is socket.closed
    return int(closed.value.reason.code)


async def test_messages_come_in_order_and_whole() -> None:
    async with connected() as (socket, peer):
        parts: list[Message[Any]] = [
            TextMessage(data="é", message_finished=False),
            TextMessage(data="", message_finished=False),
            TextMessage(data="o"),
            BytesMessage(data=b"\0", message_finished=False),
            BytesMessage(data=b"\1"),
            TextMessage(data=""),
        ]
        await peer.send(*parts)
        assert [await socket.get_message() for _ in range(3)] == ["éo", b"\0\1", ""]


async def test_each_of_many_messages_gives_other_tasks_their_turn() -> None:
    async with connected() as (socket, peer):
        await peer.send(*(TextMessage(data=str(number)) for number in range(10)))
        for number in range(10):
            with trio.testing.assert_checkpoints():
                assert await socket.get_message() == str(number)


@pytest.mark.parametrize("frame", [Pong(payload=b"p"), TextMessage(data="", message_finished=False)])
async def test_many_frames_without_a_message_give_other_tasks_their_turns(frame: Event) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    async with connected() as (socket, peer), trio.open_nursery() as nursery:
        await peer.send(TextMessage(data="first"), *[frame] * 2_000, TextMessage(data="last"))
        assert await socket.get_message() == "first"  # the others have come with it
        nursery.start_soon(count)
        assert await socket.get_message() == "last"
        assert turns >= 40  # far more than the reads of the socket
        nursery.cancel_scope.cancel()


async def test_waiting_that_is_cancelled_loses_no_message() -> None:
    async with connected() as (socket, peer):
        await peer.send(TextMessage(data="1"), TextMessage(data="2"))
        assert await socket.get_message() == "1"
        with trio.CancelScope() as scope:
            scope.cancel()
            await socket.get_message()
        assert await socket.get_message() == "2"


async def test_pings_are_answered_while_a_message_is_waited_for() -> None:
    async with connected() as (socket, peer):
        await peer.send(TextMessage(data="half", message_finished=False), Ping(payload=b"p"), TextMessage(data="!"))
        assert await socket.get_message() == "half!"
        assert await peer.receive() == Pong(payload=b"p")


async def test_a_ping_waits_for_its_pong_or_a_later_one() -> None:
    async with connected() as (socket, peer), trio.open_nursery() as nursery:
        ended = []

        async def ping(number: int) -> None:
            await socket.ping()
            ended.append(number)

        nursery.start_soon(socket.get_message)
        payloads = []
        for number in range(3):
            nursery.start_soon(ping, number)
            event = await peer.receive()
            assert isinstance(event, Ping)
            payloads.append(bytes(event.payload))
        await peer.send(Pong(payload=b"unasked"), Pong(payload=payloads[1]))
        with trio.fail_after(60):
            while len(ended) < 2:
                await trio.testing.wait_all_tasks_blocked(0.01)
        assert sorted(ended) == [0, 1]
        nursery.cancel_scope.cancel()


async def test_a_ping_ends_with_its_socket() -> None:
    async with connected() as (socket, peer):

        async def read() -> None:
            assert await closed_with(socket) == 1006

        async with beside(read):
            await trio.testing.wait_all_tasks_blocked()
            async with beside(peer.stream.aclose):
                with pytest.raises(ConnectionClosed):
                    await socket.ping()


@pytest.mark.parametrize("parts", [1, 3])
async def test_a_message_that_is_too_large_closes_the_socket(parts: int) -> None:
    async with connected() as (socket, peer):
        data = "x" * (MOST // parts + 1)
        events = [TextMessage(data=data, message_finished=part == parts - 1) for part in range(parts)]
        async with beside(peer.send, *events):
            assert await closed_with(socket) == 1009
        close = await peer.receive()
        assert isinstance(close, CloseConnection)
        assert close.code == 1009
        with pytest.raises(ConnectionClosed):
            await socket.send_message("late")
        assert not socket.send_now("late")
        await socket.aclose()  # at once: it is closed


async def test_what_came_before_the_other_ends_close_is_returned_and_the_close_answered() -> None:
    async with connected() as (socket, peer):
        await peer.send(TextMessage(data="last"), CloseConnection(code=4001, reason="left"))
        assert await socket.get_message() == "last"
        assert await closed_with(socket) == 4001
        assert socket.closed is not None
        assert socket.closed.reason == "left"
        assert await peer.receive() == CloseConnection(code=4001, reason="left")
        with pytest.raises(trio.EndOfChannel):
            await peer.receive()  # the server closes the connection (RFC 6455, section 7.1.1)
        assert await closed_with(socket) == 4001


async def test_what_came_in_one_piece_with_a_close_can_be_answered() -> None:
    async with connected() as (socket, peer):
        await peer.send(Ping(payload=b"p"), TextMessage(data="ask"), CloseConnection(code=1000))
        assert await socket.get_message() == "ask"
        await socket.send_message("answer")
        assert await peer.receive() == Pong(payload=b"p")
        assert await peer.receive() == TextMessage(data="answer")
        with pytest.raises(ConnectionClosed):
            await socket.get_message()


async def test_a_close_waits_for_the_other_ends_and_ends_a_read_in_another_task() -> None:
    async with connected() as (socket, peer):

        async def read() -> None:
            assert await closed_with(socket) == 1000

        async with beside(read):
            await trio.testing.wait_all_tasks_blocked()
            async with beside(socket.aclose, 1008, "why"):
                assert await peer.receive() == CloseConnection(code=1008, reason="why")
                await peer.stream.send_all(b"\x81\x80\0\0\0\0")  # an empty message that is sent meanwhile
                peer.protocol.receive_data(None)
                await peer.stream.send_all(b"\x88\x82\0\0\0\0\x03\xe8")
        with pytest.raises(trio.EndOfChannel):
            await peer.receive()


async def test_a_close_that_nobody_answers_can_be_given_up() -> None:
    async with connected() as (socket, peer):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(socket.aclose)
            assert isinstance(await peer.receive(), CloseConnection)
            nursery.cancel_scope.cancel()
        with pytest.raises(trio.EndOfChannel):
            await peer.receive()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        pytest.param(b"\x81\x01a", 1002, id="not masked"),
        pytest.param(b"\x83\x80\0\0\0\0", 1002, id="unknown opcode"),
        pytest.param(b"\xc1\x80\0\0\0\0", 1002, id="reserved bit"),
        pytest.param(b"\x80\x80\0\0\0\0", 1002, id="continues nothing"),
        pytest.param(b"\x81\x81\0\0\0\0\xff", 1007, id="not UTF-8"),
    ],
)
async def test_a_frame_that_breaks_the_protocol_closes_the_socket_with_its_code(frame: bytes, code: int) -> None:
    async with connected() as (socket, peer):
        await peer.stream.send_all(frame)
        assert await closed_with(socket) == code
        close = await peer.receive()
        assert isinstance(close, CloseConnection)
        assert close.code == code


async def test_a_connection_that_ends_without_a_close_is_closed_abnormally() -> None:
    async with connected() as (socket, peer):
        await peer.send(TextMessage(data="last"))
        await peer.stream.aclose()
        assert await socket.get_message() == "last"
        assert await closed_with(socket) == 1006


async def test_what_comes_after_a_send_has_failed_is_not_read() -> None:
    class Broken(WholeStream):
        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            raise trio.BrokenResourceError

    async with connected(Broken) as (socket, peer), beside(closed_with, socket):
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(ConnectionClosed):
            await socket.send_message("to nobody")
        await peer.send(TextMessage(data="sent before it broke"))


@if_eager
async def test_a_message_is_sent_at_once_if_the_connection_takes_it() -> None:
    async with connected(EagerStream) as (socket, peer):
        with trio.testing.assert_no_checkpoints():
            assert socket.send_now("at once")
        assert await peer.receive() == TextMessage(data="at once")


@pytest.mark.parametrize("stream", [pytest.param(EagerStream, marks=if_eager), WholeStream])
async def test_what_was_begun_at_once_is_completed_whatever_is_sent_between(stream: type[WholeStream]) -> None:
    async with connected(stream) as (socket, peer):
        assert not socket.send_now(MORE_THAN_FITS)

        async def read() -> None:
            assert await socket.get_message() == "go on"

        async with beside(read):
            await peer.send(Ping(payload=b"p"), TextMessage(data="go on"))
            assert await peer.receive() == TextMessage(data=MORE_THAN_FITS)
            assert await peer.receive() == Pong(payload=b"p")
        await socket.send_message("of another task")
        await socket.send_message(MORE_THAN_FITS)  # all of it has been sent
        assert await peer.receive() == TextMessage(data="of another task")
        await socket.send_message("next")
        assert await peer.receive() == TextMessage(data="next")


@pytest.mark.parametrize("stream", [pytest.param(EagerStream, marks=if_eager), WholeStream])
async def test_nothing_is_sent_at_once_while_another_task_sends(stream: type[WholeStream]) -> None:
    async with connected(stream) as (socket, peer), beside(socket.send_message, MORE_THAN_FITS):
        await trio.testing.wait_all_tasks_blocked()
        assert not socket.send_now("next")
        assert await peer.receive() == TextMessage(data=MORE_THAN_FITS)
        await socket.send_message("next")
        assert await peer.receive() == TextMessage(data="next")
