"""`kapture console` and `rotate-key` act on the hub that holds the key, whatever else answers on its port."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from kapture.cli.console import console_command
from kapture.cli.rotate_key import rotate_key_command
from kapture.pairing import Pairing


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
    assert "Open this file" not in result.output
    assert not (home / "console.html").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="without SIGHUP there is no rotation")
def test_no_process_is_signalled_for_a_program_without_the_key(
    home: Path, squatter: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    signalled: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: signalled.append(pid))
    Pairing(home).write_key_file(squatter)
    result = CliRunner().invoke(rotate_key_command)
    assert result.exit_code == 1
    assert signalled == []


@pytest.mark.parametrize("command", [console_command, rotate_key_command])
def test_without_a_hub_they_say_how_to_start_one(home: Path, command: object) -> None:
    result = CliRunner().invoke(command)  # type: ignore[arg-type]
    assert result.exit_code == 1
    assert "kapture serve" in result.output
