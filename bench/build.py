"""A checkout of Kapture, run as its users run it: hub, browser with the extension, stdio bridges.

Two checkouts can be measured in one run, block by block: that is how a change is judged on a machine that is
never quiet.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import attrs

from bench.floor import Floor
from bench.raw import attached, targets
from kapture.backends.chromium.find import find_browser
from kapture.measure.mcp_client import McpClient, over_stdio, over_websocket
from tests.support.stack import free_port

HERE = Path(__file__).parent.parent


def environment_of(home: Path, port: int) -> dict[str, str]:
    """For the processes of one hub. They keep what Python has compiled, as they do where people install them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "KAPTURE_HOME": str(home), "KAPTURE_PORT": str(port)}


@attrs.frozen
class Build:
    """One checkout, with its own `.venv`."""

    name: str
    root: Path

    @property
    def kapture(self) -> list[str]:
        """The `kapture` command."""
        return [str(self.root / ".venv" / "bin" / "python"), "-m", "kapture"]


@attrs.frozen
class Hub:
    """A running hub of a build."""

    build: Build
    home: Path
    port: int
    pid: int

    @property
    def environment(self) -> dict[str, str]:
        """For processes that talk to it."""
        return environment_of(self.home, self.port)

    @property
    def token(self) -> str:
        """The client token."""
        return str(json.loads((self.home / "hub.json").read_text())["clientToken"])

    def cpu_s(self) -> float:
        """The processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running_hub(build: Build) -> Any:
    """A hub on a port and a data folder of its own."""
    with tempfile.TemporaryDirectory(prefix="kapture-bench-") as folder:
        home, port = Path(folder), free_port()
        environment = environment_of(home, port)
        with (home / "hub.log").open("w") as log:
            process = subprocess.Popen(
                [*build.kapture, "serve"], cwd=build.root, env=environment, stdout=log, stderr=log
            )
        try:
            while not (home / "hub.json").exists():
                try:
                    process.wait(0.02)
                except subprocess.TimeoutExpired:
                    continue
                raise RuntimeError((home / "hub.log").read_text())
            yield Hub(build, home, port, process.pid)
        finally:
            process.terminate()
            process.wait()


@attrs.frozen
class Tab:
    """A tab: what both clients call it, and the floor in it."""

    tab_id: str
    floor: Floor
    plain: McpClient
    agent: McpClient

    async def __call__(self, name: str, /, **arguments: Any) -> bytes:
        """A command of the client that never looks at pages."""
        return await self.plain.call(name, {"tabId": self.tab_id, **arguments})

    async def as_agent(self, name: str, /, **arguments: Any) -> bytes:
        """The same of a client that has taken a snapshot, and is shown what each action changes."""
        return await self.agent.call(name, {"tabId": self.tab_id, **arguments})

    async def show(self, url: str) -> None:
        """Go to a page."""
        await self("navigate", url=url)


@attrs.frozen
class Stack:
    """A hub, a browser, clients."""

    hub: Hub
    browser_port: int
    plain: McpClient
    agent: McpClient
    direct: McpClient
    tab: Tab

    @asynccontextmanager
    async def further_tabs(self, count: int) -> AsyncIterator[list[Tab]]:
        """So many more tabs; they stay until the browser ends."""
        async with AsyncExitStack() as stack:
            tabs = []
            for _ in range(count):
                known = {target["id"] for target in await targets(self.browser_port)}
                answer = await self.plain.call("tab_new", {"tabId": self.tab.tab_id, "url": "about:blank"})
                new = [t for t in await targets(self.browser_port) if t["id"] not in known and t["type"] == "page"]
                floor = Floor(await stack.enter_async_context(attached(self.browser_port, new[0]["id"])))
                tab_id = json.loads(answer)["structuredContent"]["tabId"]
                tabs.append(Tab(tab_id, floor, self.plain, self.agent))
            yield tabs


@asynccontextmanager
async def open_stack(build: Build) -> AsyncIterator[Stack]:
    """The whole of one build."""
    async with AsyncExitStack() as stack:
        hub: Hub = stack.enter_context(running_hub(build))
        port, tab_id = stack.enter_context(browser(hub, *_with_extension(build)))
        bridge = [*build.kapture, "mcp", "--structured", "--toolsets", "all"]
        plain, agent = [
            await stack.enter_async_context(over_stdio(bridge, hub.environment, str(build.root))) for _ in range(2)
        ]
        direct = await stack.enter_async_context(over_websocket(hub.port, hub.token))
        page = next(t for t in await targets(port) if t["type"] == "page")
        floor = Floor(await stack.enter_async_context(attached(port, page["id"])))
        yield Stack(hub, port, plain, agent, direct, Tab(tab_id, floor, plain, agent))


@contextmanager
def browser(hub: Hub, *options: str) -> Any:
    """`kapture launch` with these options; the browser's debugging port and the id of its tab."""
    port = free_port()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="kapture-bench-"))
        wrapper = Path(folder) / "browser"
        wrapper.write_text(f'#!/bin/sh\nexec "{find_browser()}" "$@" --remote-debugging-port={port}\n')
        wrapper.chmod(0o700)
        process = subprocess.Popen(
            [*hub.build.kapture, "launch", "--headless", "--json", *options, "about:blank"],
            cwd=hub.build.root,
            env={**hub.environment, "KAPTURE_BROWSER": str(wrapper)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            yield port, json.loads(process.stdout.readline())["tabId"]
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def _with_extension(build: Build) -> list[str]:
    """The option that older builds, which launched no browser without the extension, do not have."""
    described = subprocess.run([*build.kapture, "launch", "--help"], cwd=build.root, capture_output=True, text=True)
    return ["--with-extension"] if "--with-extension" in described.stdout else []
