"""`audit.jsonl`: decisions and calls, one JSON object per line, private, rotated by size.

Entries never hold what was typed, sent or read (`kapture.policy.redact`); of a page only the origin. Writing happens in
a thread of its own behind a bounded buffer: the router never waits for a disk. What could not be written is tried again
each second; if the buffer was full meanwhile, a line says how many entries were lost. Entries are gathered for a moment
(`GATHER_S`) and written together: waking a thread for each cost the hub a tenth of its time.
"""

from __future__ import annotations

import datetime
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import trio

from kapture.errors import KaptureError
from kapture.policy.audit_file import AuditFile
from kapture.policy.redact import path_for_log, redact, site_for_log
from kapture.private_files import private_folder, unusable

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

    def key_rotated(self) -> None:
        """Record that the hub has a new key and closed every connection."""
        self.record("rotate-key", outcome="ok")

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
