"""A checkout of Kapture, run as users run it: hub, browser with the extension, stdio bridges.

Two checkouts can be measured in one run, in alternating blocks, so that a change can be judged on a busy machine.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import attrs

from bench.floor import Floor
from bench.hub_process import HubProcess, running_hub
from bench.launched_browser import launched_browser
from bench.mcp_client import McpClient, over_stdio, over_websocket
from bench.raw_cdp import attached, targets

HERE = Path(__file__).parent.parent


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
class Tab:
    """One tab: its id, two clients, and raw CDP in the same tab as the baseline (`floor`)."""

    tab_id: str
    floor: Floor
    plain: McpClient
    agent: McpClient

    async def __call__(self, name: str, /, **arguments: Any) -> bytes:
        """Call a tool as `plain`, which never takes snapshots. Returns the result as JSON."""
        return await self.plain.call(name, {"tabId": self.tab_id, **arguments})

    async def as_agent(self, name: str, /, **arguments: Any) -> bytes:
        """Call a tool as `agent`, which has a snapshot and gets the changes after each action."""
        return await self.agent.call(name, {"tabId": self.tab_id, **arguments})

    async def show(self, url: str) -> None:
        """Go to a page."""
        await self("navigate", url=url)


@attrs.frozen
class Stack:
    """A running hub, a browser with the extension, and clients."""

    build: Build
    hub: HubProcess
    browser_port: int
    plain: McpClient
    agent: McpClient
    direct: McpClient
    tab: Tab

    @asynccontextmanager
    async def further_tabs(self, count: int) -> AsyncIterator[list[Tab]]:
        """Open `count` more tabs. They stay open until the browser ends."""
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
    """Start hub, browser and clients of one build."""
    async with AsyncExitStack() as stack:
        hub = stack.enter_context(running_hub(kapture=build.kapture, cwd=build.root))
        browser = stack.enter_context(launched_browser(hub, _with_extension(build)))
        bridge = [*build.kapture, "mcp", "--structured", "--toolsets", "all"]
        plain, agent = [
            await stack.enter_async_context(over_stdio(bridge, hub.environment, str(build.root))) for _ in range(2)
        ]
        direct = await stack.enter_async_context(over_websocket(hub.port, hub.token))
        page = next(t for t in await targets(browser.port) if t["type"] == "page")
        floor = Floor(await stack.enter_async_context(attached(browser.port, page["id"])))
        yield Stack(build, hub, browser.port, plain, agent, direct, Tab(browser.tab_id, floor, plain, agent))


def _with_extension(build: Build) -> list[str]:
    """`--with-extension`, or nothing for older builds, which do not have the option."""
    described = subprocess.run([*build.kapture, "launch", "--help"], cwd=build.root, capture_output=True, text=True)
    return ["--with-extension"] if "--with-extension" in described.stdout else []
