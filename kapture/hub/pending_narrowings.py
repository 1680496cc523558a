"""Grants of extension tabs of which a part was taken away, while the extension has not confirmed it.

The extension keeps the grants of its tabs and reports them. When its socket is lost before it has heard of a narrower
grant, it would report the wider one: until the tab reports no more than was left, no more is allowed.
"""

from __future__ import annotations

from kapture.policy import Grant

MOST_KEPT = 10_000
"""Tabs; the earliest is then forgotten."""


class PendingNarrowings:
    """What is left of tabs' grants, by tab id, until it is confirmed."""

    def __init__(self) -> None:
        self._left: dict[str, Grant] = {}

    def add(self, tab_id: str, left: Grant) -> None:
        """This is what is left of the tab's grant."""
        self._left[tab_id] = left
        if len(self._left) > MOST_KEPT:
            del self._left[next(iter(self._left))]

    def left(self, tab_id: str) -> Grant | None:
        """What is left of the tab's grant; None if nothing is to be confirmed."""
        return self._left.get(tab_id)

    def opened(self, tab_id: str, opener: str | None) -> None:
        """A tab has the grant of the one whose page opened it."""
        if opener is not None and opener in self._left and tab_id not in self._left:
            self.add(tab_id, self._left[opener])

    def reported(self, tab_id: str, grant: Grant | None) -> Grant | None:
        """The grant that holds when the extension reports this one.

        What is left holds as long as the report allows more. A report that allows no more confirms it; one of other
        sites or another level is a choice of the person's that it is no part of.
        """
        left = self._left.get(tab_id)
        if left is None:
            return grant
        if grant is not None and left.within(grant) and not grant.within(left):
            return left
        del self._left[tab_id]
        return grant

    def forget(self, tab_id: str) -> None:
        """The tab has been disconnected: the person chooses a grant when it connects again."""
        self._left.pop(tab_id, None)
