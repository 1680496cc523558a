"""Starting a hub that cannot run."""

from __future__ import annotations

from pathlib import Path

import pytest

from kapture.client.start import LOG_NAME, connected
from kapture.errors import ErrorCode, KaptureError
from kapture.server.listener import open_port, port_of


async def test_a_hub_that_cannot_start_is_an_error_with_what_this_start_has_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / LOG_NAME).write_text("2026-01-31 12:00:00,000 ERROR Something of yesterday.\n")
    listeners = await open_port(0)
    monkeypatch.setenv("KAPTURE_PORT", str(port := port_of(listeners)))
    try:
        with pytest.raises(KaptureError) as failed:
            async with connected(home, start=True):
                raise AssertionError
    finally:
        for listener in listeners:
            await listener.aclose()
    assert failed.value.code is ErrorCode.NO_BACKEND
    assert failed.value.message == (
        f"The hub could not be started (exit code 2). Another program is listening on port {port}. "
        "Stop it, or choose another port with --port or KAPTURE_PORT."
    )
