"""One tool call over a link to the hub, without the MCP SDK: for the command line.

It speaks 2026-07-28, in which a request stands alone: there is no handshake to wait for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from kapture import __version__
from kapture.client.connection import Link, LinkClosedError
from kapture.errors import ErrorCode, KaptureError

_META = "io.modelcontextprotocol/"
_VERSION = "2026-07-28"

OnProgress = Callable[[float, float | None, str], None]


async def call_tool(
    link: Link, name: str, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
) -> dict[str, Any]:
    """The result of `tools/call` as it comes; `KaptureError` when the hub has none to give."""
    meta: dict[str, Any] = {
        f"{_META}protocolVersion": _VERSION,
        f"{_META}clientInfo": {"name": "kapture call", "version": __version__},
        f"{_META}clientCapabilities": {},
    }
    if on_progress is not None:
        meta["progressToken"] = 1
    params = {"name": name, "arguments": dict(arguments), "_meta": meta}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    try:
        await link.send(msgspec.json.encode(request))
        while True:
            message = msgspec.json.decode(await link.receive())
            if message.get("method") == "notifications/progress" and on_progress is not None:
                news = message["params"]
                on_progress(news["progress"], news.get("total"), news.get("message", ""))
            elif message.get("id") == 1 and "method" not in message:
                break
    except LinkClosedError as error:
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            "The hub went away during the call: it may or may not have taken effect.",
            hint="Look at the page before you try again.",
        ) from error
    if "error" in message:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, str(message["error"].get("message", "The hub refused the call.")))
    result: dict[str, Any] = message["result"]
    return result
