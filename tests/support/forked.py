"""`kapture` commands in processes of their own that have imported Kapture already.

Most of the time that a hub or a bridge takes to start is importing, and tests start hundreds. A test process has one
fork server, which imports once. What it forks is a process like any other: it can be signalled, killed and suspended.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import attrs

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    [
        "kapture.cli.serve",
        "kapture.cli.call.call",
        "kapture.cli.launch",
        "kapture.server.server",
        "kapture.commands",
        "kapture.cli.mcp",
        "kapture.client.bridge",
        # What a hub imports when a client, or a browser, first needs it.
        "kapture.commands.markdown",
        "kapture.mcp.websocket",
        "kapture.mcp.streamable_http",
        "kapture.server.http",
        "kapture.server.pages",
    ]
)

# `multiprocessing` looks for exit codes when it is asked, and when it starts another process. Of two threads that do so
# at once only one reads the code; the other finds the end of the pipe, and writes 255 over it.
READING = threading.Lock()


@attrs.frozen
class ForkedProcess:
    """A running command, with what tests use of `subprocess.Popen`. `stdout` is a pipe that they may read.

    `stdin`, if it was asked for, is the descriptor of one that they may write.
    """

    process: ForkServerProcess
    stdout: TextIO
    stdin: int | None = None

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process.pid is not None
        return self.process.pid

    def poll(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        with READING:
            return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end at most this many seconds. Returns its exit code."""
        if not wait([self.process.sentinel], timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.process.name, timeout)
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a crash would."""
        self.send_signal(signal.SIGKILL)


def fork_kapture(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    log: Path | None = None,
    *,
    folder: Path | None = None,
    with_stdin: bool = False,
) -> ForkedProcess:
    """Start `kapture` with these arguments. Its stderr is added to the log; without one it is this process's.

    `folder`: where it runs, if not where this process was started. `with_stdin`: its stdin is a pipe, whose descriptor
    the caller closes.
    """
    reader, writer = _SERVER.Pipe(duplex=False)
    stdin, ours = _SERVER.Pipe(duplex=False) if with_stdin else (None, None)
    with ExitStack() as ends:
        for end in (reader, writer, stdin, ours):
            if end is not None:
                ends.enter_context(end)
        process = _SERVER.Process(
            target=_run,
            args=(list(arguments), dict(environment), stdin, writer, log, folder),
            name=" ".join(["kapture", *arguments[:1]]),
        )
        with READING:
            process.start()
        stdout = os.fdopen(os.dup(reader.fileno()))
        return ForkedProcess(process, stdout, None if ours is None else os.dup(ours.fileno()))


def run_kapture(
    arguments: Sequence[str], environment: Mapping[str, str], folder: Path | None = None, patience_s: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Run `kapture` with nothing on its stdin until it ends, as `subprocess.run` does."""
    with TemporaryDirectory() as kept:
        errors = Path(kept) / "stderr"
        process = fork_kapture(arguments, environment, errors, folder=folder, with_stdin=True)
        assert process.stdin is not None
        os.close(process.stdin)
        too_long = threading.Timer(patience_s, process.kill)
        too_long.start()
        try:
            with process.stdout:
                output = process.stdout.buffer.read()
            code = process.wait()
        finally:
            too_long.cancel()
        return subprocess.CompletedProcess(arguments, code, output, errors.read_bytes())


def _run(
    arguments: list[str],
    environment: dict[str, str],
    stdin: Connection | None,
    stdout: Connection,
    log: Path | None,
    folder: Path | None,
) -> None:
    from kapture.__main__ import main

    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    if stdin is not None:
        os.dup2(stdin.fileno(), 0)
        stdin.close()
    os.dup2(stdout.fileno(), 1)
    stdout.close()
    if log is not None:
        with log.open("a") as stderr:
            os.dup2(stderr.fileno(), 2)
    if folder is not None:
        os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["kapture", *arguments]
    main()


def _end_with_the_tests() -> None:
    """Tests that are killed cannot end what they have started, and neither does their fork server."""
    tests = multiprocessing.parent_process()
    assert tests is not None
    wait([tests.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
