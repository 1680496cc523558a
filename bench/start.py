"""The time from process start to the first `tools/list` result, as an MCP client sees it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import msgspec
import trio

from bench.build import Build
from bench.hub_process import HubProcess, environment_of, free_port
from bench.mcp_client import over_stdio


async def with_hub(hub: HubProcess, *arguments: str) -> bytes:
    """Start a bridge to a running hub. Returns the result of `tools/list`."""
    command = [*hub.kapture, "mcp", *arguments]
    async with over_stdio(command, hub.environment, str(hub.cwd)) as client:
        return bytes(await client.request("tools/list", {}))


class NoHub:
    """The bridge has to start the hub. `end` stops that hub and deletes its data folder."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._home: Path | None = None

    async def start(self) -> None:
        """Start a bridge and wait for the first list of tools."""
        self._home = home = Path(tempfile.mkdtemp(prefix="kapture-bench-"))
        environment = environment_of(home, free_port())
        async with over_stdio([*self._build.kapture, "mcp"], environment, str(self._build.root)) as client:
            await client.request("tools/list", {})

    async def end(self) -> None:
        """Kill the hub and delete the data folder."""
        assert self._home is not None
        with suppress(OSError):
            os.kill(msgspec.json.decode((self._home / "hub.json").read_bytes())["pid"], signal.SIGKILL)
        shutil.rmtree(self._home, ignore_errors=True)


async def bare_interpreter() -> None:
    """The baseline: a Python interpreter that does nothing."""
    await trio.to_thread.run_sync(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
