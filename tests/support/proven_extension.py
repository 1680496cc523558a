"""The socket of an extension, without an extension: it holds the key and proves it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from trio_websocket import WebSocketConnection, open_websocket_url

from kapture.pairing import TabProof, key_file
from kapture.pairing.proof import decode


@asynccontextmanager
async def proven_extension(home: Path) -> AsyncIterator[WebSocketConnection]:
    """Connected to the hub with this data folder; not registered yet."""
    known = key_file.read(home)
    key = decode(known.key)
    assert key is not None
    async with open_websocket_url(f"ws://127.0.0.1:{known.port}/") as socket:
        proof = TabProof(key)
        nonce, mac = proof.answer(json.loads(await socket.get_message())["nonce"])
        await socket.send_message(json.dumps({"type": "proof", "nonce": nonce, "mac": mac}))
        proof.verify(json.loads(await socket.get_message())["mac"])
        yield socket
