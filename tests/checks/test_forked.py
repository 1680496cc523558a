from __future__ import annotations

import multiprocessing.forkserver as forkserver
import os
import select
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

import pytest

from tests.support import forked
from tests.support.forked import fork_kapture


class WatchedLock:
    """A lock that says when somebody has to wait for it."""

    def __init__(self, waited_for: threading.Event) -> None:
        self._lock = threading.Lock()
        self._waited_for = waited_for

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._waited_for.set()
            self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()


def test_a_second_thread_that_asks_for_an_exit_code_gets_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    read = forkserver.read_signed
    looked = threading.Event()
    monkeypatch.setattr(forked, "READING", WatchedLock(looked))
    with ThreadPoolExecutor(1) as thread:
        process = fork_kapture(["--version"], os.environ)
        second: list[Future[int | None]] = []

        def interrupted(pipe: int) -> int:
            """The code has left the pipe, and nobody knows it yet when a second thread looks."""
            code: int = read(pipe)
            if not second:
                second.append(thread.submit(process.poll))
                second[0].add_done_callback(lambda _: looked.set())
                assert looked.wait(60)  # it waits for the lock, or has read
            return code

        monkeypatch.setattr(forkserver, "read_signed", interrupted)
        with process.stdout:
            assert process.wait(60) == 0
        assert second[0].result() == 0
        assert process.poll() == 0


_TESTS = """
import signal, sys
from pathlib import Path
from tests.support.stack import hub_process

if __name__ == "__main__":
    with hub_process(Path(sys.argv[1])) as hub:
        print(hub.process.pid, flush=True)
        signal.pause()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes of others can be waited for on Linux only")
def test_a_hub_ends_with_the_tests_that_started_it_also_if_they_are_killed(tmp_path: Path) -> None:
    script = tmp_path / "killed_tests.py"
    script.write_text(_TESTS)
    root = Path(__file__).parents[2]
    command = [sys.executable, str(script), str(tmp_path / "home")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(root)}) as tests:
        assert tests.stdout is not None
        try:
            hub = os.pidfd_open(int(tests.stdout.readline()))
        finally:
            tests.send_signal(signal.SIGKILL)
    try:
        assert select.select([hub], [], [], 60)[0]
    finally:
        os.close(hub)
