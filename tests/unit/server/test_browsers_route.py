"""What a program that has asked for a browser gets when that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from trio_websocket import ConnectionClosed

from kapture.hub.browsers import Browsers
from tests.unit.server.served import drained, served

ATTACH = {"type": "attach", "grant": {"sites": ["*"], "level": "read"}, "endpoint": "ws://127.0.0.1:1"}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def attach(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Browsers, "attach", attach)


async def test_a_bug_is_reported_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, ZeroDivisionError())
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        failed = json.loads(await program.get_message())
        assert "Attaching to a browser failed because of a bug in Kapture" in failed["message"]
        assert "bug in Kapture" in caplog.text


async def test_a_program_that_disconnects_while_it_is_written_to_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, ConnectionClosed(None))
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        await drained(program)
        assert "bug in Kapture" not in caplog.text
