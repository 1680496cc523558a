"""`python -m bench.peers` as a developer runs it, beside a server that needs no browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from bench.peers.operations import OPERATIONS

pytestmark = pytest.mark.e2e


@pytest.mark.long
def test_each_operation_takes_effect_on_each_side() -> None:
    peer = f"fake={sys.executable} -m tests.support.fake_peer"
    command = [sys.executable, "-m", "bench.peers", "--runs", "1", "--timeout", "120", "--json", "--peer", peer]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert result["sides"] == ["raw", "kapture", "fake"]
    assert [row["label"] for row in result["rows"]] == [operation.label for operation in OPERATIONS]
    for row in result["rows"]:
        for cell in row["cells"]:
            assert cell["effect"], (row["label"], cell)
            assert cell["ratio"] > 0
