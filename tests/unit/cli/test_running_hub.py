"""`kapture console`, `rotate-key` and `serve` know the hub by its key, whatever else answers on its port."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner
from trio_websocket import ConnectionClosed, open_websocket_url

from kapture.cli.cdp import cdp_command
from kapture.cli.console import console_command
from kapture.cli.health import check_port
from kapture.cli.hub import status_command, stop_command
from kapture.cli.rotate_key import rotate_key_command
from kapture.cli.serve import serve
from kapture.pairing import Pairing, key_file
from kapture.settings import Settings
from tests.support.stack import hub_process


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("KAPTURE_HOME", str(home))
    return home


@pytest.fixture
def squatter() -> Iterator[int]:
    """A program that answers on a hub's port as /health does, with the right process id."""

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = json.dumps({"kapture": "0.1.0", "pid": os.getpid()}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_console_gets_no_ticket_for_a_program_without_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    result = CliRunner().invoke(console_command, ["--no-open"])
    assert result.exit_code == 1
    assert "Open this" not in result.output
    assert not (home / "console.html").exists()


def test_a_program_without_the_key_is_not_believed_to_have_changed_it(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    result = CliRunner().invoke(rotate_key_command)
    assert result.exit_code == 1
    assert "new key" not in result.output


def test_the_key_is_changed_without_a_signal_as_on_windows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_process(home) as hub:
        monkeypatch.delattr(signal, "SIGHUP", raising=False)
        before = key_file.read(home)
        result = CliRunner().invoke(rotate_key_command)
        assert result.exit_code == 0, result.output
        after = key_file.read(home)
        assert after.port == before.port == hub.port
        assert {after.key, after.clientToken}.isdisjoint({before.key, before.clientToken})
        assert hub.process.poll() is None


def test_stop_ends_the_hub_that_status_shows(home: Path) -> None:
    with hub_process(home) as hub:
        shown = CliRunner().invoke(status_command)
        assert shown.exit_code == 0, shown.output
        assert f"process {hub.process.pid}, port {hub.port}" in shown.output
        stopped = CliRunner().invoke(stop_command)
        assert stopped.exit_code == 0, stopped.output
        assert hub.process.wait(30) == 0
        assert CliRunner().invoke(status_command).exit_code == 1


def test_stop_leaves_a_process_alone_whose_hub_cannot_prove_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)  # the pid is that of this process
    result = CliRunner().invoke(stop_command)
    assert result.exit_code == 1
    assert "stopped" not in result.output


def test_console_names_the_reason_why_nothing_was_opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with hub_process(home):
        result = CliRunner().invoke(console_command)
    assert result.exit_code == 0, result.output
    if sys.platform.startswith("linux"):
        assert "there is no display" in result.output
    assert (home / "console.html").as_uri() in result.output


def test_cdp_warns_where_no_tab_grants_full(home: Path) -> None:
    with hub_process(home):
        result = CliRunner().invoke(cdp_command)
    assert result.exit_code == 0, result.output
    assert "no connected tab grants" in result.stderr
    assert result.stdout.startswith("ws://127.0.0.1:")


async def test_only_who_holds_the_key_changes_the_key(home: Path) -> None:
    with hub_process(home) as hub:
        before = key_file.read(home)
        async with open_websocket_url(f"ws://127.0.0.1:{hub.port}/rotate-key") as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "token": before.clientToken}))
            with trio.fail_after(30), pytest.raises(ConnectionClosed):
                await socket.get_message()
        assert key_file.read(home) == before


@pytest.mark.parametrize("command", [console_command, rotate_key_command])
def test_without_a_hub_they_say_how_to_start_one(home: Path, command: object) -> None:
    result = CliRunner().invoke(command)  # type: ignore[arg-type]
    assert result.exit_code == 1
    assert "kapture serve" in result.output


def test_a_second_hub_does_not_take_a_program_without_the_key_for_the_first(
    home: Path, squatter: int, caplog: pytest.LogCaptureFixture
) -> None:
    Pairing(home).write_key_file(squatter)
    assert trio.run(serve, Settings(home=home, port=squatter)) == 2
    assert "could not prove" in caplog.text
    assert "already listening" not in caplog.text


def test_a_hub_on_another_port_is_not_kept_out_by_a_program_without_the_key(home: Path, squatter: int) -> None:
    Pairing(home).write_key_file(squatter)
    trio.run(check_port, home, squatter + 1)
