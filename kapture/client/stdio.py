"""An MCP client's two pipes: lines in, lines out."""

from __future__ import annotations

import codecs
import os
import select
import stat
import sys
from collections.abc import AsyncIterator
from typing import Protocol

import trio

from kapture.client.connection import MAX_MESSAGE_BYTES

_READ_BYTES = 64 * 1024  # as much as a pipe holds


class ClientPipes(Protocol):
    """The byte streams of one client."""

    async def read_some(self) -> bytes:
        """Read the next bytes; empty when the client has closed its end."""

    async def write_all(self, data: bytes) -> None:
        """Write; `BrokenPipeError` if nobody reads any more."""

    async def wait_unread(self) -> None:
        """Return when nobody can read any more what is written."""


class TooLongError(Exception):
    """A line is longer than a message may be. It was skipped."""


class Stdio:
    """A process's own stdin and stdout, or another pair of file descriptors.

    Pipes and sockets are waited for without a thread, and stay blocking: making a shared one non-blocking would affect
    its other users too. A readable pipe never blocks a read, a writable one no write of up to `PIPE_BUF` bytes
    (pipe(7)), so at most that much is written at a time. Files, terminals and everything on Windows use threads.
    """

    def __init__(self, stdin: int = 0, stdout: int = 1) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._wait_to_read = _can_be_waited_for(stdin)
        self._wait_to_write = _can_be_waited_for(stdout)

    async def read_some(self) -> bytes:
        """Read the next bytes of stdin."""
        if self._wait_to_read:
            await trio.lowlevel.wait_readable(self._stdin)
            return os.read(self._stdin, _READ_BYTES)
        return await trio.to_thread.run_sync(os.read, self._stdin, _READ_BYTES, abandon_on_cancel=True)

    async def write_all(self, data: bytes) -> None:
        """Write to stdout."""
        if not self._wait_to_write:
            await trio.to_thread.run_sync(_write_whole, self._stdout, data)
            return
        await trio.lowlevel.checkpoint_if_cancelled()
        view = self._write_now(memoryview(data))
        while view:
            with trio.CancelScope(shield=True):  # half a message would corrupt the next one
                await trio.lowlevel.wait_writable(self._stdout)
            view = self._write_now(view)

    def _write_now(self, view: memoryview) -> memoryview:
        """Write as much as is taken at once; returns the rest."""
        while view and _is_writable(self._stdout):
            view = view[os.write(self._stdout, view[: select.PIPE_BUF]) :]
        return view

    async def wait_unread(self) -> None:
        """Return when the other end of stdout is closed; never, if the system cannot report it."""
        if not hasattr(select, "poll"):
            await trio.sleep_forever()
        await trio.to_thread.run_sync(_wait_for_closed, self._stdout, abandon_on_cancel=True)


async def read_lines(pipes: ClientPipes) -> AsyncIterator[bytes | TooLongError]:
    """The non-empty lines, without their line ends; a `TooLongError` instead of a line that is too long.

    A byte order mark at the beginning is passed over: writers of .NET begin with one.
    """
    pending = bytearray()
    mark = codecs.BOM_UTF8
    searched = 0
    too_long = False
    while data := await pipes.read_some():
        pending += data
        while (end := pending.find(b"\n", searched)) >= 0:
            line = bytes(pending[:end]).rstrip(b"\r").removeprefix(mark)
            mark = b""
            del pending[: end + 1]
            searched = 0
            if too_long:
                too_long = False
            elif line.strip():
                yield line
        searched = len(pending)
        if searched > MAX_MESSAGE_BYTES:
            if not too_long:
                yield TooLongError()
            too_long, searched = True, 0
            pending.clear()
    if pending.strip() and not too_long:
        yield bytes(pending).removeprefix(mark)


def _can_be_waited_for(descriptor: int) -> bool:
    """Whether the system reports when this can be read or written."""
    if sys.platform == "win32":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _is_writable(descriptor: int) -> bool:
    """Whether it is writable now: checking costs less than a turn of the scheduler."""
    watch = select.poll()
    watch.register(descriptor, select.POLLOUT)
    return bool(watch.poll(0))


def _wait_for_closed(descriptor: int) -> None:
    watch = select.poll()
    watch.register(descriptor, 0)  # errors and hang-ups are reported in any case
    watch.poll()


def _write_whole(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
