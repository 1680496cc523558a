"""The whole product for end-to-end tests: hub, headless browser with the extension, official MCP client."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import trio
from mcp import Client
from mcp_types import CallToolResult, ImageContent, TextContent

from kapture.settings import Settings
from tests.support.bridge import bridge
from tests.support.forked import ForkedProcess, fork_kapture

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 12
_PORTS = range(20_000 + _WORKER * 1_000, 21_000 + _WORKER * 1_000)
"""Below those that systems give to outgoing connections (32768 on Linux, 49152 elsewhere): one of these would keep a
hub from coming back to its port, and who looks for the hub there meanwhile could even be connected to itself. Each
worker has its own: between a hub and the next on its port, none of another worker takes it."""


def free_port() -> int:
    """A port that nobody listens on now, and that the system gives to nobody who does not ask for it."""
    while True:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port := secrets.choice(_PORTS)))
            return port


@attrs.frozen
class HubProcess:
    """`kapture serve` in a process of its own, on its own port and data folder."""

    home: Path
    port: int
    process: ForkedProcess

    @property
    def settings(self) -> Settings:
        """For code that talks to this hub."""
        return Settings.load({"port": self.port}, {"KAPTURE_HOME": str(self.home)})

    @property
    def environment(self) -> dict[str, str]:
        """For processes that talk to this hub."""
        return {**os.environ, "KAPTURE_HOME": str(self.home), "KAPTURE_PORT": str(self.port)}

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def hub_process(home: Path, port: int | None = None, arguments: Sequence[str] = ()) -> Iterator[HubProcess]:
    """Start a hub, wait until it listens, and end it with the block."""
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    port = port or free_port()
    environment = {**os.environ, "KAPTURE_HOME": str(home), "KAPTURE_PORT": str(port)}
    log = home / "hub.log"
    process = fork_kapture(["serve", "--port", str(port), *arguments], environment, log)
    try:
        wait_until_listening(process, port, log)
        yield HubProcess(home, port, process)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def wait_until_listening(process: ForkedProcess, port: int, log: Path) -> None:
    """Return when something accepts connections on the port; fail when the process ends first."""
    while process.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(1)
            # The hub holds its port before it serves: the key file is its word that it does. One that was killed may
            # have left another.
            if probe.connect_ex(("127.0.0.1", port)) == 0 and _key_is_of(process, log.parent / "hub.json"):
                return
        try:
            process.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"the hub ended with {process.poll()}:\n{log.read_text()}")


def _key_is_of(process: ForkedProcess, key_file: Path) -> bool:
    return key_file.exists() and bool(json.loads(key_file.read_text())["pid"] == process.pid)


@contextmanager
def browser_process(
    hub: HubProcess, urls: Sequence[str] = ("about:blank",), arguments: Sequence[str] = ()
) -> Iterator[list[dict[str, Any]]]:
    """A browser with the extension, headless; the rows of its connected tabs."""
    with launch_process(hub, urls, ["--with-extension", *arguments]) as launched:
        yield launched.rows


@attrs.frozen
class LaunchProcess:
    """`kapture launch` in a process of its own, and the rows of its connected tabs."""

    process: ForkedProcess
    rows: list[dict[str, Any]]


@contextmanager
def launch_process(
    hub: HubProcess, urls: Sequence[str] = ("about:blank",), arguments: Sequence[str] = ()
) -> Iterator[LaunchProcess]:
    """`kapture launch`, headless; interrupted at the end of the block."""
    process = fork_kapture(["launch", "--headless", "--json", *arguments, *urls], hub.environment)
    try:
        rows = []
        for _ in urls:
            line = process.stdout.readline()
            assert line, f"kapture launch ended with {process.wait()}; see {hub.home / 'hub.log'}"
            rows.append(json.loads(line))
        yield LaunchProcess(process, rows)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@asynccontextmanager
async def launched_beside(
    hub: HubProcess, urls: Sequence[str] = ("about:blank",), arguments: Sequence[str] = ()
) -> AsyncIterator[LaunchProcess]:
    """`launch_process` for where a client or a page is open: they go on while the browser starts and ends."""
    stack = ExitStack()
    launched = await trio.to_thread.run_sync(stack.enter_context, launch_process(hub, urls, arguments))
    try:
        yield launched
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(stack.close)


@asynccontextmanager
async def mcp_client(hub: HubProcess, *arguments: str, **options: Any) -> AsyncIterator[Client]:
    """The official client, over stdio through `kapture mcp`."""
    async with Client(bridge(hub.environment, arguments), **options) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    """The text blocks of an answer."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def images_of(result: CallToolResult) -> list[ImageContent]:
    """The image blocks of an answer."""
    return [part for part in result.content if isinstance(part, ImageContent)]


async def call(client: Client, tool: str, /, **arguments: Any) -> str:
    """Call a tool that must succeed; its text."""
    result = await client.call_tool(f"kapturemcp_{tool}", arguments)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def refusal(client: Client, tool: str, /, **arguments: Any) -> str:
    """Call a tool that must fail; the error's text."""
    result = await client.call_tool(f"kapturemcp_{tool}", arguments)
    assert result.is_error, text_of(result)
    return text_of(result)
