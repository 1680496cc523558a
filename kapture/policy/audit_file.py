"""The files of the audit log: `audit.jsonl` and older ones, private, rotated by size. Used by one thread."""

from __future__ import annotations

import os
from collections import deque
from io import FileIO
from itertools import accumulate, islice, takewhile
from pathlib import Path

from kapture.errors import KaptureError
from kapture.private_files import check_private_file, unusable

FILE_NAME = "audit.jsonl"
MAX_FILE_BYTES = 10 * 1024 * 1024
KEPT_FILES = 5
_POSIX = os.name == "posix"


class AuditFile:
    """The current file in this folder, open for appending; `UNAUTHORIZED` if it cannot be opened and kept private.

    Unbuffered: after an error it is known what was written, and closing writes nothing.
    """

    def __init__(self, folder: Path, *, max_file_bytes: int = MAX_FILE_BYTES, kept_files: int = KEPT_FILES) -> None:
        self.path = folder / FILE_NAME
        self._max_file_bytes = max_file_bytes
        self._kept_files = kept_files
        self._file: FileIO | None = self._opened()

    def write(self, lines: deque[bytes]) -> None:
        """Append lines, and remove from `lines` what was written. `OSError` or `UNAUTHORIZED` if the rest could not be:
        it may be tried again."""
        if self._file is None:
            self._file = self._opened()
        while lines:
            size = self._file.tell()
            if size > 0 and size + len(lines[0]) > self._max_file_bytes:
                self._file = self._rotated(self._file)
                size = 0
            ends = accumulate((len(line) for line in lines), initial=size)
            fitting = max(1, sum(1 for _ in takewhile(lambda end: end <= self._max_file_bytes, ends)) - 1)
            written = self._file.write(b"".join(islice(lines, fitting)))  # not all, when the disk becomes full
            while lines and written >= len(lines[0]):
                written -= len(lines.popleft())
            if written:
                lines[0] = lines[0][written:]

    def close(self) -> None:
        """Close it, if it is open."""
        if self._file is not None:
            self._file.close()

    def _opened(self) -> FileIO:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            file = FileIO(os.open(self.path, flags, 0o600), "ab")
        except OSError as error:
            raise unusable(f"{self.path} could not be opened", error) from error
        if _POSIX:
            os.fchmod(file.fileno(), 0o600)
        try:
            check_private_file(self.path)
        except KaptureError:
            file.close()
            raise
        return file

    def _rotated(self, file: FileIO) -> FileIO:
        file.close()
        self._file = None  # until the new one is open: after a failure it is tried again
        rotated(self.path, self._kept_files).unlink(missing_ok=True)
        for number in range(self._kept_files - 1, 0, -1):
            older = rotated(self.path, number)
            if older.exists():
                older.replace(rotated(self.path, number + 1))
        self.path.replace(rotated(self.path, 1))
        return self._opened()


def rotated(path: Path, number: int) -> Path:
    """The path of the nth older file: `audit.1.jsonl` is the newest of them."""
    return path.with_name(f"{path.stem}.{number}{path.suffix}")
