"""The opening handshake, with trio-websocket at the client's end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected, open_websocket_url

from kapture.eager_stream import WholeStream
from kapture.websocket import WebSocketRequest, read_request

UPGRADE = b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
Serve = Callable[[WebSocketRequest | None], Awaitable[None]]


@asynccontextmanager
async def serving(serve: Serve) -> AsyncIterator[int]:
    """The port of a server that serves each request in this way."""
    async with trio.open_nursery() as nursery:

        async def one(stream: trio.SocketStream) -> None:
            async with stream:
                await serve(await read_request(WholeStream(stream), 1_000))

        listeners = await nursery.start(trio.serve_tcp, one, 0)
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


async def test_an_accepted_request_has_its_headers_path_and_subprotocols() -> None:
    async def serve(request: WebSocketRequest | None) -> None:
        assert request is not None
        assert request.path == "/a?b=c"
        assert dict(request.headers)[b"x-one"] == b"1"
        assert request.proposed_subprotocols == ("mcp", "other")
        socket = await request.accept(subprotocol="mcp", extra_headers=[(b"X-Two", b"2")])
        for _ in range(2):
            await socket.send_message(await socket.get_message())
        with pytest.raises(ConnectionClosed):
            await socket.get_message()

    async with (
        serving(serve) as port,
        open_websocket_url(
            f"ws://127.0.0.1:{port}/a?b=c", subprotocols=["mcp", "other"], extra_headers=[(b"X-One", b"1")]
        ) as client,
    ):
        assert client.subprotocol == "mcp"
        assert dict(client.handshake_headers)[b"x-two"] == b"2"
        for message in ("text", b"bytes"):
            await client.send_message(message)
            assert await client.get_message() == message


@pytest.mark.parametrize("body", [b"", b"Not here.\n"])
async def test_a_rejected_request_gets_status_headers_and_body(body: bytes) -> None:
    async def serve(request: WebSocketRequest | None) -> None:
        assert request is not None
        await request.reject(404, extra_headers=[(b"X-Two", b"2")], body=body)

    async with serving(serve) as port:
        with pytest.raises(ConnectionRejected) as rejected:
            async with open_websocket_url(f"ws://127.0.0.1:{port}/"):
                raise AssertionError
    assert rejected.value.status_code == 404
    assert dict(rejected.value.headers)[b"x-two"] == b"2"
    assert (rejected.value.body or b"") == body


@pytest.mark.parametrize(
    ("head", "answer"),
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"HTTP/1.1 400 ", id="no upgrade"),
        pytest.param(b"\0\r\n\r\n", b"HTTP/1.1 400 ", id="no HTTP"),
        pytest.param(b"GET / HT", b"", id="left in the middle"),
        pytest.param(
            UPGRADE + b"Connection: Upgrade\r\nSec-WebSocket-Protocol: \xff\r\n\r\n", b"HTTP/1.1 400 ", id="subprotocol"
        ),
        pytest.param(
            UPGRADE + b"Connection: Upgrade\r\nSec-WebSocket-Extensions: \xff\r\n\r\n", b"HTTP/1.1 400 ", id="extension"
        ),
        pytest.param(UPGRADE + b"Connection: \xff\r\n\r\n", b"HTTP/1.1 400 ", id="connection"),
    ],
)
async def test_what_is_no_request_is_refused(head: bytes, answer: bytes) -> None:
    async def serve(request: WebSocketRequest | None) -> None:
        assert request is None

    async with serving(serve) as port, await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(head)
        await stream.send_eof()
        assert (await stream.receive_some()).startswith(answer)
