"""Partial decoding of the JSON-RPC messages that the bridge forwards: only what it needs, to be fast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

PARSE_ERROR = -32700
HUB_UNREACHABLE = -32000

Id = int | str


class MessageHead(msgspec.Struct):
    """A message's id and method. A request has both, a notification no id, a response no method."""

    id: Id | UnsetType | None = UNSET
    method: str | UnsetType = UNSET

    @property
    def request_id(self) -> Id | None:
        """The id of a request; None for anything else."""
        return self.id if isinstance(self.id, Id) and self.method is not UNSET else None

    @property
    def answer_id(self) -> Id | None:
        """The id of the request that this responds to; None for anything else."""
        return self.id if isinstance(self.id, Id) and self.method is UNSET else None


class Subject(msgspec.Struct):
    """Parameters that identify what a notification or a subscription is about."""

    uri: str | UnsetType = UNSET
    requestId: Id | UnsetType = UNSET  # noqa: N815  as the protocol spells it


class _Params(msgspec.Struct):
    params: Subject | UnsetType = UNSET


_HEAD = msgspec.json.Decoder(MessageHead)
_PARAMS = msgspec.json.Decoder(_Params)


def read_head(message: bytes) -> MessageHead:
    """The head of a message; empty for an invalid message, which the hub answers with an error."""
    try:
        return _HEAD.decode(message)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return MessageHead()


def read_subject(message: bytes) -> Subject:
    """Return the subject of a message; empty if its parameters name none."""
    try:
        params = _PARAMS.decode(message).params
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Subject()
    return params if isinstance(params, Subject) else Subject()


def encode(**message: Any) -> bytes:
    """Encode a message."""
    return msgspec.json.encode({"jsonrpc": "2.0", **message})


def error_answer(request: Id | None, code: int, message: str, data: Mapping[str, Any] | None = None) -> bytes:
    """An error response."""
    return encode(id=request, error={"code": code, "message": message, **({"data": data} if data else {})})
