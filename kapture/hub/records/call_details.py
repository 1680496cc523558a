"""Arguments and answers of the latest calls on a tab, for its panel: in memory only, and bounded."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import msgspec

from kapture.commands.core.answer import Blob
from kapture.commands.core.result import CallResult
from kapture.errors import KaptureError

_KEPT = 50
_ENTRY_BYTES = 1_000
"""A call without arguments and answer."""


@attrs.frozen(kw_only=True)
class KeptAnswer:
    """The answer of a call, its data as JSON, which takes a fraction of the memory of the decoded data."""

    text: str
    data: bytes
    parts: tuple[Blob, ...]

    def to_wire(self) -> dict[str, Any]:
        """The message for the panel."""
        return answer_to_wire(self.text, json.loads(self.data), self.parts)

    @property
    def held_bytes(self) -> int:
        """Its size in memory, in bytes."""
        return self.text.__sizeof__() + len(self.data) + sum(len(part.base64) for part in self.parts)


@attrs.frozen(kw_only=True)
class CallDetails:
    """The arguments of one call, as JSON, and its answer, or else its error, as JSON.

    A cancelled call has neither, nor has one that was given a secret.
    """

    given: bytes
    answer: KeptAnswer | None = None
    failure: bytes | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any], answer: CallResult | KaptureError | None) -> CallDetails:
        """The details of a call that has ended."""
        if answer is None:
            return cls(given=_as_json(arguments))
        if isinstance(answer, KaptureError):
            return cls(given=_as_json(arguments), failure=_error_as_json(answer))
        kept = KeptAnswer(text=answer.text, data=_as_json(answer.data), parts=answer.parts)
        return cls(given=_as_json(arguments), answer=kept)

    @property
    def arguments(self) -> dict[str, Any]:
        """The call's arguments, decoded."""
        arguments: dict[str, Any] = json.loads(self.given)
        return arguments

    @property
    def error(self) -> dict[str, Any] | None:
        """The error of a call that failed, as the panel gets it."""
        error: dict[str, Any] | None = json.loads(self.failure) if self.failure is not None else None
        return error

    @property
    def held_bytes(self) -> int:
        """Its size in memory, in bytes, estimated."""
        answer_bytes = 0 if self.answer is None else self.answer.held_bytes
        return _ENTRY_BYTES + len(self.given) + answer_bytes + len(self.failure or b"")


class LatestCalls:
    """The details of the latest calls on a tab, by call name; a holder of memory (`kapture.page.tab_memory`)."""

    def __init__(self) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self._kept: OrderedDict[str, CallDetails] = OrderedDict()

    def add(self, call: str, details: CallDetails) -> None:
        """Keep the details of a call that has ended; drops the oldest for it."""
        self._kept[call] = details
        self.held_bytes += details.held_bytes
        while len(self._kept) > _KEPT:
            self.drop_oldest()
        self.on_grown()

    def get(self, call: str) -> CallDetails | None:
        """The details of a call; None when they are not kept any more."""
        return self._kept.get(call)

    def drop_oldest(self) -> None:
        """Forget the call that ended first."""
        self.held_bytes -= self._kept.popitem(last=False)[1].held_bytes


def answer_to_wire(text: str, data: Any, parts: tuple[Blob, ...]) -> dict[str, Any]:
    """The message that carries an answer to a panel."""
    blobs = [{"base64": part.base64, "mimeType": part.mime_type, "name": part.name} for part in parts]
    return {"text": text, "data": data, "parts": blobs}


def _as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can carry only as an escape
        return json.dumps(msgspec.to_builtins(value)).encode()


def _error_as_json(error: KaptureError) -> bytes:
    kept = {"code": error.code.value, "message": error.message, "hint": error.hint, "data": error.data or None}
    return json.dumps(kept, default=str).encode()
