"""A hub that a client starts: with what capped the one before, or not at all."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from kapture.cli.hub import stop
from kapture.cli.running_hub import hub_status
from kapture.client.start import LOG_NAME, connected
from kapture.errors import ErrorCode, KaptureError
from kapture.server.listener import open_port, port_of
from tests.support.forked import run_kapture
from tests.support.stack import free_port, hub_process


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


@pytest.mark.parametrize("gone", [False, True])
async def test_a_hub_that_a_client_starts_keeps_the_policy_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, gone: bool
) -> None:
    home, policy = tmp_path / "home", tmp_path / "policy.toml"
    policy.write_text('deny = ["bank.example"]\n')
    policy.chmod(0o600)
    monkeypatch.setenv("KAPTURE_PORT", str(free_port()))
    with hub_process(home, arguments=["--policy", str(policy), "--safe-mode"]):
        pass
    if gone:
        policy.unlink()
        with pytest.raises(KaptureError) as refused:
            async with connected(home, start=True):
                pass
        assert f"kapture serve --background --policy {policy} --safe-mode" in str(refused.value)
        return
    async with connected(home, start=True):
        in_force = (await hub_status(home))["policy"]
        shown = run_kapture(["status"], {**os.environ, "KAPTURE_HOME": str(home)}, home).stdout.decode()
    await stop(home)
    assert (in_force["file"], in_force["safeMode"]) == (str(policy), True)
    assert in_force["sha256"] == sha256(policy.read_bytes()).hexdigest()
    assert f"{policy} (SHA-256 {in_force['sha256']}), safe mode" in shown
