"""An MCP client's two pipes, as the bridge sees them: lines in, lines out."""

from __future__ import annotations

import os
import select
from collections.abc import AsyncIterator
from typing import Protocol

import trio

from kapture.client.connection import MAX_MESSAGE_BYTES

_READ_BYTES = 256 * 1024


class ClientPipes(Protocol):
    """The byte streams of one client."""

    async def read_some(self) -> bytes:
        """The next bytes; empty when the client has closed its end."""

    async def write_all(self, data: bytes) -> None:
        """Write; `BrokenPipeError` when nobody reads any more."""

    async def wait_unread(self) -> None:
        """Return when nobody can read any more what is written."""


class TooLongError(Exception):
    """A line is longer than a message may be. It is skipped."""


class Stdio:
    """This process's own stdin and stdout.

    Both are read and written in threads: they may be pipes, sockets, files or a terminal, and making a shared one
    non-blocking would change it for its other users too.
    """

    async def read_some(self) -> bytes:
        """The next bytes of stdin."""
        return await trio.to_thread.run_sync(os.read, 0, _READ_BYTES, abandon_on_cancel=True)

    async def write_all(self, data: bytes) -> None:
        """Write to stdout."""
        await trio.to_thread.run_sync(_write_stdout, data)

    async def wait_unread(self) -> None:
        """Return when the other end of stdout is closed; never where the system cannot tell."""
        if not hasattr(select, "poll"):
            await trio.sleep_forever()
        await trio.to_thread.run_sync(_wait_for_closed_stdout, abandon_on_cancel=True)


async def read_lines(pipes: ClientPipes) -> AsyncIterator[bytes | TooLongError]:
    """The lines that are not empty, without their ends; a `TooLongError` in the place of one that is too long."""
    pending = bytearray()
    searched = 0
    too_long = False
    while data := await pipes.read_some():
        pending += data
        while (end := pending.find(b"\n", searched)) >= 0:
            line = bytes(pending[:end]).rstrip(b"\r")
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
        yield bytes(pending)


def _wait_for_closed_stdout() -> None:
    watch = select.poll()
    watch.register(1, 0)  # errors and hang-ups are reported whatever is asked for
    watch.poll()


def _write_stdout(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
