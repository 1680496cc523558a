from __future__ import annotations

import gc
import sys

import pytest
from click.testing import CliRunner

from kapture.__main__ import main
from kapture.cli import main as command


def test_the_bridge_collects_its_garbage_after_a_start_without_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = []
    monkeypatch.setattr("kapture.client.bridge.serve_stdio", lambda query: collecting.append(gc.isenabled()))
    monkeypatch.setattr(sys, "argv", ["kapture", "mcp"])
    try:
        main()
    finally:
        gc.unfreeze()
    assert collecting == [True]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("setpu", " Did you mean `kapture setup`?"),
        ("snapshot", " Did you mean `kapture call snapshot`?"),
        ("list-tabs", " Did you mean `kapture call list_tabs`?"),
        ("xyzzy", ""),
    ],
)
def test_an_unknown_command_is_answered_with_what_was_meant(typed: str, meant: str) -> None:
    result = CliRunner().invoke(command, [typed])
    assert result.exit_code == 2
    assert result.output.endswith(f"Error: No such command '{typed}'.{meant}\n")


@pytest.mark.parametrize(
    ("words", "imported"), [(["doctor"], "kapture.cli.main"), (["mcp"], "kapture.client.bridge.serve_stdio")]
)
def test_an_interrupt_while_modules_are_imported_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, words: list[str], imported: str
) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(imported, interrupted)
    monkeypatch.setattr(sys, "argv", ["kapture", *words])
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        gc.enable()
        gc.unfreeze()
    assert ended.value.code == 130


def test_lists_are_no_wider_than_the_terminal() -> None:
    for words in (["call"], ["call", "click", "--params"]):
        lines = CliRunner().invoke(command, words).output.splitlines()  # Click's runner has 80 columns
        assert len(lines) > 5
        assert max(map(len, lines)) <= 80


def test_the_parameters_of_a_command_say_that_one_of_two_is_required() -> None:
    said = " ".join(CliRunner().invoke(command, ["call", "click", "--params"]).output.split())
    assert said.count("(required: target or selector)") == 2
