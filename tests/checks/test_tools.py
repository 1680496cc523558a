"""The linters and type checkers are tests: one summary line says whether everything holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([BIN / "ruff", "check", "."], id="ruff"),
        pytest.param([BIN / "ruff", "format", "--check", "."], id="format"),
        pytest.param([BIN / "mypy"], id="mypy"),
        pytest.param([BIN / "lint-imports"], id="import-linter"),
        pytest.param(["node_modules/.bin/tsc", "-p", "tsconfig.json"], id="tsc"),
        pytest.param(["node", "kapture/page/agent/build.mjs", "--check"], id="agent-bundle"),
        pytest.param(["node", "kapture/cdp/build_rules.mjs", "--check"], id="cdp-rules"),
        pytest.param(["node", "extension/ui/vendor/build.mjs", "--check"], id="lit-bundle"),
        pytest.param(["node", "test_app/vendor/build.mjs", "--check"], id="console-bundles"),
        pytest.param(["npm", "test", "--silent"], id="javascript"),
    ],
)
def test_tool_has_nothing_to_say(command: list[str | Path]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
