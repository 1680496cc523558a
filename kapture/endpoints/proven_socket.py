"""Accepting a program's socket with the hub's proof, if the program has asked for it."""

from __future__ import annotations

from trio_websocket import WebSocketConnection, WebSocketRequest

from kapture.errors import Unauthorized
from kapture.hub import Hub


async def accept_with_proof(request: WebSocketRequest, hub: Hub) -> WebSocketConnection | None:
    """Accept the socket; None if the request's nonce is invalid, in which case the request has been refused."""
    headers = []
    if (nonce := dict(request.headers).get(b"kapture-nonce")) is not None:
        try:
            proof = hub.state.pairing.client_proof(nonce.decode("ascii", "replace"))
        except Unauthorized as error:
            await request.reject(400, body=error.message.encode())
            return None
        headers.append((b"Kapture-Proof", proof.encode("ascii")))
    return await request.accept(extra_headers=headers)
