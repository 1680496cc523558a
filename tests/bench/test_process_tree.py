from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bench.process_tree import Running, descendants, kill

CHILD = """import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0, start_new_session=True)
print(child.pid)
child.wait()
print('ended')"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a tree of processes by itself")


def test_the_processes_of_a_process_are_found_and_ended_however_deep() -> None:
    command = [sys.executable, "-u", "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())
        below = descendants(child.pid)
        assert [process.pid for process in below] == [grandchild]
        assert {child.pid, grandchild} <= {process.pid for process in descendants(os.getpid())}
        kill([Running(grandchild, "another time")])  # an id that was another process's
        assert descendants(child.pid) == below
        kill(below)
        assert child.stdout.readline() == "ended\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a name of a process that is not text")
def test_a_process_whose_name_is_no_text_is_found_like_any_other() -> None:
    # The system cuts names to 15 bytes, also in the middle of a character.
    command = [sys.executable, "-u", "-c", "open('/proc/self/comm', 'wb').write(b'\\xe2\\x82'); print(); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in [process.pid for process in descendants(os.getpid())]
