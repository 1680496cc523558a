"""Text frames to messages and back, with errors that say what is wrong with a frame."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.wire.messages import Event, FromHub, FromTab

T = TypeVar("T")

MAX_MESSAGE_BYTES = 64 * 2**20


class Reason(StrEnum):
    """Defects of a frame, in the error's `data.reason`."""

    BINARY = "binary"
    OVERSIZED = "oversized"
    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_TYPE = "unknown_type"
    MALFORMED = "malformed"
    OUT_OF_ORDER = "out_of_order"


class _Envelope(msgspec.Struct):
    type: str | None = None
    id: Any = None


_from_tab: msgspec.json.Decoder[FromTab] = msgspec.json.Decoder(FromTab)
_from_hub: msgspec.json.Decoder[FromHub] = msgspec.json.Decoder(FromHub)
_envelope = msgspec.json.Decoder(_Envelope)
_encoder = msgspec.json.Encoder()

_TYPES = {
    "tab": (
        *("proof", "authenticate", "register", "response", "event", "ping", "pong", "invoke", "cancel", "approval"),
        *("list_commands", "get_call", "cdp_answers", "register_browser", "tab_request_answer"),
        "standing_grants",
    ),
    "hub": (
        *("challenge", "proof", "registered", "refused", "command", "cancel", "ping", "pong", "result"),
        *("activity", "approve", "approve_end", "browser_registered", "tab_request", "tab_request_end", "error"),
        *("progress", "recording", "clients", "standing_revoke"),
    ),
}


_LOW = r"u[dD][c-fC-F][0-9a-fA-F]{2}"
_HIGH = r"u[dD][89abAB][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\(?:{_HIGH}\\{_LOW}|(?P<lone>{_HIGH}|{_LOW})|.)", re.DOTALL)
_ID = re.compile(r'"id"\s*:\s*"([A-Za-z0-9._:\-]{1,128})"')


def decode_from_tab(frame: str | bytes, *, max_bytes: int = MAX_MESSAGE_BYTES) -> FromTab:
    """Decode a message that a tab sent; `PROTOCOL_ERROR` with a `Reason` in `data.reason` if it is invalid.

    `data.id` is set when the invalid message names the command that it belongs to.
    """
    message: FromTab = _decode(_from_tab, frame, "tab", max_bytes)
    if isinstance(message, Event):
        _check_event(message)
    return message


def decode_from_hub(frame: str | bytes, *, max_bytes: int = MAX_MESSAGE_BYTES) -> FromHub:
    """Decode a message that the hub sent; `PROTOCOL_ERROR` with a `Reason` in `data.reason` if it is invalid."""
    message: FromHub = _decode(_from_hub, frame, "hub", max_bytes)
    return message


def encode(message: FromTab | FromHub) -> str:
    """The message as one text frame."""
    try:
        return _encoder.encode(message).decode()
    except UnicodeEncodeError:
        # A page or a client sent a lone surrogate, which JSON can carry only as an escape.
        builtins = msgspec.to_builtins(message)
        return json.dumps(builtins, separators=(",", ":"))


def decode_json(text: str | bytes, into: Any = Any) -> Any:
    """Decode JSON from a page into a type, with U+FFFD for each unpaired surrogate.

    `msgspec.ValidationError` if it does not fit the type, `msgspec.DecodeError` if it is not JSON, and
    `RecursionError` if it is nested too deeply.
    """
    return _mending(lambda frame: msgspec.json.decode(frame, type=into), text)


def decode_with(decoder: msgspec.json.Decoder[T], text: str | bytes) -> T:
    """`decode_json` into the decoder's type."""
    return _mending(decoder.decode, text)


def _mending(decode: Callable[[str | bytes], T], text: str | bytes) -> T:
    try:
        return decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        whole = text.decode(errors="replace") if isinstance(text, bytes) else text
        mended = without_lone_surrogates(whole)
        if mended == whole:
            raise
        return decode(mended)


def without_lone_surrogates(text: str) -> str:
    r"""The same JSON with U+FFFD for each unpaired `\ud800`: pages and clients send it, msgspec refuses it."""
    return _ESCAPE.sub(_paired, text) if "\\u" in text else text


def _paired(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]


def protocol_error(reason: Reason, message: str, message_id: str | None = None) -> KaptureError:
    """The error for an invalid frame."""
    data = {"reason": reason.value} | ({"id": message_id} if message_id else {})
    hint = "docs/PROTOCOL.md lists every message."
    return KaptureError(ErrorCode.PROTOCOL_ERROR, message, hint=hint, data=data)


def _decode(decoder: msgspec.json.Decoder[Any], frame: str | bytes, sender: str, max_bytes: int) -> Any:
    if isinstance(frame, bytes):
        raise protocol_error(Reason.BINARY, f"Received a binary frame of {len(frame)} bytes; messages are JSON text.")
    if len(frame) > max_bytes:
        raise protocol_error(
            Reason.OVERSIZED, f"Received a message of {len(frame)} characters; the limit is {max_bytes} bytes."
        )
    try:
        return decoder.decode(frame)
    except msgspec.ValidationError as error:
        raise _explain(frame, sender, str(error)) from error
    except RecursionError as error:
        found = _ID.search(frame, 0, 400) or _ID.search(frame, max(0, len(frame) - 400))
        raise protocol_error(Reason.MALFORMED, "A message is nested too deeply.", found and found[1]) from error
    except msgspec.DecodeError as error:
        mended = without_lone_surrogates(frame)
        if mended == frame:
            raise protocol_error(Reason.NOT_JSON, f"A message is not JSON: {error}.") from error
        return _decode(decoder, mended, sender, max_bytes)


def _explain(frame: str, sender: str, why: str) -> KaptureError:
    try:
        envelope = _envelope.decode(frame)
    except msgspec.ValidationError:
        if frame.lstrip(" \t\r\n")[:1] != "{":
            return protocol_error(Reason.NOT_AN_OBJECT, "A message is JSON but not an object.")
        return protocol_error(Reason.MALFORMED, "A message's `type` is not a string.")
    except msgspec.DecodeError as error:  # invalid fields would have been reported as such before
        return protocol_error(Reason.NOT_JSON, f"A message is not JSON: {error}.")
    except RecursionError:
        return protocol_error(Reason.MALFORMED, "A message is nested too deeply.")
    kind = envelope.type
    named = envelope.id if isinstance(envelope.id, str) and len(envelope.id) <= 128 else None
    if kind is None:
        return protocol_error(Reason.MALFORMED, "A message has no `type`.", named)
    if kind not in _TYPES[sender]:
        return protocol_error(Reason.UNKNOWN_TYPE, f"No {sender} sends a message of type {kind[:60]!r}.", named)
    return protocol_error(Reason.MALFORMED, f"A `{kind}` message is not well formed: {why}.", named)


def _check_event(event: Event) -> None:
    missing = (
        (event.event == "cdp" and not event.method and "method")
        or (event.event == "tab" and event.url is None and event.title is None and "url")
        or (event.event == "grant" and event.grant is msgspec.UNSET and "grant")
    )
    if missing:
        raise protocol_error(Reason.MALFORMED, f"A `{event.event}` event is not well formed: it has no `{missing}`.")
