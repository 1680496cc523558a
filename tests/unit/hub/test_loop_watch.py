"""The longest step of the hub's loop is known."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import pytest
import trio

from kapture.hub import loop_watch
from tests.unit.hub.simulated import world


async def _busy() -> None:
    await trio.lowlevel.checkpoint()
    time.sleep(0.3)  # noqa: ASYNC251  what is measured
    await trio.lowlevel.checkpoint()


async def test_long_step_is_shown_in_status_and_logged_with_its_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loop_watch, "WARN_S", 0.2)
    with caplog.at_level(logging.WARNING):
        async with world(tmp_path) as there, trio.open_nursery() as nursery:
            nursery.start_soon(_busy, name="the busy one")
            await trio.sleep(0.1)
            shown = there.hub.status()["loop"]
    assert 300 <= shown["longestStepMs"] < 5_000
    assert shown["task"] == "the busy one"
    assert "the busy one" in caplog.text
