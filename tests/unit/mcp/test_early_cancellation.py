"""A call that its client cancels before its task has begun."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import trio

from kapture.mcp.session_without_sdk import SessionWithoutSdk, read_handshake, read_message

OPENING = {
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}},
}
CALL = {"id": 2, "method": "tools/call", "params": {"name": "kapturemcp_snapshot", "arguments": {}}}
CANCELLED = {"method": "notifications/cancelled", "params": {"requestId": 2}}


async def test_a_call_that_the_next_message_cancels_is_never_begun() -> None:
    happened: list[Any] = []

    async def note(one: Any) -> None:
        happened.append(one)

    clients = SimpleNamespace(get=lambda _info: None)
    state: Any = SimpleNamespace(clients=clients, tool_calls=SimpleNamespace(answer=note))
    opening = read_message(json.dumps({"jsonrpc": "2.0", **OPENING}))
    assert opening is not None
    handshake = read_handshake(opening)
    assert handshake is not None
    async with trio.open_nursery() as nursery:
        session = SessionWithoutSdk(state, handshake, note, nursery)
        for frame in (json.dumps({"jsonrpc": "2.0", **one}) for one in (CALL, CANCELLED)):
            message = read_message(frame)
            assert message is not None
            assert await session.take(message, frame)
    assert happened == []
