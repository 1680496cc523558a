"""The log of a running hub: on stderr, which is `hub.log` in the data folder where a client has started the hub.

Whoever makes the hub repeat a message must not fill the disk: of one message 60 a minute are written, the others as a
number, and `hub.log` is begun anew at 1 MiB. The one before is kept as `hub.1.log`.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO, TypeAlias

import attrs

from kapture.cli.terminal import HarmlessFormatter
from kapture.client.start import LOG_NAME, MAX_LOG_BYTES
from kapture.errors import KaptureError
from kapture.private_files import write_private_file

MOST_A_MINUTE = 60
MAX_RECORD_CHARS = 64 * 1024
_MINUTE_S = 60.0

_Place: TypeAlias = tuple[str, int]


@attrs.define
class _Minute:
    """The messages of one place in the code since `began`, in seconds. `what` is its latest message, without values."""

    began: float
    what: str
    count: int = 0


class HubLogHandler(logging.StreamHandler[TextIO]):
    """Writes to `stream`. If that is the hub's log in `home`, the file is bounded. `now`: seconds, only forwards."""

    def __init__(self, stream: TextIO, home: Path, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self.setFormatter(HarmlessFormatter("%(asctime)s %(levelname)s %(message)s"))
        self._path = home / LOG_NAME
        self._file = _file_if_it_is(stream, self._path)
        self._now = now
        self._minutes: dict[_Place, _Minute] = {}  # bounded by the places in the code that log

    def format(self, record: logging.LogRecord) -> str:
        """One record, cut where it is too long."""
        text = super().format(record)
        cut = len(text) - MAX_RECORD_CHARS
        return text if cut <= 0 else f"{text[:MAX_RECORD_CHARS]} … ({cut} more characters)"

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, unless its like has been written too often in this minute."""
        now = self._now()
        self._report_left_out(now)
        minute = self._minutes.setdefault((record.pathname, record.lineno), _Minute(now, ""))
        minute.what = str(record.msg)
        minute.count += 1
        if minute.count > MOST_A_MINUTE:
            return
        super().emit(record)
        self._bound()

    def close(self) -> None:
        """Report what was left out last."""
        self._report_left_out(float("inf"))
        super().close()

    def _report_left_out(self, now: float) -> None:
        for place, minute in tuple(self._minutes.items()):
            if now < minute.began + _MINUTE_S:
                continue
            del self._minutes[place]
            if (left_out := minute.count - MOST_A_MINUTE) > 0:
                message = "Left out %d more messages like this one within a minute: %s"
                record = logging.LogRecord("kapture", logging.WARNING, *place, message, (left_out, minute.what), None)
                super().emit(record)

    def _bound(self) -> None:
        if self._file is None or os.fstat(self._file).st_size <= MAX_LOG_BYTES:
            return
        # It may have been removed, or the disk be full: it is bounded all the same.
        with suppress(OSError, KaptureError):
            older = self._path.with_name(f"{self._path.stem}.1{self._path.suffix}")
            write_private_file(older, self._path.read_bytes(), durable=False)
        os.ftruncate(self._file, 0)
        os.lseek(self._file, 0, os.SEEK_SET)  # Windows does not append


def _file_if_it_is(stream: TextIO, path: Path) -> int | None:
    """The descriptor of the stream, if it writes to this file."""
    with suppress(OSError, ValueError):  # there is no such file, or the stream has no descriptor
        if os.path.samestat(os.fstat(stream.fileno()), path.stat()):
            return stream.fileno()
    return None
