"""An open WebSocket: messages, pings and closing, with trio-websocket at the other end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
import trio
import trio_websocket
from trio_websocket import ConnectionClosed, open_websocket_url

from kapture.server.request_head import RequestHeadReader
from kapture.websocket.connection import WebSocketConnection
from kapture.websocket.frames import TEXT, FrameReader, write_frame
from kapture.websocket.request import read_request

LARGE = "x" * 16_000_000  # more than the system buffers
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
Serve = Callable[[WebSocketConnection], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve, *, limit: int = 2**26) -> AsyncIterator[str]:
    async def one(stream: trio.SocketStream) -> None:
        async with stream:
            reader = RequestHeadReader(16_384)
            while reader.feed(bytes(await stream.receive_some())) is None:
                pass
            request = await read_request(stream, reader.head, reader.rest, max_message_bytes=limit)
            assert request is not None
            await serve(await request.accept())

    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, one, listeners)
            yield f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}/"
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def both_ends() -> AsyncIterator[tuple[WebSocketConnection, trio_websocket.WebSocketConnection]]:
    """The server's and the client's end; the client reads only when asked to."""
    given: list[WebSocketConnection] = []
    ready = trio.Event()

    async def serve(socket: WebSocketConnection) -> None:
        given.append(socket)
        ready.set()
        await trio.sleep_forever()

    async with (
        serving(serve) as url,
        trio.open_nursery() as nursery,
        open_websocket_url(url, max_message_size=2**26, message_queue_size=0) as client,
    ):
        await ready.wait()
        yield given[0], client
        nursery.start_soon(read_on, given[0])  # or the client would wait for the answer to its close frame


@asynccontextmanager
async def raw_client() -> AsyncIterator[tuple[WebSocketConnection, trio.SocketStream]]:
    """The server's end, and a client's stream on which no frame has been sent yet."""
    given: list[WebSocketConnection] = []
    ready = trio.Event()

    async def serve(socket: WebSocketConnection) -> None:
        given.append(socket)
        ready.set()
        await trio.sleep_forever()

    async with serving(serve) as url:
        port = int(url.rstrip("/").rpartition(":")[2])
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            await stream.send_all(UPGRADE)
            await ready.wait()
            yield given[0], stream


async def read_on(socket: WebSocketConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await socket.get_message()


async def echo(socket: WebSocketConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await socket.send_message(await socket.get_message())


async def send_on(client: trio_websocket.WebSocketConnection, message: str) -> None:
    with suppress(ConnectionClosed):
        while True:
            await client.send_message(message)


async def code_of(socket: WebSocketConnection | trio_websocket.WebSocketConnection) -> int:
    with pytest.raises(ConnectionClosed) as closed:
        await socket.get_message()
    assert closed.value.reason is not None
    return int(closed.value.reason.code)


async def test_messages_of_every_kind_and_size_pass() -> None:
    async with serving(echo) as url, open_websocket_url(url, max_message_size=2**26) as client:
        for message in ("", "é", b"", b"\xff", "a" * 126, "b" * 65_536, LARGE):
            await client.send_message(message)
            assert await client.get_message() == message


async def test_pings_are_answered_in_both_directions() -> None:
    async with both_ends() as (server, client), trio.open_nursery() as nursery:
        nursery.start_soon(server.get_message)
        await client.ping()
        await server.ping()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("code", [1000, 4001])
async def test_the_code_with_which_the_client_closes_is_reported(code: int) -> None:
    async with both_ends() as (server, client), trio.open_nursery() as nursery:
        nursery.start_soon(client.aclose, code, "so it is")
        with pytest.raises(ConnectionClosed) as closed:
            await server.get_message()
        assert closed.value.reason is not None
        assert (closed.value.reason.code, closed.value.reason.reason) == (code, "so it is")
        with pytest.raises(ConnectionClosed):
            await server.send_message("late")


async def test_a_client_that_still_sends_learns_why_it_was_closed() -> None:
    async with both_ends() as (server, client), trio.open_nursery() as nursery:
        nursery.start_soon(send_on, client, "x" * 100_000)
        assert await server.get_message()
        await server.aclose(1008, "no more of this")
        assert await code_of(client) == 1008


async def test_a_message_that_is_too_large_is_refused_before_it_has_come() -> None:
    async def serve(socket: WebSocketConnection) -> None:
        assert await code_of(socket) == 1009

    async with serving(serve, limit=1_000) as url, open_websocket_url(url) as client, trio.open_nursery() as nursery:
        nursery.start_soon(send_on, client, "x" * 1_001)
        assert await code_of(client) == 1009


async def test_text_that_is_not_utf8_closes_the_socket() -> None:
    async with raw_client() as (server, client), trio.open_nursery() as nursery:
        await client.send_all(write_frame(TEXT, b"\xff", key=bytes(4)))
        nursery.start_soon(code_of, server)
        received = b""
        while data := await client.receive_some():
            received += data
        assert (1007).to_bytes(2, "big") in received.partition(b"\r\n\r\n")[2]
        await client.aclose()


async def test_a_connection_that_ends_without_a_close_frame_is_reported_as_such() -> None:
    async with raw_client() as (server, client):
        await client.aclose()
        assert await code_of(server) == 1006


async def test_closing_ends_a_wait_for_messages() -> None:
    async with both_ends() as (server, client), trio.open_nursery() as nursery:
        nursery.start_soon(code_of, server)
        await trio.testing.wait_all_tasks_blocked()
        await server.aclose()
        assert await code_of(client) == 1000


async def test_a_cancelled_sender_leaves_no_half_message() -> None:
    async with raw_client() as (server, client):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.send_message, LARGE)
            await trio.testing.wait_all_tasks_blocked()  # the client does not read
            nursery.cancel_scope.cancel()
        frames = FrameReader(masked=False, max_message_bytes=2**26)
        received = bytearray()
        while b"\r\n\r\n" not in received:
            received += await client.receive_some()
        frames.feed(received.partition(b"\r\n\r\n")[2])
        found: list[tuple[int, bytes]] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.send_message, "next")
            while len(found) < 2:
                if (frame := frames.next()) is not None:
                    found.append(frame)
                else:
                    frames.feed(await client.receive_some())
    assert found == [(TEXT, LARGE.encode()), (TEXT, b"next")]


async def test_messages_of_several_senders_are_not_mixed() -> None:
    async with both_ends() as (server, client), trio.open_nursery() as nursery:
        for letter in "abc":
            nursery.start_soon(server.send_message, letter * 3_000_000)
        found = {await client.get_message() for _ in range(3)}
    assert found == {letter * 3_000_000 for letter in "abc"}


async def test_a_flood_of_messages_lets_other_tasks_run() -> None:
    async with raw_client() as (server, client):
        await client.send_all(write_frame(TEXT, b"m", key=bytes(4)) * 1_000)
        assert await server.get_message() == "m"
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(count)
            for _ in range(500):
                await server.get_message()
            nursery.cancel_scope.cancel()
    assert turns >= 400
