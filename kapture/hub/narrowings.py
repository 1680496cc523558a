"""Grants of which a part was taken away, so that it stays away.

Of tabs whose grant was given on a command line, the Console has taken it away: the command line is read again when such
a tab comes back after its connection was lost, and when its page opens another one. Of extension tabs, the extension
has not confirmed it: when its socket is lost before it has heard of a narrower grant, it would report the wider one.
Until the tab reports no more than was left, no more is allowed. A file keeps what is left for a hub that starts later.
"""

from __future__ import annotations

import logging
from pathlib import Path

import attrs
import msgspec

from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.policy import Grant
from kapture.private_files import open_private_file, private_folder, write_private_file

MOST_KEPT = 10_000
"""Tabs whose narrower grant is kept; the one that has not been asked for longest is then forgotten."""


class CommandLineGrants:
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
        """Return the narrowed grant of the tab; None if nothing was taken away."""
        return self._grants.get(tab_id)

    def of(self, tab_id: str, opener: str | None, given: Grant) -> Grant:
        """The grant of a tab that connects, where the command line has `given` one."""
        for known in (tab_id, opener):
            if known is not None and (left := self._grants.get(known)) is not None:
                self.keep(known, left)
                self.keep(tab_id, left)
                return left
        return given


logger = logging.getLogger(__name__)

FILE_NAME = "narrowings.json"
MOST_UNCONFIRMED = 1_000
"""Tabs; the earliest is then forgotten."""


@attrs.frozen
class _Written:
    """A grant in the file."""

    sites: list[str]
    level: str


class UnconfirmedGrants:
    """Narrowed grants, by tab id, until they are confirmed."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._left = _read(home / FILE_NAME)
        self._failure: str | None = None

    @property
    def failure(self) -> str | None:
        """Why it could not be written to the file when it last changed, for `status`; None if it was."""
        return self._failure

    def add(self, tab_id: str, left: Grant) -> None:
        """This is what is left of the tab's grant."""
        self._left[tab_id] = left
        if len(self._left) > MOST_UNCONFIRMED:
            del self._left[next(iter(self._left))]
        self._write()

    def left(self, tab_id: str) -> Grant | None:
        """Return the narrowed grant of the tab; None if nothing is to be confirmed."""
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
        self.forget(tab_id)
        return grant

    def forget(self, tab_id: str) -> None:
        """The tab has been disconnected: the person chooses a grant when it connects again."""
        if self._left.pop(tab_id, None) is not None:
            self._write()

    def _write(self) -> None:
        """Write the file at once, so that what was taken away is kept when the Console is told that it was."""
        written = {tab_id: left.to_json() for tab_id, left in self._left.items()}
        try:
            path = private_folder(self._home) / FILE_NAME
            write_private_file(path, msgspec.json.encode(written), durable=False)
        except KaptureError as error:
            if self._failure is None:
                logger.warning("Access that was taken away is not kept for the next start: %s", error.explanation)
            self._failure = error.explanation
        else:
            self._failure = None


def _read(path: Path) -> dict[str, Grant]:
    """Return the entries of an earlier hub; none if there is no such file, or none that can be used."""
    if not path.exists():
        return {}
    try:
        with open_private_file(path) as file:
            written = msgspec.json.decode(file.read(), type=dict[str, _Written])
        return {tab_id: Grant.make(left.sites, left.level) for tab_id, left in written.items()}
    except (OSError, KaptureError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        logger.warning("Access that was taken away before this start is not known: %s", error)
        return {}
