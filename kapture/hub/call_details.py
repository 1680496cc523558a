"""Arguments and answers of the latest calls on tabs, for the panels of those tabs: in memory only, and bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import attrs

from kapture.commands.core.result import CallResult

_KEPT = 200
_MAX_CHARACTERS = 16 * 2**20  # of all answers together


@attrs.frozen
class CallDetails:
    """What one call was given and, unless it failed, what it answered."""

    tab_id: str
    arguments: Mapping[str, Any]
    answer: CallResult | None

    @property
    def size(self) -> int:
        """Characters of the answer. Its data says the same as its text."""
        if self.answer is None:
            return 0
        return 2 * len(self.answer.text) + sum(len(part.base64) for part in self.answer.parts)


class LatestCalls:
    """The details of the latest calls, by the name of the call."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, CallDetails] = OrderedDict()
        self._size = 0

    def add(self, call: str, details: CallDetails) -> None:
        """A call has ended; the oldest make room for it."""
        if details.size > _MAX_CHARACTERS:
            details = attrs.evolve(details, answer=None)
        self._kept[call] = details
        self._size += details.size
        while len(self._kept) > _KEPT or self._size > _MAX_CHARACTERS:
            self._size -= self._kept.popitem(last=False)[1].size

    def get(self, call: str, tab_id: str) -> CallDetails | None:
        """The details of a call on this tab, while they are kept."""
        details = self._kept.get(call)
        return details if details is not None and details.tab_id == tab_id else None
