"""Ctrl-C in a command's nurseries."""

from __future__ import annotations

import pytest
from click import command
from click.testing import CliRunner

import kapture.cli


def command_that_raises(monkeypatch: pytest.MonkeyPatch, *errors: BaseException) -> None:
    @command()
    def raising() -> None:
        raise BaseExceptionGroup("of a nursery", [BaseExceptionGroup("of another", errors)])

    monkeypatch.setattr("kapture.cli.tour.tour_command", raising)


def test_interrupt_in_a_nursery_aborts_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    command_that_raises(monkeypatch, KeyboardInterrupt())
    result = CliRunner().invoke(kapture.cli.main, ["tour"])
    assert (result.output.strip(), result.exit_code) == ("Aborted!", 1)
