"""The tabs of a browser behind a relay, and their ids, which are kept when the extension reconnects."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import attrs

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_MAX_AWAY = 64


@attrs.frozen
class RelayTabInfo:
    """One tab as the extension lists it. `chrome_id` is the browser's number for it."""

    chrome_id: int
    url: str
    title: str


def read_tabs(rows: Any) -> list[RelayTabInfo]:
    """The tabs in an answer: a list, or an object with one under `tabs`. Rows without a number are left out."""
    if isinstance(rows, dict):
        rows = rows.get("tabs")
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        number = row.get("tabId", row.get("id"))
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**53:
            found.append(RelayTabInfo(number, str(row.get("url") or ""), str(row.get("title") or "")))
    return found


class RelayTabs:
    """The ids of one relay browser's tabs: the browser's number, and a word that is unique to this browser.

    `owner` is the secret by which only the same browser may use these ids. `let_go`: tabs that are to be left alone.
    """

    def __init__(self) -> None:
        self.let_go: set[int] = set()
        self.owner = secrets.token_hex(16)
        self.in_use = False
        self._word = "".join(secrets.choice(_LETTERS) for _ in range(4))
        self._seen: frozenset[tuple[int, str]] = frozenset()

    def of(self, info: RelayTabInfo) -> str:
        """The tabId of a tab."""
        return f"{info.chrome_id}.{self._word}"

    def recognise(self, tabs: Sequence[RelayTabInfo]) -> None:
        """Remember the browser's tabs, to recognise it by them later."""
        self._seen = frozenset((tab.chrome_id, tab.url) for tab in tabs)

    def likeness(self, tabs: Sequence[RelayTabInfo]) -> int:
        """How many of these tabs the browser had when it was last connected, with the same number and address."""
        return len(self._seen & {(tab.chrome_id, tab.url) for tab in tabs})


class KnownRelays:
    """Relay browsers that are or were connected: an extension whose worker was restarted is recognised by its tabs. Of
    those that are away, the latest are remembered."""

    def __init__(self) -> None:
        self._known: list[RelayTabs] = []

    def find(self, tabs: Sequence[RelayTabInfo]) -> RelayTabs:
        """The browser with these tabs, if it was connected before and is not connected now; else a new one."""
        away = [known for known in self._known if not known.in_use and known.likeness(tabs)]
        if away:
            return max(away, key=lambda known: known.likeness(tabs))
        forgotten = [known for known in self._known if not known.in_use][:-_MAX_AWAY]
        self._known = [known for known in self._known if known not in forgotten]
        self._known.append(RelayTabs())
        return self._known[-1]
