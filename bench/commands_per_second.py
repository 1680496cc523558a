"""The hub's CPU time per command, with a tab that does no work itself."""

from __future__ import annotations

from bench.hub_process import HubProcess
from bench.mcp_client import over_websocket
from bench.simulated_tab import simulated_tab


async def cpu_ms(hub: HubProcess, count: int) -> float:
    """The hub's CPU time per command in milliseconds, over `count` commands to a self-executing tab."""
    async with simulated_tab(hub.port, hub.token, "benchtab") as tab, over_websocket(hub.port, hub.token) as client:
        arguments = {"tabId": tab.tab_id, "selector": "#a"}
        for _ in range(50):
            await client.call("click", arguments)
        before = hub.cpu_s() or 0.0
        for _ in range(count):
            await client.call("click", arguments)
        return ((hub.cpu_s() or 0.0) - before) * 1000 / count
