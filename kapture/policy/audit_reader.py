"""Reading the audit log while hubs write and rotate it. No file is kept open: Windows cannot rename an open file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from kapture.policy.audit_file import FILE_NAME, KEPT_FILES, rotated

_TAIL_BYTES = 256 * 1024


class AuditReader:
    """Reads the log of one data folder. `new` returns every entry once."""

    def __init__(self, folder: Path) -> None:
        path = folder / FILE_NAME
        self._newest_first = (path, *(rotated(path, number) for number in range(1, KEPT_FILES + 1)))
        self._read_file: int | None = None  # inode of the file that was read last
        self._read_bytes = 0  # how much of it was read

    def new(self) -> Iterator[dict[str, Any]]:
        """The entries since the last call (at first all), oldest first; invalid lines are left out."""
        unread: list[tuple[Path, int]] = []
        for path in self._newest_first:
            try:
                inode = path.stat().st_ino
            except OSError:
                continue
            known = inode == self._read_file
            unread.append((path, self._read_bytes if known else 0))
            if known:
                break
        for path, start in reversed(unread):
            yield from self._rest(path, start)

    def _rest(self, path: Path, start: int) -> Iterator[dict[str, Any]]:
        try:
            with path.open("rb") as file:
                self._read_file = path.stat().st_ino
                self._read_bytes = file.seek(start)
                for line in file:
                    if not line.endswith(b"\n"):
                        return  # still being written
                    self._read_bytes += len(line)
                    try:
                        entry = msgspec.json.decode(line)
                    except msgspec.DecodeError:
                        continue  # the last line of a hub that was killed while writing
                    if isinstance(entry, dict):
                        yield entry
        except FileNotFoundError:
            return  # rotated away meanwhile


def entries(folder: Path) -> Iterator[dict[str, Any]]:
    """All entries, oldest first."""
    return AuditReader(folder).new()


def latest(folder: Path, count: int) -> list[dict[str, Any]]:
    """The last entries of the current file, newest first, as far as they are near its end."""
    try:
        with (folder / FILE_NAME).open("rb") as opened:
            opened.seek(max(0, opened.seek(0, os.SEEK_END) - _TAIL_BYTES))
            lines = opened.read().splitlines()
    except FileNotFoundError:
        return []
    found = []
    for line in reversed(lines):
        try:
            entry = msgspec.json.decode(line)
        except msgspec.DecodeError:
            continue  # a partial line, at either end
        if isinstance(entry, dict):
            found.append(entry)
        if len(found) == count:
            break
    return found
