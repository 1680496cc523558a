"""The runner of the JavaScript tests says so when one of them fails, in whichever way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

RUNNER = Path(__file__).resolve().parents[1] / "js" / "run.mjs"
TEST = 'import test from "node:test"; test("one", () => {{ {} }});'


def run(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["node", RUNNER, *files], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "failing",
    [
        pytest.param(TEST.format('throw new Error("found")'), id="in-a-test"),
        pytest.param(TEST.format("") + 'throw new Error("found");', id="beside-tests"),
        pytest.param(TEST.format("") + 'import "./found.js";', id="on-loading"),
        pytest.param(TEST.format('setTimeout(() => { throw new Error("found"); })'), id="after-a-test"),
        pytest.param(TEST.format('Promise.reject(new Error("found"))'), id="in-a-promise"),
        pytest.param(
            'import { test as found } from "node:test"; found("found", () => new Promise(() => {}));', id="no-end"
        ),
    ],
)
def test_a_file_that_fails_fails_the_run_and_is_shown(failing: str, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.test.mjs", tmp_path / "bad.test.mjs"
    good.write_text(TEST.format(""))
    bad.write_text(failing)
    done = run(good, bad)
    assert done.returncode == 1
    assert "bad.test.mjs failed" in done.stdout
    assert "found" in done.stdout
    assert "good.test.mjs failed" not in done.stdout


def test_files_without_failures_pass(tmp_path: Path) -> None:
    good = tmp_path / "good.test.mjs"
    good.write_text(TEST.format(""))
    assert run(good).returncode == 0
