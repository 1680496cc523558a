"""Find the hub, or start it in the background. If several clients do so at once, only one hub is started."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

import trio

from kapture.background import single_error
from kapture.client.connection import HubAbsentError, HubConnection
from kapture.client.connection import connect as connect_to_hub
from kapture.client.hubs import is_shared
from kapture.client.session_proof import SessionProof
from kapture.errors import ErrorCode, KaptureError
from kapture.file_lock import open_lock, try_lock
from kapture.private_files import private_folder

Connect: TypeAlias = Callable[[], Awaitable[HubConnection]]

START_MS = 20_000
LOG_NAME = "hub.log"
MAX_LOG_BYTES = 1024 * 1024
_LOCK_NAME = "hub.lock"
_FIRST_PAUSE_MS = 10
_LONGEST_PAUSE_MS = 25
_LOG_PREFIX = re.compile(r"[\d-]{10} [\d:,]{12} [A-Z]+ ", re.ASCII)
# Windows: https://learn.microsoft.com/en-us/windows/win32/procthread/process-creation-flags
_DETACHED_PROCESS = 0x8
_CREATE_NEW_PROCESS_GROUP = 0x200
_CREATE_BREAKAWAY_FROM_JOB = 0x01000000


async def connect_or_start(
    nursery: trio.Nursery,
    home: Path,
    query: str = "",
    *,
    kind: str = "stdio",
    path: str = "/mcp",
    session: SessionProof | None = None,
    first: Sequence[bytes] = (),
) -> HubConnection:
    """A connection to the hub, which is started if none is running. `KaptureError` if that fails, or if it is another
    machine's, which is not started from here."""
    connect = partial(connect_to_hub, nursery, home, query, kind=kind, path=path, session=session, first=first)
    try:
        return await connect()
    except HubAbsentError:
        pass
    if is_shared(home):
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            f"The hub {home.name!r}, which was shared with this machine, cannot be reached.",
            hint="See whether `kapture share` still runs there, or use this machine's own hub: --hub local.",
            data={"state": "no_hub"},
        )
    private_folder(home)
    async with _only_starter(home):
        try:
            return await connect()
        except HubAbsentError:
            return await _start(home, connect)


@asynccontextmanager
async def connected(
    home: Path,
    query: str = "",
    *,
    start: bool = False,
    path: str = "/mcp",
    session: SessionProof | None = None,
    first: Sequence[bytes] = (),
) -> AsyncIterator[HubConnection]:
    """A connection of a command-line program for the length of the block; with `start`, the hub is started if none is
    running, else `HubAbsentError`. `first`: see `connect`."""
    with single_error():
        async with trio.open_nursery() as nursery:
            connection = await (connect_or_start if start else connect_to_hub)(
                nursery, home, query, kind="cli", path=path, session=session, first=first
            )
            try:
                yield connection
            finally:
                await connection.aclose()


async def _start(home: Path, connect: Connect) -> HubConnection:
    log = home / LOG_NAME
    process, logged = _start_process(home, log)
    pause_ms = _FIRST_PAUSE_MS
    with trio.move_on_after(START_MS / 1000):
        while True:
            try:
                return await connect()
            except HubAbsentError:
                code = process.poll()
            if code is not None:
                return await _connect_to_other(code, logged, home, connect)
            await trio.sleep(pause_ms / 1000)  # there is no event for another process's port
            pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)
    process.kill()
    raise _failed(f"The hub did not start within {START_MS / 1000:g} s.", log, logged)


def detaching_flags(platform: str = sys.platform) -> tuple[int, ...]:
    """The `creationflags` to try, in order, for a process that outlives this one and gets none of its signals.

    On Windows a browser ends what its native messaging hosts have started, unless that has left the host's job; a job
    may forbid that. On other systems a session of its own is enough.
    """
    if platform != "win32":
        return (0,)
    detached = _DETACHED_PROCESS | _CREATE_NEW_PROCESS_GROUP
    return (detached | _CREATE_BREAKAWAY_FROM_JOB, detached)


def _start_process(home: Path, log: Path) -> tuple[subprocess.Popen[bytes], int]:
    """The process, and the length in bytes of its log before it."""
    *first, last = detaching_flags()
    with _open_log(log) as file:
        logged = file.seek(0, os.SEEK_END)

        def start(flags: int) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [sys.executable, "-m", "kapture", "serve", "--automatic"],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd=home,
                env={**os.environ, "KAPTURE_HOME": str(home)},
                start_new_session=True,
                creationflags=flags,
            )

        for flags in first:
            try:
                return start(flags), logged
            except PermissionError:
                continue  # this job may not be left
        return start(last), logged


async def _connect_to_other(code: int, logged: int, home: Path, connect: Connect) -> HubConnection:
    """The hub exited at once: either another one was faster, which is then connected to, or it cannot run."""
    try:
        return await connect()
    except HubAbsentError:
        raise _failed(f"The hub could not be started (exit code {code}).", home / LOG_NAME, logged) from None


def _failed(what: str, log: Path, logged: int) -> KaptureError:
    return KaptureError(
        ErrorCode.NO_BACKEND,
        f"{what} {_last_lines(log, logged)}".rstrip(),
        hint=f"Run `kapture serve` to see why, or `kapture doctor`; its log is {log}.",
        data={"state": "no_hub"},
    )


def _open_log(path: Path) -> IO[bytes]:
    """Open the hub's log for appending, readable only by its owner; truncated if it has grown large.

    While the hub runs, `kapture.cli.hub_log` keeps it within the same bound.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        flags |= os.O_TRUNC
    return os.fdopen(os.open(path, flags, 0o600), "ab")


def _last_lines(log: Path, logged: int) -> str:
    """Return the last output of this start, without times and levels."""
    try:
        written = log.read_bytes()[logged:]
    except OSError:
        return ""
    lines = written[-2_000:].decode("utf-8", "replace").splitlines()
    return " ".join(_LOG_PREFIX.sub("", line.strip()) for line in lines[-3:])


@asynccontextmanager
async def _only_starter(home: Path) -> AsyncIterator[None]:
    """Hold the lock that only one starting process can have. The system releases it when its holder dies."""
    handle = open_lock(home / _LOCK_NAME)
    try:
        pause_ms = _FIRST_PAUSE_MS
        with trio.move_on_after(2 * START_MS / 1000) as waiting:
            while not try_lock(handle):
                await trio.sleep(pause_ms / 1000)  # there is no event for another process's lock
                pause_ms = min(2 * pause_ms, _LONGEST_PAUSE_MS)
        if waiting.cancelled_caught:
            raise KaptureError(
                ErrorCode.NO_BACKEND,
                "Another process has been starting the hub for too long.",
                hint="Run `kapture serve` to see why.",
            )
        yield
    finally:
        os.close(handle)
