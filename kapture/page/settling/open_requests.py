"""The requests of an action that the page may need before it shows the effect, until they end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.page.network.kept_requests import Key
from kapture.page.network.short_answers import is_short

UNREAD_BOUND_S = 0.1
"""How long a request whose answer has come is still waited for, in case the page does not read it."""


class OpenRequests:
    """Requests that have begun, with the time at which their answer came whole; None if it has not.

    Times are in seconds of one clock."""

    def __init__(self) -> None:
        self._open: dict[Key, float | None] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def begin(self, key: Key) -> bool:
        """Note that one has begun. Returns whether it was not open, as it is after a redirect."""
        known = key in self._open
        self._open[key] = None
        return not known

    def answer(self, key: Key, response: Mapping[str, Any], now: float) -> None:
        """Note the response to one, as the browser describes it."""
        if "text/event-stream" in response.get("mimeType", ""):
            self.end(key)
        elif key in self._open and is_short(response.get("headers", {})):
            self._open[key] = now

    def end(self, key: Key) -> None:
        """Note the end of one."""
        self._open.pop(key, None)

    def clear(self) -> None:
        """Note that none of them will end: the page has crashed."""
        self._open.clear()

    def until(self, limit: float) -> float:
        """When the rest need not be waited for any longer: not after `limit`."""
        answered = [at for at in self._open.values() if at is not None]
        if len(answered) < len(self._open):
            return limit
        return min(limit, max(answered, default=limit) + UNREAD_BOUND_S)

    def unanswered(self) -> frozenset[Key]:
        """Those without a whole answer."""
        return frozenset(key for key, at in self._open.items() if at is None)
