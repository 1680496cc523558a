"""--port and --headed are honoured or refused, at once and with the way out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli import main
from kapture.pairing import KeyFile, key_file
from tests.support.stack import HubProcess, free_port, hub_process


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    with hub_process(tmp_path_factory.mktemp("hub") / "data") as started:
        yield started


@pytest.fixture
def hub(running: HubProcess, monkeypatch: pytest.MonkeyPatch) -> HubProcess:
    monkeypatch.setenv("KAPTURE_HOME", str(running.home))
    monkeypatch.setenv("KAPTURE_PORT", str(running.port))
    return running


@pytest.mark.parametrize(
    "command",
    [
        ["launch", "--headless"],
        ["attach", "ws://127.0.0.1:1/"],
        ["setup", "--no-wait"],
        ["tour", "--once", "--headless"],
    ],
    ids=lambda command: command[0],
)
def test_another_port_than_the_running_hubs_is_refused(hub: HubProcess, tmp_path: Path, command: list[str]) -> None:
    done = CliRunner().invoke(main, [*command, "--port", str(free_port())], env={"HOME": str(tmp_path)})
    assert done.exit_code == 1
    assert f"runs on port {hub.port} already" in done.output
    assert f"process {hub.process.pid}" in done.output


def test_a_second_hub_of_a_data_folder_does_not_take_its_key_file_over(hub: HubProcess) -> None:
    before = key_file.read(hub.home)
    command = [sys.executable, "-m", "kapture", "serve", "--port", str(free_port())]
    done = subprocess.run(command, env=hub.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"runs on port {hub.port} already" in done.stderr
    assert key_file.read(hub.home) == before


def test_a_key_file_left_by_a_hub_that_was_killed_keeps_nobody_from_a_port(tmp_path: Path) -> None:
    with hub_process(tmp_path / "data") as killed:
        killed.kill()
        with hub_process(killed.home, free_port()) as again:
            assert isinstance(key_file.read(again.home), KeyFile)


def test_the_running_hubs_own_port_is_taken_as_it_is(hub: HubProcess, tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["setup", "--no-wait", "--port", str(hub.port)], env={"HOME": str(tmp_path)})
    assert "Hub: running" in done.output


@pytest.mark.parametrize("command", ["launch", "tour"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_a_window_without_a_display_is_refused_at_once(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(main, [command, "--headed"])
    assert done.exit_code == 2
    assert "--headed needs a display" in done.output
    assert "xvfb-run" in done.output
