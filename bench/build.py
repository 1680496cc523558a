"""A checkout of Kapture, run as its users run it: hub, browser with the extension, stdio bridges.

Two checkouts can be measured in one run, block by block: that is how a change is judged on a machine that is
never quiet.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import attrs

from kapture.measure.floor import Floor
from kapture.measure.hub_process import HubProcess, free_port, started_hub
from kapture.measure.launched_browser import launched_browser
from kapture.measure.mcp_client import McpClient, over_stdio, over_websocket
from kapture.measure.raw_cdp import attached, targets

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


@contextmanager
def running_hub(build: Build) -> Iterator[HubProcess]:
    """A hub on a port and a data folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="kapture-bench-") as folder,
        started_hub(Path(folder), free_port(), kapture=build.kapture, cwd=build.root) as hub,
    ):
        yield hub


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

    build: Build
    hub: HubProcess
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
        hub = stack.enter_context(running_hub(build))
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
    """The option that older builds, which launched no browser without the extension, do not have."""
    described = subprocess.run([*build.kapture, "launch", "--help"], cwd=build.root, capture_output=True, text=True)
    return ["--with-extension"] if "--with-extension" in described.stdout else []
