"""Errors in a client's first request, which must begin a handshake or stand alone.

The SDK would refuse it as well, but only with "Invalid request parameters".
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from kapture.mcp.session_without_sdk import Message

_VERSION = "io.modelcontextprotocol/protocolVersion"  # in `_meta` of every request of 2026-07-28
_INVALID_REQUEST = -32600
_INVALID_PARAMS = -32602


class _Params(msgspec.Struct):
    meta: dict[str, Any] = msgspec.field(default_factory=dict, name="_meta")


_PARAMS = msgspec.json.Decoder(_Params)


def refusal(message: Message) -> dict[str, Any] | None:
    """The error for this first message, which is no valid `initialize`; None if the SDK is to answer it."""
    if message.id is UNSET or message.method is UNSET or message.method == "ping":
        return None
    if message.method == "initialize":
        problem = "initialize needs protocolVersion (a string), capabilities (an object), clientInfo (name, version)."
        return {"code": _INVALID_PARAMS, "message": problem}
    try:
        if _VERSION in _PARAMS.decode(message.params).meta:
            return None
    except (msgspec.MsgspecError, RecursionError):
        pass  # not the parameters of 2026-07-28 either
    problem = f"{message.method} came before initialize, and its _meta has no {_VERSION}. Begin with initialize."
    return {"code": _INVALID_REQUEST, "message": problem}
