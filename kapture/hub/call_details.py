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

_KEPT = 50
_ENTRY_BYTES = 1_000
"""A call without arguments and answer."""


@attrs.frozen(kw_only=True)
class KeptAnswer:
    """What a call answered, its data as JSON, which takes a fraction of what it takes decoded."""

    text: str
    data: bytes
    parts: tuple[Blob, ...]

    def to_wire(self) -> dict[str, Any]:
        """As the panel is sent it."""
        return answer_to_wire(self.text, json.loads(self.data), self.parts)

    @property
    def held_bytes(self) -> int:
        """What it takes in memory."""
        return self.text.__sizeof__() + len(self.data) + sum(len(part.base64) for part in self.parts)


@attrs.frozen(kw_only=True)
class CallDetails:
    """What one call was given, as JSON, and, unless it failed, what it answered."""

    given: bytes
    answer: KeptAnswer | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any], answer: CallResult | None) -> CallDetails:
        """Of a call that has ended."""
        if answer is None:
            return cls(given=_as_json(arguments))
        kept = KeptAnswer(text=answer.text, data=_as_json(answer.data), parts=answer.parts)
        return cls(given=_as_json(arguments), answer=kept)

    @property
    def arguments(self) -> dict[str, Any]:
        """What it was given."""
        arguments: dict[str, Any] = json.loads(self.given)
        return arguments

    @property
    def held_bytes(self) -> int:
        """What it takes in memory, estimated."""
        return _ENTRY_BYTES + len(self.given) + (0 if self.answer is None else self.answer.held_bytes)


class LatestCalls:
    """The details of the latest calls on a tab, by the name of the call; a holder (`kapture.page.tab_memory`)."""

    def __init__(self) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self._kept: OrderedDict[str, CallDetails] = OrderedDict()

    def add(self, call: str, details: CallDetails) -> None:
        """A call has ended; the oldest make room for it."""
        self._kept[call] = details
        self.held_bytes += details.held_bytes
        while len(self._kept) > _KEPT:
            self.drop_oldest()
        self.on_grown()

    def get(self, call: str) -> CallDetails | None:
        """The details of a call, while they are kept."""
        return self._kept.get(call)

    def drop_oldest(self) -> None:
        """Forget the call that ended first."""
        self.held_bytes -= self._kept.popitem(last=False)[1].held_bytes


def answer_to_wire(text: str, data: Any, parts: tuple[Blob, ...]) -> dict[str, Any]:
    """An answer as a panel is sent it."""
    blobs = [{"base64": part.base64, "mimeType": part.mime_type, "name": part.name} for part in parts]
    return {"text": text, "data": data, "parts": blobs}


def _as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can carry only as an escape
        return json.dumps(msgspec.to_builtins(value)).encode()
