"""From the start of a process to its first list of tools, as an MCP client waits for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

import trio

_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    },
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


async def first_tools_list(environment: Mapping[str, str], *arguments: str) -> dict[str, object]:
    """Start `kapture mcp`, greet it, ask for the tools; the result of `tools/list`."""

    def talk() -> dict[str, object]:
        process = subprocess.Popen(
            [sys.executable, "-m", "kapture", "mcp", *arguments],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for message in (_HELLO, _READY, _LIST):
                process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    result: dict[str, object] = answer["result"]
                    return result
            raise RuntimeError("the bridge ended without an answer")
        finally:
            process.stdin.close()
            process.stdout.close()
            process.kill()
            process.wait()

    return await trio.to_thread.run_sync(talk)


async def bare_interpreter() -> None:
    """The floor: Python, and nothing else."""
    await trio.to_thread.run_sync(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
