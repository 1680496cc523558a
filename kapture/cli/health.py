"""Asking a port whether a Kapture hub answers on it."""

from __future__ import annotations

import json

import trio

_PROBE_S = 2


async def hub_on(port: int) -> str | None:
    """The version of the Kapture hub that answers on this port; None if what answers is none.

    This is not verified: a caller that trusts the hub asks for its proof.
    """
    received = b""
    with trio.move_on_after(_PROBE_S):
        try:
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
                await stream.send_all(request.encode())
                while len(received) < 65_536 and (data := await stream.receive_some(65_536)):
                    received += data
        except (OSError, trio.BrokenResourceError):
            return None
    head, _, body = received.partition(b"\r\n\r\n")
    try:
        health = json.loads(body)
    except ValueError:
        return None
    version = health.get("kapture") if isinstance(health, dict) and head.startswith(b"HTTP/1.1 200") else None
    return version if isinstance(version, str) else None
