"""`kapture mcp` as a process: one hub for all, restarts, a clean stdout, a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp.shared.exceptions import MCPError

from kapture.client.connection import HubAbsentError
from kapture.client.start import connected
from kapture.pairing import key_file
from tests.support.patience import until
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, free_port, mcp_client, text_of

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Bridge:
    """One `kapture mcp` process, spoken to in lines."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kapture", "mcp", *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self, request_id: Any) -> Any:
        """The answer with this id; what comes before it is JSON-RPC too."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == request_id and "method" not in message:
                return message
        raise AssertionError(self.process.stderr.read() if self.process.stderr else "")

    def shake_hands(self) -> Any:
        self.say(INITIALIZE, INITIALIZED)
        return self.hear(0)

    def call(self, request_id: Any, tool: str, **arguments: Any) -> Any:
        params = {"name": f"kapturemcp_{tool}", "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params})
        return self.hear(request_id)

    def leave(self) -> tuple[int, bytes, bytes]:
        """Close its stdin; its exit code and what was left on its pipes."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err


@contextmanager
def clean_home(folder: Path) -> Iterator[dict[str, str]]:
    """An environment without a hub; one that was started in it ends with the block."""
    folder.mkdir(mode=0o700)
    environment = {**os.environ, "KAPTURE_HOME": str(folder), "KAPTURE_PORT": str(free_port())}
    try:
        yield environment
    finally:
        if (folder / key_file.FILE_NAME).exists():
            os.kill(key_file.read(folder).pid, signal.SIGTERM)


def hubs_started(folder: Path) -> int:
    return (folder / "hub.log").read_text().count(" is listening on ws://")


def test_bridges_that_start_at_the_same_instant_share_one_hub(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with clean_home(folder) as environment:
        bridges = [Bridge(environment) for _ in range(4)]
        for bridge in bridges:
            bridge.say(INITIALIZE, INITIALIZED)
        assert {bridge.hear(0)["result"]["serverInfo"]["name"] for bridge in bridges} == {"kapture"}
        status = bridges[0].call(1, "status")["result"]["content"][0]["text"]
        assert status.count("name: raw") == 4
        assert [bridge.leave()[0] for bridge in bridges] == [0, 0, 0, 0]
        assert hubs_started(folder) == 1


def test_the_client_continues_when_the_hub_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with clean_home(folder) as environment:
        bridge = Bridge(environment)
        bridge.shake_hands()
        before = key_file.read(folder).pid
        os.kill(before, signal.SIGKILL)
        answer = bridge.call(1, "list_tabs")
        while "error" in answer:  # it was on its way when the hub died
            assert "restarted" in answer["error"]["message"]
            answer = bridge.call(2, "list_tabs")
        assert "No tab is connected" in answer["result"]["content"][0]["text"]
        assert key_file.read(folder).pid != before
        bridge.leave()


def test_stdout_has_protocol_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with clean_home(folder) as environment:
        bridge = Bridge(environment)
        bridge.shake_hands()
        bridge.say({"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
        code, out, err = bridge.leave()
        assert code == 0
        assert [json.loads(line)["id"] for line in out.splitlines()] == [5]
        assert err == b""


def test_input_that_ends_at_once_ends_the_bridge_and_starts_no_hub_for_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with clean_home(folder) as environment:
        done = subprocess.run(
            [sys.executable, "-m", "kapture", "mcp"], env=environment, input=b"", capture_output=True, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert not (folder / "hub.log").exists()


def test_a_port_that_another_program_uses_is_reported_to_the_client(tmp_path: Path) -> None:
    import socket

    folder = tmp_path / "home"
    with clean_home(folder) as environment, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        environment["KAPTURE_PORT"] = str(other.getsockname()[1])
        bridge = Bridge(environment)
        bridge.say(INITIALIZE)
        refused = bridge.hear(0)
        assert f"Another program is listening on port {environment['KAPTURE_PORT']}" in refused["error"]["message"]
        assert bridge.leave()[0] == 0


def test_options_that_do_not_exist_are_refused_before_anything_starts(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    with clean_home(folder) as environment:
        bridge = Bridge(environment, "--profile", "maximal")
        code, out, err = bridge.leave()
    assert (code, out) == (2, b"")
    assert b"minimal" in err


async def test_a_killed_client_leaves_nothing_behind(hub: HubProcess) -> None:
    async with remote_tab(hub, "orphan", lambda command, params: None) as tab:
        bridge = Bridge(hub.environment)
        await trio.to_thread.run_sync(bridge.shake_hands)
        bridge.say(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "kapturemcp_click", "arguments": {"tabId": "orphan", "selector": "a"}},
            }
        )
        await tab.until(lambda: tab.commands)
        bridge.process.kill()
        await tab.until(lambda: tab.cancelled)
        await trio.to_thread.run_sync(bridge.process.wait)
        async with mcp_client(hub) as client:

            async def nothing_left() -> bool:
                status = text_of(await client.call_tool("kapturemcp_status", {}))
                return "name: raw" not in status and "running: click" not in status

            await until(nothing_left, "the end of the client's session and of its command")


async def test_a_rotated_key_is_read_again(hub: HubProcess) -> None:
    async with mcp_client(hub, mode="legacy") as client:
        await client.list_tools()
        before = key_file.read(hub.home).key
        hub.process.send_signal(signal.SIGHUP)

        async def rotated() -> bool:
            return key_file.read(hub.home).key != before

        await until(rotated, "the new key")
        with trio.fail_after(60):
            try:
                answer = await client.call_tool("kapturemcp_list_tabs", {})
            except MCPError:  # it was on its way when the connection was dropped
                answer = await client.call_tool("kapturemcp_list_tabs", {})
    assert not answer.is_error


async def test_a_hub_that_does_not_run_is_distinguished_from_one_that_does(hub: HubProcess, tmp_path: Path) -> None:
    with pytest.raises(HubAbsentError):
        async with connected(tmp_path):
            raise AssertionError
    async with connected(hub.home) as link:
        assert link.version
