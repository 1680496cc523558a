"""Ctrl-C ends a command without a traceback."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from click.testing import CliRunner

from kapture.cli import main


def soak_that_raises(monkeypatch: pytest.MonkeyPatch, *errors: BaseException) -> None:
    async def soak(*_: Any) -> None:
        await trio.lowlevel.checkpoint()
        raise BaseExceptionGroup("of a nursery", [BaseExceptionGroup("of another", errors)])

    monkeypatch.setattr("kapture.measure.soak.soak", soak)


def test_an_interrupt_in_a_nursery_is_answered_in_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    soak_that_raises(monkeypatch, KeyboardInterrupt())
    result = CliRunner().invoke(main, ["soak"])
    assert (result.output.strip(), result.exit_code) == ("Aborted!", 1)


def test_an_error_beside_an_interrupt_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    soak_that_raises(monkeypatch, KeyboardInterrupt(), ValueError("a defect"))
    with pytest.raises(BaseExceptionGroup):
        CliRunner().invoke(main, ["soak"], catch_exceptions=False)
