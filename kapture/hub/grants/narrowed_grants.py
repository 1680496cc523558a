"""Grants of tabs that were given on a command line, of which the Console has taken away a part.

The command line is read when such a tab comes back after its connection was lost, and when its page opens another one:
neither may have more access than was left. An extension keeps the grants of its tabs itself.
"""

from __future__ import annotations

from kapture.changed import Changed
from kapture.policy import Grant

MOST_KEPT = 10_000
"""Tabs whose narrower grant is kept; the one that has not been asked for longest is then forgotten."""


class NarrowedGrants:
    """Narrower grants, by tab id. Ids are never used again for another tab."""

    def __init__(self) -> None:
        self.changed = Changed()
        self._grants: dict[str, Grant] = {}

    def keep(self, tab_id: str, grant: Grant) -> None:
        """This is what is left of the tab's grant."""
        self._grants.pop(tab_id, None)
        self._grants[tab_id] = grant  # the latest is the last
        if len(self._grants) > MOST_KEPT:
            del self._grants[next(iter(self._grants))]
        self.changed.notify()

    def left(self, tab_id: str) -> Grant | None:
        """What is left of the tab's grant; None if nothing was taken away."""
        return self._grants.get(tab_id)

    def of(self, tab_id: str, opener: str | None, given: Grant) -> Grant:
        """The grant of a tab that connects, where the command line has `given` one."""
        for known in (tab_id, opener):
            if known is not None and (left := self._grants.get(known)) is not None:
                self.keep(known, left)
                self.keep(tab_id, left)
                return left
        return given
