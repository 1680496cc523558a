from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.peers import __main__ as module
from bench.peers.compare import Bench, Cell, Row

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
    monkeypatch.setattr(module, "find_browser", lambda named: named or "/browser")
    return CliRunner().invoke(module.main, list(arguments)), started


def test_table_has_times_ratios_and_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_failure_of_kapture_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_invalid_arguments_are_refused_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], reason: str
) -> None:
    done, started = run(monkeypatch, Bench(sides=[], rows=[]), *arguments)
    assert (done.exit_code, started) == (2, {})
    assert reason in " ".join(done.output.replace("│", " ").split())
