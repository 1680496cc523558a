"""An agent, which is the official MCP client over `kapture mcp`: it works in each tab that it finds, and prints what
came of it as JSON."""

from __future__ import annotations

import json
import os
from typing import Any

import trio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

_STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("snapshot", {}),
    ("click", {"target": {"css": "button"}}),
    ("evaluate", {"code": "document.title"}),
)


async def main() -> None:
    server = StdioServerParameters(command="kapture", args=["mcp", "--structured"], env=dict(os.environ))
    found = []
    async with Client(stdio_client(server)) as client:

        async def call(tool: str, arguments: dict[str, Any]) -> Any:
            return await client.call_tool(f"kapturemcp_{tool}", arguments)

        for row in (await call("list_tabs", {})).structured_content["tabs"]:
            answers = {tool: await call(tool, {"tabId": row["tabId"], **arguments}) for tool, arguments in _STEPS}
            found.append({tool: str(answer.content) for tool, answer in answers.items()})
    print(json.dumps(found))


trio.run(main)
