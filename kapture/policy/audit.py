"""`audit.jsonl`: decisions and calls, one JSON object per line, private, rotated by size.

Entries never hold what was typed, sent or read (`kapture.policy.redact`); of a page only the origin. Writing happens in
a thread of its own behind a bounded buffer: the router never waits for a disk. What could not be written is tried again
each second; if the buffer was full meanwhile, a line says how many entries were lost. Entries are gathered for a moment
(`GATHER_S`) and written together: waking a thread for each cost the hub a tenth of its time.
"""

from __future__ import annotations

import datetime
import logging
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from io import FileIO
from itertools import accumulate, islice, takewhile
from pathlib import Path
from typing import Any

import msgspec
import trio

from kapture.errors import KaptureError
from kapture.policy.redact import path_for_log, redact, site_for_log
from kapture.private_files import check_private_file, private_folder, unusable

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


logger = logging.getLogger(__name__)

MAX_WAITING = 10_000
GATHER_S = 0.05
RETRY_S = 1.0


class AuditLog:
    """The log of one hub. Call `record` only from the hub's own thread; made by `AuditLog.open()`."""

    def __init__(self, file: AuditFile) -> None:
        self._file = file
        self._waiting: deque[bytes] = deque()
        self._wake = threading.Condition()
        self._idle = False  # whether the writing thread waits for an entry
        self._closing = threading.Event()
        self._lost = 0
        self._failure: str | None = None

    @staticmethod
    @asynccontextmanager
    async def open(folder: Path, **options: int) -> AsyncIterator[AuditLog]:
        """Open the log in this folder (the data folder); `UNAUTHORIZED` if it cannot be kept private.

        Everything recorded is on disk when the block ends, unless the disk refuses it then.
        """
        log = AuditLog(AuditFile(private_folder(folder), **options))
        thread = threading.Thread(target=log._write_all, name="kapture audit", daemon=True)
        thread.start()
        try:
            yield log
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(log._finish, thread)

    @property
    def path(self) -> Path:
        """The current file."""
        return self._file.path

    @property
    def failure(self) -> str | None:
        """Why entries could not be written recently, for `status`; None if they were."""
        return self._failure

    def command(
        self,
        *,
        client: Mapping[str, Any],
        command: str,
        outcome: str,
        duration_ms: float,
        tab_id: str | None = None,
        url: str | None = None,
        rule: str | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> None:
        """Record a call that has ended. `outcome` is `ok` or an error code; `client`: id, name and kind."""
        self.record(
            "command",
            client=dict(client),
            tab=tab_id,
            site=site_for_log(url),
            command=command,
            outcome=outcome,
            duration_ms=round(duration_ms, 1),
            rule=rule,
            arguments=None if arguments is None else redact(arguments),
        )

    def decision(
        self,
        *,
        client: Mapping[str, Any],
        command: str,
        allowed: bool,
        rule: str,
        tab_id: str | None = None,
        url: str | None = None,
        asked: str | None = None,
    ) -> None:
        """Record a decision of policy or a person. `asked` is the person's answer, if one was asked."""
        self.record(
            "decision",
            client=dict(client),
            tab=tab_id,
            site=site_for_log(url),
            command=command,
            outcome="allowed" if allowed else "denied",
            rule=rule,
            asked=asked,
        )

    def tab_requested(
        self, command: str, *, client: Mapping[str, Any], url: str | None, outcome: str, tab_id: str | None
    ) -> None:
        """Record the end of a request for a tab, or about one: `allowed`, `denied`, `unanswered`, or `withdrawn`."""
        self.record(
            "decision",
            client=dict(client),
            tab=tab_id,
            site=site_for_log(url),
            command=command,
            outcome=outcome,
            rule="person" if outcome in ("allowed", "denied") else None,
        )

    def standing(
        self, command: str, *, rule: str, outcome: str, url: str | None = None, tab_id: str | None = None
    ) -> None:
        """Record that a standing grant was made or has ended, or has connected a tab."""
        self.record("decision", tab=tab_id, site=site_for_log(url), command=command, outcome=outcome, rule=rule)

    def connection_refused(
        self, reason: str, *, path: str | None = None, origin: str | None = None, unrecorded: int = 0
    ) -> None:
        """Record a refused connection or request. `unrecorded`: how many more there were before, too many to record."""
        self.record(
            "connect",
            outcome="denied",
            site=site_for_log(origin),
            path=path_for_log(path) if path is not None else None,
            reason=reason,
            unrecorded=unrecorded or None,
        )

    def group_refused(self, what: str, of: str, why: str, *, unrecorded: int = 0) -> None:
        """Record what is refused in the hub's group: a `message`, a `tab` or a `hub`, of whom, and why."""
        self.record("group", outcome="denied", what=what, of=of or None, reason=why, unrecorded=unrecorded or None)

    def key_rotated(self) -> None:
        """Record that the hub has a new key and closed every connection."""
        self.record("rotate-key", outcome="ok")

    def shared(
        self, name: str, *, level: str, sites: Sequence[str] | None, clients: Sequence[str] | None, ended: bool
    ) -> None:
        """Record that a share was opened, or has ended."""
        outcome = "ended" if ended else "open"
        self.record("share", share=name, level=level, sites=sites, clients=clients, outcome=outcome)

    def record(self, event: str, **facts: Any) -> None:
        """Add an entry: time, `event`, and the facts that are not None. Never blocks; no fact may be secret."""
        line = _line(event, **facts)
        with self._wake:
            if len(self._waiting) >= MAX_WAITING:
                self._lost += 1
            else:
                self._waiting.append(line)
            if self._idle:
                self._idle = False
                self._wake.notify()

    def _finish(self, thread: threading.Thread) -> None:
        with self._wake:
            self._closing.set()
            self._wake.notify()
        thread.join()

    def _write_all(self) -> None:
        """Write entries until closed and empty. Runs in the writing thread."""
        while True:
            with self._wake:
                while not self._waiting and not self._lost and not self._closing.is_set():
                    self._idle = True
                    self._wake.wait()
            self._closing.wait(GATHER_S)
            with self._wake:
                lines, lost = self._waiting, self._lost
                self._waiting, self._lost = deque(), 0
                done = self._closing.is_set()
            try:
                self._file.write(lines)
                if lost:
                    lines.append(_line("lost", entries=lost))
                    lost = 0
                    self._file.write(lines)
            except (OSError, KaptureError) as error:
                self._failed(error)
                self._keep(lines, lost)
                self._closing.wait(RETRY_S)  # for example a full disk: there is no event for its end
            else:
                self._succeeded()
            if done:
                break
        self._file.close()

    def _keep(self, lines: deque[bytes], lost: int) -> None:
        """Put back what was not written, before what was recorded meanwhile."""
        with self._wake:
            self._lost += lost
            self._waiting.extendleft(reversed(lines))
            while len(self._waiting) > MAX_WAITING:
                self._waiting.pop()
                self._lost += 1

    def _failed(self, error: OSError | KaptureError) -> None:
        if isinstance(error, OSError):
            error = unusable(f"{self.path} could not be written", error)
        if self._failure is None:
            logger.warning("Calls go on without an audit log, which is tried again each second: %s", error.explanation)
        self._failure = error.explanation

    def _succeeded(self) -> None:
        if self._failure is not None:
            logger.info("%s is written again.", self.path)
        self._failure = None


def _line(event: str, **facts: Any) -> bytes:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    entry = {"time": now, "event": event, **{name: fact for name, fact in facts.items() if fact is not None}}
    return msgspec.json.encode(entry) + b"\n"
