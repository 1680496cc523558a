"""The streams below WebSockets: what was read before, how much is read, and sends that are cancelled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
import trio
import trio.testing
from trio.testing import wait_all_tasks_blocked
from trio_websocket import ConnectionClosed, WebSocketConnection, wrap_client_stream, wrap_server_stream

from kapture.background import running_beside
from kapture.changed import Changed
from kapture.server.connections import Connection, Connections
from kapture.settings import Limits
from kapture.streams import TcpStream

LIMITS = Limits(head_bytes=20_000, unproven_message_bytes=20_000)


class Incoming:
    """A socket's stream with these bytes waiting. `asked` are the sizes that were read with."""

    socket = None

    def __init__(self, waiting: bytes) -> None:
        self.waiting = waiting
        self.asked: list[int] = []

    async def receive_some(self, max_bytes: int) -> bytes:
        self.asked.append(max_bytes)
        given, self.waiting = self.waiting[:max_bytes], self.waiting[max_bytes:]
        return given


def replayed(incoming: Incoming, first: bytes = b"") -> TcpStream:
    return TcpStream(cast("trio.SocketStream", incoming), first)


async def opened(connections: Connections, *, task_status: trio.TaskStatus[Connection]) -> None:
    with connections.open() as connection:
        task_status.started(connection)
        await trio.sleep_forever()


async def received(stream: TcpStream, max_bytes: int | None = None) -> bytes:
    found = b""
    while part := await stream.receive_some(max_bytes):
        found += part
    return found


async def test_short_messages_are_read_into_little_memory() -> None:
    incoming = Incoming(b"x" * 1_000_000)
    stream = replayed(incoming)
    assert len(await received(stream)) == 1_000_000
    incoming.asked.clear()
    for _ in range(3):
        incoming.waiting = b"short"
        assert await stream.receive_some() == b"short"
    assert incoming.asked == [4_096, 4_096, 4_096]


async def test_no_more_is_read_than_the_caller_takes() -> None:
    incoming = Incoming(b"x" * 100_000)
    assert await received(replayed(incoming), 10_000) == b"x" * 100_000
    assert max(incoming.asked) == 10_000


async def test_unread_data_stays_with_its_sender(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        connection: Connection = await nursery.start(opened, Connections(LIMITS))
        incoming = Incoming(b"x" * 1_000_000)
        stream = TcpStream(cast("trio.SocketStream", incoming), b"GET /", connection.may_receive)
        read = b""
        with trio.move_on_after(60):
            while True:
                read += await stream.receive_some()
        assert len(read) < 300_000
        connection.prove()
        read += await received(stream)
        assert len(read) == 1_000_005
        nursery.cancel_scope.cancel()


MORE_THAN_FITS = "0123456789" * 500_000


@asynccontextmanager
async def websockets() -> AsyncIterator[tuple[WebSocketConnection, WebSocketConnection]]:
    """The hub's end of a WebSocket, and a client's."""
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    theirs = await trio.open_tcp_stream("127.0.0.1", port)
    ours = await listeners[0].accept()
    await listeners[0].aclose()
    with trio.fail_after(60):
        async with ours, theirs, trio.open_nursery() as nursery:
            accepted: list[WebSocketConnection] = []

            async def accept() -> None:
                accepted.append(await (await wrap_server_stream(nursery, TcpStream(ours), 0)).accept())

            nursery.start_soon(accept)
            client = await wrap_client_stream(nursery, theirs, "a", "/", max_message_size=10**8)
            await trio.testing.wait_all_tasks_blocked()
            yield accepted[0], client
            nursery.cancel_scope.cancel()


async def cancelled_send(socket: WebSocketConnection) -> None:
    """A send that is cancelled when the connection takes no more."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(socket.send_message, MORE_THAN_FITS)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()


async def test_frame_of_cancelled_send_is_completed_before_the_next_frame() -> None:
    async with websockets() as (hub, client), trio.open_nursery() as nursery:
        await cancelled_send(hub)
        nursery.start_soon(hub.send_message, "next")
        assert await client.get_message() == MORE_THAN_FITS
        assert await client.get_message() == "next"


async def test_close_frame_after_cancelled_send_is_understood() -> None:
    async with websockets() as (hub, client), trio.open_nursery() as nursery:
        await cancelled_send(hub)
        nursery.start_soon(hub.aclose, 1013, "too slow")
        assert await client.get_message() == MORE_THAN_FITS
        with pytest.raises(ConnectionClosed) as closed:
            await client.get_message()
        assert closed.value.reason is not None
        assert (closed.value.reason.code, closed.value.reason.reason) == (1013, "too slow")


async def send_until_refused(stream: TcpStream) -> None:
    while True:
        await stream.send_all(b"x" * 100_000)


async def test_send_on_a_closed_connection_fails() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    theirs = await trio.open_tcp_stream("127.0.0.1", listeners[0].socket.getsockname()[1])
    ours = TcpStream(await listeners[0].accept())
    await listeners[0].aclose()
    await theirs.aclose()
    with trio.fail_after(60):
        with pytest.raises(trio.BrokenResourceError):
            await send_until_refused(ours)
        await ours.aclose()
        with pytest.raises(trio.ClosedResourceError):
            await ours.send_all(b"late")


async def test_the_task_is_cancelled_at_the_end_of_the_block() -> None:
    ended = trio.Event()

    async def task() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    async with running_beside(task):
        await trio.testing.wait_all_tasks_blocked()
        assert not ended.is_set()
    assert ended.is_set()


async def test_an_error_of_the_block_is_raised_as_it_is_with_its_cause() -> None:
    cause = KeyError("cause")
    with pytest.raises(ValueError, match="mine") as raised:
        async with running_beside(trio.sleep_forever):
            raise ValueError("mine") from cause
    assert raised.value.__cause__ is cause


async def test_a_change_wakes_every_task_that_waits_and_no_later_one() -> None:
    changed = Changed()
    woken: list[int] = []

    async def wait(number: int) -> None:
        await changed.wait()
        woken.append(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, 1)
        nursery.start_soon(wait, 2)
        await wait_all_tasks_blocked()
        changed.notify()
        await wait_all_tasks_blocked()
        assert sorted(woken) == [1, 2]
        nursery.start_soon(wait, 3)
        await wait_all_tasks_blocked()
        assert 3 not in woken
        nursery.cancel_scope.cancel()


async def test_a_change_between_looking_and_waiting_is_not_missed() -> None:
    changed = Changed()
    upcoming = changed.upcoming
    changed.notify()
    with trio.fail_after(30):
        await upcoming.wait()
    assert not changed.upcoming.is_set()
