"""Output that is interrupted half-way is written whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

LENGTH = 1_000_000
PROGRAM = f"""
import sys
from kapture.cli.standard_streams import write_whole
from kapture.cli.terminal import print_json
write_whole()
sys.stderr.write("begins")
sys.stderr.flush()
print_json("x" * {LENGTH})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what a pipe holds")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_long_answer_survives_that_the_process_is_stopped_and_continued(unbuffered: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.read(6) == b"begins"
        # Until it waits for somebody to read.
        while process.poll() is None and not is_full(process.stdout.fileno()):
            os.sched_yield()
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        os.kill(process.pid, signal.SIGCONT)
        written, complaints = process.communicate()
    assert (len(written), complaints, process.returncode) == (LENGTH + 1, b"", 0)


def is_full(pipe: int) -> bool:
    """Whether a pipe holds as many bytes as it can."""
    import array
    import fcntl  # not on every system
    import termios

    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0] >= int(fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ))
