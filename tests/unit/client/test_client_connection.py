"""What a client gets of the hub while it connects: whether it is let in, and what was sent at once."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request, TextMessage

from kapture.client.connection import ConnectionClosedError, connect
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import Pairing
from kapture.server.connections import TooManyConnectionsError
from tests.support.fake_hub import FakeHub
from tests.support.fake_hub_port import listening


async def test_a_client_without_room_is_told_so_and_starts_no_hub_of_its_own(tmp_path: Path, hub: FakeHub) -> None:
    def full() -> None:
        raise TooManyConnectionsError(ErrorCode.QUEUE_FULL, "The hub has 2 connections.")

    async with listening(hub, tmp_path, on_authenticated=full):
        with pytest.raises(KaptureError, match="The hub has 2 connections") as failure:
            await connect(tmp_path)
        assert failure.value.code is ErrorCode.QUEUE_FULL


async def test_what_comes_together_with_the_end_of_the_handshake_is_received(
    tmp_path: Path, nursery: trio.Nursery
) -> None:
    pairing = Pairing(tmp_path)

    async def serve(stream: trio.SocketStream) -> None:
        socket = WSConnection(ConnectionType.SERVER)
        while True:
            socket.receive_data(await stream.receive_some() or None)
            for event in socket.events():
                if isinstance(event, Request):
                    nonce = dict(event.extra_headers)[b"kapture-nonce"].decode()
                    proof = [(b"Kapture-Proof", pairing.client_proof(nonce).encode())]
                    await stream.send_all(socket.send(AcceptConnection(subprotocol="mcp", extra_headers=proof)))
                elif isinstance(event, TextMessage):
                    sent = [TextMessage('{"type":"authenticated"}'), TextMessage("at once"), CloseConnection(1000)]
                    await stream.send_all(b"".join(socket.send(each) for each in sent))
                    await stream.receive_some()  # the client closes too
                    return

    async def serve_and_close(stream: trio.SocketStream) -> None:
        async with stream:
            await serve(stream)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, serve_and_close, listeners)
    pairing.write_key_file(listeners[0].socket.getsockname()[1])
    connection = await connect(tmp_path)
    with trio.fail_after(30):
        assert await connection.receive() == b"at once"
        with pytest.raises(ConnectionClosedError):
            await connection.receive()
    await connection.aclose()
    nursery.cancel_scope.cancel()
