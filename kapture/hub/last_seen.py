"""Observations of earlier hubs: whether an extension ever connected, and which tabs were connected.

With it a hub that has just started can say where a person has to begin, and can wait a moment for tabs that are about
to reconnect. The file holds no secret and nothing of a page.
"""

from __future__ import annotations

import datetime
import logging
from collections.abc import Iterable
from pathlib import Path

import attrs
import msgspec
import trio

from kapture.changed import Changed
from kapture.errors import KaptureError
from kapture.hub.tabs.router import Router
from kapture.private_files import private_folder, write_private_file
from kapture.wire.extension_messages import Browser

logger = logging.getLogger(__name__)

FILE_NAME = "seen.json"
RETURN_MS = 3_000
_MAX_BYTES = 256 * 1024


@attrs.frozen(kw_only=True)
class SeenExtension:
    """The extension that connected last. `at` is in ISO 8601."""

    browser: str
    extension: str
    at: str


@attrs.frozen(kw_only=True)
class _File:
    extension: SeenExtension | None = None
    tabs: list[str] = attrs.field(factory=list)


class LastSeen:
    """Observations of earlier hubs, kept for later ones. `run` writes it to the file when it changes."""

    def __init__(self, home: Path, router: Router, return_ms: float = RETURN_MS) -> None:
        self._home = home
        self._router = router
        self._known = _read(home / FILE_NAME)
        self._missing = tuple(self._known.tabs)
        self._reserved = frozenset(self._missing)
        self._until = trio.current_time() + return_ms / 1_000
        self._changed = Changed()
        self._failure: str | None = None
        self.launched: SeenExtension | None = None
        """The extension of the launched browser that connected last to this hub; a later hub has nothing of it."""

    @property
    def extension(self) -> SeenExtension | None:
        """The extension that connected last, to this hub or an earlier one; None if none ever did."""
        return self._known.extension

    @property
    def failure(self) -> str | None:
        """Why it could not be written to the file when it last changed, for `status`; None if it was."""
        return self._failure

    @property
    def waits(self) -> bool:
        """Whether tabs that were connected to the hub before this one may still reconnect."""
        return bool(self._missing) and trio.current_time() < self._until

    def was_connected(self, tab_id: str) -> bool:
        """Whether it is the id of a tab that would come back, of this hub or of the one before."""
        return tab_id in self._reserved or tab_id in self._known.tabs

    async def tabs_back(self) -> None:
        """Return when every tab of the hub before has reconnected, or its time to do so has passed."""
        with trio.move_on_at(self._until):
            for tab_id in self._missing:
                await self._router.wait_connected(tab_id)
        self._missing = ()

    def saw(self, browser: Browser, *, launched: bool) -> None:
        """Note that an extension has connected; `launched`: in a browser that is not there to be started again."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        name = f"{browser.name} {browser.version}".strip()
        seen = SeenExtension(browser=name, extension=browser.extension, at=now)
        if launched:
            self.launched = seen
        else:
            self._change(attrs.evolve(self._known, extension=seen))

    def connected(self, tabs: Iterable[str]) -> None:
        """Note which tabs are connected now that would come back to another hub."""
        coming = self._missing if self.waits else ()
        if (found := sorted({*tabs, *coming})) != self._known.tabs:
            self._change(attrs.evolve(self._known, tabs=found))

    def _change(self, known: _File) -> None:
        self._known = known
        self._changed.notify()

    async def run(self) -> None:
        """Write the file on every change."""
        written = self._known
        while True:
            if self._known == written:
                await self._changed.wait()
                continue
            written = self._known
            try:
                _write(self._home, written)
            except KaptureError as error:
                if self._failure is None:
                    logger.warning("What was connected is not kept for the next start: %s", error.explanation)
                self._failure = error.explanation
            else:
                self._failure = None


def last_seen_extension(home: Path) -> SeenExtension | None:
    """The extension that connected last to a hub with this data folder; None if none ever did."""
    return _read(home / FILE_NAME).extension


def _read(path: Path) -> _File:
    """The file's content; empty if it is missing, damaged or too large."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_BYTES), type=_File)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _File()


def _write(home: Path, content: _File) -> None:
    """Write without syncing to the disk: a crash of the machine may lose it, and nothing waits for a disk."""
    write_private_file(private_folder(home) / FILE_NAME, msgspec.json.encode(content), durable=False)
