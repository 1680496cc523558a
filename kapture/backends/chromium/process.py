"""Run a browser with a profile of its own; it ends with the block that started it, or with this process.

A person's own browser is never started, attached to or closed here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import trio
from trio_websocket import ConnectionClosed

from kapture.backends.chromium import watchdog
from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.profile import lock_profile, recover_profile, remove_profile
from kapture.background import running_beside
from kapture.errors import ErrorCode, KaptureError

_STARTS_S = 10
_LEAVES_S = 5
_CLOSE = '{"id": 2147483647, "method": "Browser.close"}'


@attrs.frozen(kw_only=True)
class BrowserProcess:
    """A running browser. `socket` is its debugging pipe; None on Windows, where Python cannot pass it one."""

    pid: int
    profile: Path
    socket: PipeSocket | None
    ended: trio.Event


@asynccontextmanager
async def running(launch: Launch) -> AsyncIterator[BrowserProcess]:
    """Start the browser. It and all processes that it started end when the block ends or this process dies."""
    launch.profile.mkdir(parents=True, exist_ok=True)
    lock = await lock_profile(launch.profile)
    try:
        await recover_profile(launch.profile)
        if sys.platform == "win32":
            run = _without_watchdog(launch)
        else:
            run = _under_watchdog(launch, lock)
        async with run as process:
            yield process
    finally:
        os.close(lock)
        if launch.throw_away:
            await trio.to_thread.run_sync(remove_profile, launch.profile)


if sys.platform == "win32":

    @asynccontextmanager
    async def _without_watchdog(launch: Launch) -> AsyncIterator[BrowserProcess]:
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        command = [*launch.arguments(), "--remote-debugging-port=0"]
        process = await trio.lowlevel.open_process(command, env={**os.environ, **launch.environment}, **quiet)
        async with _watched(process.wait) as ended:
            try:
                yield BrowserProcess(pid=process.pid, profile=launch.profile, socket=None, ended=ended)
            finally:
                process.terminate()
                with trio.CancelScope(shield=True):
                    await process.wait()

else:
    import fcntl

    @asynccontextmanager
    async def _under_watchdog(launch: Launch, lock: int) -> AsyncIterator[BrowserProcess]:
        command = [*launch.arguments(), "--remote-debugging-pipe"]
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # Above 4, so that neither is overwritten before it is duplicated to 3 or 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 5) for end in (theirs_in, theirs_out)]
        socket = PipeSocket(trio.lowlevel.FdStream(ours_in), trio.lowlevel.FdStream(ours_out))
        options = {
            "command": command,
            "pipe": ends,
            "keep": lock,
            "profile": str(launch.profile),
            "remove": launch.throw_away,
        }
        try:
            process = await trio.lowlevel.open_process(
                [sys.executable, "-I", "-S", watchdog.__file__, json.dumps(options)],
                pass_fds=[*ends, lock],
                start_new_session=True,
                env={**os.environ, **launch.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        finally:
            for end in (theirs_in, theirs_out, *ends):
                os.close(end)
        assert process.stdin is not None  # noqa: S101  asked for above
        assert process.stdout is not None  # noqa: S101
        pid = 0
        try:
            pid = await _pid(process.stdout)
            async with _watched(process.wait) as ended:
                yield BrowserProcess(pid=pid, profile=launch.profile, socket=socket, ended=ended)
        finally:
            with trio.CancelScope(shield=True):
                # Close it as a person would: it saves cookies and storage first.
                with trio.move_on_after(_LEAVES_S):
                    await _leave(socket)
                    await process.wait()
                await socket.aclose()
                await process.stdin.aclose()
                await process.wait()
                await process.stdout.aclose()
                if pid:
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(pid, signal.SIGKILL)  # in case the watchdog was killed before it could do this


async def _leave(socket: PipeSocket) -> None:
    """Ask the browser to exit, and read what it still sends: it does not exit before that is read."""
    with suppress(ConnectionClosed):
        await socket.send_message(_CLOSE)
        while True:
            await socket.get_message()


async def _pid(stdout: trio.abc.ReceiveStream) -> int:
    line = b""
    with trio.move_on_after(_STARTS_S):
        while b"\n" not in line and (data := await stdout.receive_some(64)):
            line += data
    if not line.strip().isdigit():
        raise KaptureError(ErrorCode.LAUNCH_FAILED, "The browser could not be started.")
    return int(line)


@asynccontextmanager
async def _watched(wait: Callable[[], Any]) -> AsyncIterator[trio.Event]:
    """Yields an event that is set when `wait` returns."""
    ended = trio.Event()

    async def watch() -> None:
        await wait()
        ended.set()

    async with running_beside(watch):
        yield ended


# A browser's debugging pipe as a `Socket`: JSON messages, each terminated by a zero byte.
#
# The framing is that of Chromium's `DevToolsPipeHandler`.

MAX_MESSAGE_BYTES = 256 * 2**20
_READ_BYTES = 256 * 1024


class PipeSocket:
    """One end of the pipe. As with a WebSocket, `ConnectionClosed` means that the other end has closed it."""

    def __init__(self, incoming: trio.abc.ReceiveStream, outgoing: trio.abc.SendStream) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._received = bytearray()
        self._scanned = 0  # bytes of `_received` that were found to hold no zero byte

    async def get_message(self) -> str:
        """The next message."""
        while (end := self._received.find(b"\0", self._scanned)) < 0:
            self._scanned = len(self._received)
            if self._scanned > MAX_MESSAGE_BYTES:
                raise ConnectionClosed(None)
            if not (data := await self._receive()):
                raise ConnectionClosed(None)
            self._received += data
        message = self._received[:end].decode("utf-8", "replace")
        del self._received[: end + 1]
        self._scanned = 0
        return message

    async def _receive(self) -> bytes:
        """Some bytes; b"" at the end."""
        try:
            return bytes(await self._incoming.receive_some(_READ_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    async def send_message(self, message: str) -> None:
        """Send one message."""
        try:
            await self._outgoing.send_all(message.encode() + b"\0")
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosed(None) from error

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        """Close both directions, which makes the browser exit."""
        await self._outgoing.aclose()
        await self._incoming.aclose()
