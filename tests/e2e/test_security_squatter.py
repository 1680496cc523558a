"""A program that sits on the hub's port: it gets no tab, learns no key and no token, and nobody believes it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from trio_websocket import ConnectionClosed, WebSocketRequest, serve_websocket

from kapture.backends.chromium.launch import Launch
from kapture.backends.chromium.process import running
from kapture.package_files import extension_folder
from kapture.pairing import KeyFile, Pairing, TabProof, key_file
from kapture.pairing.host_manifest import write_host_manifest
from kapture.pairing.proof import decode, encode, fresh

pytestmark = pytest.mark.e2e


@attrs.define
class Squatter:
    """Plays the hub as well as one can without the key, and writes down all that it is told."""

    guesses: int = 2
    heard: list[dict[str, Any]] = attrs.field(factory=list)
    heads: list[str] = attrs.field(factory=list)
    tries: int = 0
    enough: trio.Event = attrs.field(factory=trio.Event)

    async def serve(self, *, task_status: trio.TaskStatus[Any] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve on a free port; started with the server."""
        await serve_websocket(self._take, "127.0.0.1", 0, None, task_status=task_status)

    async def _take(self, request: WebSocketRequest) -> None:
        self.heads.append(f"{request.path} {request.headers!r}")
        socket_ = await request.accept()
        self.tries += 1
        try:
            hub_nonce = fresh()
            await socket_.send_message(json.dumps({"type": "challenge", "nonce": hub_nonce}))
            with trio.move_on_after(10):
                while True:
                    message = json.loads(await socket_.get_message())
                    self.heard.append(message)
                    if message.get("type") == "proof":
                        # The best it can do: guess, or send back what it was sent.
                        guess = message["mac"] if self.tries % 2 else encode(os.urandom(32))
                        await socket_.send_message(json.dumps({"type": "proof", "mac": guess}))
                        registered = {"type": "registered", "tabId": "x", "sessionId": "x", "heartbeatMs": 1000}
                        await socket_.send_message(json.dumps(registered))
                        command = {"type": "command", "id": "1", "command": "cdp", "params": {"method": "Page.enable"}}
                        await socket_.send_message(json.dumps(command))
        except ConnectionClosed:
            pass
        finally:
            if self.tries >= self.guesses:
                self.enough.set()


async def test_the_extension_gives_a_squatter_no_tab_and_no_key(tmp_path: Path) -> None:
    home, profile = tmp_path / "home", tmp_path / "profile"
    squatter = Squatter()
    write_host_manifest(profile / "NativeMessagingHosts", home=home, launch_grant={"sites": ["*"], "level": "full"})
    launch = Launch(profile=profile, extension=extension_folder(), headless=True)
    async with trio.open_nursery() as nursery:
        server = await nursery.start(squatter.serve)
        Pairing(home).write_key_file(server.port)  # what the hub left: its port, its key, a living process
        secrets = key_file.read(home)
        async with running(launch):
            with trio.fail_after(60):
                await squatter.enough.wait()
        nursery.cancel_scope.cancel()
    kinds = {message.get("type") for message in squatter.heard}
    assert kinds == {"proof"}, squatter.heard
    assert all(set(message) == {"type", "nonce", "mac"} for message in squatter.heard)
    received = json.dumps(squatter.heard) + "".join(squatter.heads)
    assert secrets.key not in received
    assert secrets.clientToken not in received
    # What it was told does not get it into the real hub either.
    replay = squatter.heard[0]
    hub = Pairing(home).tab_proof()
    hub.challenge()
    with pytest.raises(Exception, match="proof is wrong"):
        hub.verify(replay["nonce"], replay["mac"])
    assert TabProof(decode(secrets.key) or b"") is not None


class Listening(threading.Thread):
    """A squatter for clients: accepts, answers every upgrade with success, records every byte."""

    def __init__(self) -> None:
        super().__init__()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(0.2)
        self.port: int = self.socket.getsockname()[1]
        self.heard = b""
        self.connections = 0
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.is_set():
            try:
                peer, _ = self.socket.accept()
            except TimeoutError:
                continue
            self.connections += 1
            with peer:
                peer.settimeout(1)
                try:
                    while b"\r\n\r\n" not in self.heard:
                        if not (data := peer.recv(65_536)):
                            break
                        self.heard += data
                    peer.sendall(
                        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        b"Sec-WebSocket-Accept: x\r\nKapture-Proof: " + fresh().encode() + b"\r\n\r\n"
                    )
                    while data := peer.recv(65_536):
                        self.heard += data
                except OSError:
                    continue


@contextmanager
def listening() -> Iterator[Listening]:
    squatter = Listening()
    squatter.start()
    try:
        yield squatter
    finally:
        squatter.over.set()
        squatter.join()
        squatter.socket.close()


def secrets_in(data: bytes, secrets: KeyFile) -> bool:
    return secrets.key.encode() in data or secrets.clientToken.encode() in data


@pytest.mark.parametrize(
    "command",
    [
        ["call", "list_tabs"],
        ["rotate-key"],
        ["release", "tab1"],
        ["console", "--no-open"],
        ["mcp"],
        ["launch", "--headless"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_tells_a_squatter_a_secret(tmp_path: Path, command: list[str]) -> None:
    home = tmp_path / "home"
    with listening() as squatter:
        Pairing(home).write_key_file(squatter.port)
        secrets = key_file.read(home)
        request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        environment = {**os.environ, "KAPTURE_HOME": str(home), "KAPTURE_PORT": str(squatter.port)}
        process = subprocess.Popen(
            [sys.executable, "-m", "kapture", *command],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            output, _ = process.communicate(request if command == ["mcp"] else b"", timeout=45)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
        assert squatter.connections, output
        assert not secrets_in(squatter.heard, secrets), squatter.heard
        assert not secrets_in(output, secrets), output


def test_a_hub_that_starts_on_a_squatted_port_reports_it_and_leaves_no_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with listening() as squatter:
        done = subprocess.run(
            [sys.executable, "-m", "kapture", "serve", "--port", str(squatter.port)],
            env={**os.environ, "KAPTURE_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert str(squatter.port) in done.stderr
    assert "--port" in done.stderr
    assert not (home / "hub.json").exists()
