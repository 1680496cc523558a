from __future__ import annotations

import multiprocessing.forkserver as forkserver
import os
from concurrent.futures import Future, ThreadPoolExecutor, wait

import pytest

from tests.support.forked import fork_kapture

BLOCKED_S = 0.5


def test_a_second_thread_that_asks_for_an_exit_code_gets_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    read = forkserver.read_signed
    with ThreadPoolExecutor(1) as thread:
        process = fork_kapture(["--version"], os.environ)
        second: list[Future[int | None]] = []

        def interrupted(pipe: int) -> int:
            """The code has left the pipe, and nobody knows it yet when a second thread looks."""
            code: int = read(pipe)
            if not second:
                second.append(thread.submit(process.poll))
                wait(second, BLOCKED_S)
            return code

        monkeypatch.setattr(forkserver, "read_signed", interrupted)
        with process.stdout:
            assert process.wait(60) == 0
        assert second[0].result() == 0
        assert process.poll() == 0
