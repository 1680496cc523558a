from __future__ import annotations

import gc
import sys

import pytest
from click.testing import CliRunner

from kapture.__main__ import main
from kapture.cli import main as command


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
    def interrupted(*_: object, **__: object) -> None:
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
