"""Ctrl-C, and what else asks a program to end, ends a command without a traceback."""

from __future__ import annotations

import signal
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


@pytest.mark.parametrize("name", [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)])
def test_a_request_to_end_is_one_like_ctrl_c(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked = getattr(signal, name)

    async def soak(*_: Any) -> None:
        signal.raise_signal(asked)
        await trio.sleep_forever()

    def unheard(*_: object) -> None:
        raise AssertionError("it would have ended the program at once")

    monkeypatch.setattr("kapture.measure.soak.soak", soak)
    before = signal.signal(asked, unheard)
    try:
        result = CliRunner().invoke(main, ["soak"])
        assert signal.getsignal(asked) is unheard
    finally:
        signal.signal(asked, before)
    assert (result.output.strip(), result.exit_code) == ("Aborted!", 1)


def test_a_request_to_end_is_heard_in_the_background_where_ctrl_c_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async def soak(*_: Any) -> None:
        with trio.fail_after(30):
            signal.raise_signal(signal.SIGTERM)
            await trio.sleep_forever()

    monkeypatch.setattr("kapture.measure.soak.soak", soak)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        result = CliRunner().invoke(main, ["soak"])
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.output.strip(), result.exit_code) == ("Aborted!", 1)


def test_an_error_beside_an_interrupt_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    soak_that_raises(monkeypatch, KeyboardInterrupt(), ValueError("a defect"))
    with pytest.raises(BaseExceptionGroup):
        CliRunner().invoke(main, ["soak"], catch_exceptions=False)
