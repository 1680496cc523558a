"""What a measurement has started ends with it, also when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kapture.measure import guard
from kapture.measure.guarded import guarded
from kapture.pairing.native_host import is_running
from tests.support.patience import PATIENCE_S

_MEASURES = """
import time
from kapture.measure.hub_process import running_hub
with running_hub() as hub:
    print(hub.process.pid, hub.home, flush=True)
    time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_a_measurement_that_is_killed_leaves_no_hub_and_no_folder() -> None:
    with subprocess.Popen([sys.executable, "-c", _MEASURES], stdout=subprocess.PIPE, text=True) as measures:
        assert measures.stdout is not None
        pid, home = measures.stdout.readline().split()
        os.kill(measures.pid, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while Path(home).exists() or is_running(int(pid)):  # there is no event for the end of another's child
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_process_does_not_outlive_its_measurement_if_no_guard_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.setattr("kapture.measure.guarded.sys.executable", f"{guard.__file__}/none")
        with pytest.raises(OSError, match="none"), guarded(process, leaves_s=PATIENCE_S):
            raise AssertionError("it is not guarded")
        assert process.poll() is not None
