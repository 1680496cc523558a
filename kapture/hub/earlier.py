"""What the hub knows from the hubs before it: whether an extension was ever seen, and which tabs were connected.

A hub that has just started says where a person has to begin, and waits a moment for tabs that are about to connect
again. The file holds no secret and nothing of a page.
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
from kapture.hub.router import Router
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


class Earlier:
    """What is known from earlier hubs, and kept for later ones. `run` writes it when it changes."""

    def __init__(self, home: Path, router: Router, return_ms: float = RETURN_MS) -> None:
        self._home = home
        self._router = router
        self._known = _read(home / FILE_NAME)
        self._missing = tuple(self._known.tabs)
        self._until = trio.current_time() + return_ms / 1_000
        self._changed = Changed()

    @property
    def extension(self) -> SeenExtension | None:
        """The extension that connected last, to this hub or an earlier one; None: never."""
        return self._known.extension

    @property
    def waits(self) -> bool:
        """Whether tabs may still come back that were connected before the hub started."""
        return bool(self._missing) and trio.current_time() < self._until

    async def tabs_back(self) -> None:
        """Return when every tab that was connected before the hub started is back, or the time for it is over."""
        with trio.move_on_at(self._until):
            for tab_id in self._missing:
                await self._router.wait_connected(tab_id)
        self._missing = ()

    def saw(self, browser: Browser) -> None:
        """An extension has connected."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        name = f"{browser.name} {browser.version}".strip()
        seen = SeenExtension(browser=name, extension=browser.extension, at=now)
        self._change(attrs.evolve(self._known, extension=seen))

    def connected(self, tabs: Iterable[str]) -> None:
        """These tabs of browsers with the extension are connected now."""
        coming = self._missing if self.waits else ()
        if (found := sorted({*tabs, *coming})) != self._known.tabs:
            self._change(attrs.evolve(self._known, tabs=found))

    def _change(self, known: _File) -> None:
        self._known = known
        self._changed.notify()

    async def run(self) -> None:
        """Write the file whenever something has changed."""
        written = self._known
        while True:
            if self._known == written:
                await self._changed.wait()
                continue
            written = self._known
            try:
                _write(self._home, written)
            except KaptureError as error:
                logger.warning("What was connected is not kept for the next start: %s", error)


def last_seen(home: Path) -> SeenExtension | None:
    """The extension that connected last to a hub with this data folder; None: never."""
    return _read(home / FILE_NAME).extension


def _read(path: Path) -> _File:
    """What the file says; nothing where it is missing, damaged or too large."""
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_BYTES), type=_File)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _File()


def _write(home: Path, content: _File) -> None:
    """A few hundred bytes to the system's cache: a crash of the machine may cost them, and nothing waits for a disk."""
    write_private_file(private_folder(home) / FILE_NAME, msgspec.json.encode(content), durable=False)
