from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kapture.cli.bench import bench_command
from kapture.measure import bench as module
from kapture.measure.bench import Bench, Cell, Row

CELLS = [
    Cell(side="raw", calls=6, median_ms=2.0, p95_ms=3.0, ratio=1.0, effect=True),
    Cell(side="kapture", calls=6, median_ms=4.0, p95_ms=5.0, ratio=2.0, effect=True, partial=True, answer_chars=1234),
]
UNABLE = Cell(side="peer", unsupported="it has no tool for this")
FAILED = Cell(side="peer", problem="no effect: \x1b[2Jthe page saw nothing")


def run(monkeypatch: pytest.MonkeyPatch, result: Bench, *arguments: str) -> tuple[Result, Mapping[str, Sequence[str]]]:
    started: dict[str, Sequence[str]] = {}

    async def measured(peers: Mapping[str, Sequence[str]], *_: Any) -> Bench:
        started.update(peers)
        return result

    monkeypatch.setattr(module, "bench", measured)
    monkeypatch.setattr("kapture.backends.chromium.find.find_browser", lambda named: named or "/browser")
    return CliRunner().invoke(bench_command, list(arguments)), started


def test_the_table_has_times_ratios_and_the_reason_of_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Row(label="click", cells=[*CELLS, UNABLE]), Row(label="hover", cells=[*CELLS, FAILED])]
    done, started = run(
        monkeypatch, Bench(sides=["raw", "kapture", "peer"], rows=rows), "--peer", "peer=npx -y 'a server'"
    )
    assert started == {"peer": ["npx", "-y", "a server"]}
    assert done.exit_code == 0  # a peer's failure is not Kapture's
    assert "4.0 (5.0)" in done.output
    assert "2.0 part" in done.output
    assert "kapture, click: the answer shows a part of the page, in 1,234 characters" in done.output
    assert "peer, click: it has no tool for this" in done.output
    assert "peer, hover: no effect: \ufffd[2Jthe page saw nothing" in done.output


def test_json_and_chart_hold_the_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    result = Bench(sides=["raw", "kapture"], rows=[Row(label="click", cells=CELLS)])
    done, _ = run(monkeypatch, result, "--json", "--svg", str(chart))
    cell = json.loads(done.stdout)["rows"][0]["cells"][1]
    assert (cell["side"], cell["ratio"], cell["effect"]) == ("kapture", 2.0, True)
    assert "kapture: 2.00×" in chart.read_text("utf-8")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_chart_that_cannot_be_written_ends_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    result = Bench(sides=["raw", "kapture"], rows=[Row(label="click", cells=CELLS)])
    done, _ = run(monkeypatch, result, "--svg", "/dev/full")
    assert done.exit_code == 1
    assert "Could not write /dev/full: No space left on device." in done.output


def test_an_operation_that_kapture_fails_at_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [CELLS[0], Cell(side="kapture", problem="no effect: the page saw nothing")]
    done, _ = run(monkeypatch, Bench(sides=["raw", "kapture"], rows=[Row(label="click", cells=cells)]))
    assert done.exit_code == 1
    assert "kapture, click: no effect" in done.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--peer", "npx server"], "is not NAME=COMMAND"),
        (["--peer", "a='"], "is not a command: No closing quotation"),
        (["--peer", "kapture=npx x"], "choose another"),
        (["--peer", "a=x", "--peer", "a=y"], "Two peers have the same name"),
        (["--only", "swim"], "There are: evaluate a script, click"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    done, started = run(monkeypatch, Bench(sides=[], rows=[]), *arguments)
    assert (done.exit_code, started) == (2, {})
    assert reason in " ".join(done.output.replace("│", " ").split())


def test_without_a_browser_the_error_says_how_to_name_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    done = CliRunner().invoke(bench_command, ["--browser", str(tmp_path / "none")])
    assert done.exit_code == 1
    assert "--browser names" in done.output
    assert "give its path with --browser" in done.output
