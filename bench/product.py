"""Kapture, as a client has it: through bridge, hub and extension; or only its engine over the browser's own socket."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import attrs
from mcp import Client

from tests.support.context import Tab, open_tab
from tests.support.stack import HubProcess, browser_process, hub_process, mcp_client, text_of


class Product(Protocol):
    """One tab that takes commands."""

    async def __call__(self, name: str, /, **arguments: Any) -> str:
        """Run a command that must succeed; its text."""


@attrs.frozen
class Through:
    """A tab reached by an MCP client."""

    client: Client
    tab_id: str

    async def __call__(self, name: str, /, **arguments: Any) -> str:
        result = await self.client.call_tool(f"kapturemcp_{name}", {"tabId": self.tab_id, **arguments})
        if result.is_error:
            raise RuntimeError(f"{name}: {text_of(result)}")
        return text_of(result)


@attrs.frozen
class Engine:
    """A tab that the engine holds directly."""

    tab: Tab

    async def __call__(self, name: str, /, **arguments: Any) -> str:
        return await self.tab.text(name, **arguments)


@asynccontextmanager
async def through_the_stack(hub: HubProcess, tabs: int) -> AsyncIterator[list[Product]]:
    """So many tabs of a launched browser, in one client's hands over stdio."""
    with browser_process(hub, urls=["about:blank"] * tabs) as rows:
        async with mcp_client(hub) as client:
            yield [Through(client, row["tabId"]) for row in rows]


@asynccontextmanager
async def engine_only(port: int, tabs: int) -> AsyncIterator[list[Product]]:
    """So many tabs without hub and extension."""
    async with AsyncExitStack() as stack:
        yield [Engine(await stack.enter_async_context(open_tab(port))) for _ in range(tabs)]


@asynccontextmanager
async def own_hub(folder: Path) -> AsyncIterator[HubProcess]:
    """A hub on a port and a data folder of its own."""
    with hub_process(folder) as hub:
        yield hub
