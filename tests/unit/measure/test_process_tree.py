from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kapture.measure.process_tree import descendants

CHILD = """import subprocess, sys
child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=0)
print(child.pid)
child.wait()"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a tree of processes by itself")
def test_the_processes_of_a_process_are_found_however_deep() -> None:
    command = [sys.executable, "-u", "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        grandchild = int(child.stdout.readline())
        found = descendants(os.getpid())
        assert descendants(child.pid) == [grandchild]
        assert found.index(child.pid) < found.index(grandchild)
