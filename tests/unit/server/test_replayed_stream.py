from __future__ import annotations

from typing import cast

import trio
import trio.testing

from kapture.server.connections import Connection, Connections
from kapture.server.replayed_stream import ReplayedStream
from kapture.settings import Limits

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


def replayed(incoming: Incoming, first: bytes = b"") -> ReplayedStream:
    return ReplayedStream(cast("trio.SocketStream", incoming), first)


async def opened(connections: Connections, *, task_status: trio.TaskStatus[Connection]) -> None:
    with connections.open() as connection:
        task_status.started(connection)
        await trio.sleep_forever()


async def received(stream: ReplayedStream, max_bytes: int | None = None) -> bytes:
    found = b""
    while part := await stream.receive_some(max_bytes):
        found += part
    return found


async def test_what_was_read_before_comes_first() -> None:
    stream = replayed(Incoming(b"the rest"), b"GET /, ")
    assert await stream.receive_some(5) == b"GET /"
    assert await received(stream, 5) == b", the rest"


async def test_short_messages_are_read_into_little_memory() -> None:
    incoming = Incoming(b"x" * 1_000_000)
    stream = replayed(incoming)
    assert len(await received(stream)) == 1_000_000
    incoming.asked.clear()
    for _ in range(3):
        incoming.waiting = b"short"
        assert await stream.receive_some() == b"short"
    assert incoming.asked == [4_096, 4_096, 4_096]


async def test_a_long_message_is_read_in_few_pieces() -> None:
    incoming = Incoming(b"x" * 1_000_000)
    await received(replayed(incoming))
    assert incoming.asked[:5] == [4_096, 16_384, 65_536, 262_144, 262_144]
    assert len(incoming.asked) < 10


async def test_no_more_is_read_than_the_caller_takes() -> None:
    incoming = Incoming(b"x" * 100_000)
    assert await received(replayed(incoming), 10_000) == b"x" * 100_000
    assert max(incoming.asked) == 10_000


async def test_what_may_not_be_received_yet_stays_with_its_sender(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        connection: Connection = await nursery.start(opened, Connections(LIMITS))
        incoming = Incoming(b"x" * 1_000_000)
        stream = ReplayedStream(cast("trio.SocketStream", incoming), b"GET /", connection.may_receive)
        read = b""
        with trio.move_on_after(60):
            while True:
                read += await stream.receive_some()
        assert len(read) < 300_000
        connection.prove()
        read += await received(stream)
        assert len(read) == 1_000_005
        nursery.cancel_scope.cancel()
