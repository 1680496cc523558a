"""`python -m tests.recipes.agent`: an agent, which is the official MCP client over `kapture mcp`. It works in the tab
of the recipe, and prints what it has found as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import trio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.stack import text_of


async def main() -> None:
    server = StdioServerParameters(command="kapture", args=["mcp"], env=dict(os.environ))
    found: dict[str, Any] = {}
    async with Client(stdio_client(server)) as client:
        for tool, arguments in (
            ("list_tabs", {}),
            ("snapshot", {}),
            ("click", {"target": {"css": "button"}}),
            ("evaluate", {"code": "1"}),
        ):
            result = await client.call_tool(f"kapturemcp_{tool}", arguments)
            found[tool] = text_of(result)
    print(json.dumps(found))


trio.run(main)
