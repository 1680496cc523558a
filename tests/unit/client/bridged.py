"""A bridge between a client's pipes and a fake hub."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from kapture.client.bridge import Bridge
from tests.support.fake_hub import FakeHub
from tests.support.fake_hub_port import Stdio, listening

INITIALIZE = (
    b'{ "jsonrpc":"2.0", "id":0, "method":"initialize", "params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"tester","version":"1"}} }'
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def request(request_id: Any, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


def call(request_id: Any, **arguments: Any) -> bytes:
    return request(request_id, "tools/call", name="kapturemcp_logs", arguments=arguments)


@asynccontextmanager
async def bridged(home: Path) -> AsyncIterator[Stdio]:
    stdio = Stdio()
    left = trio.Event()

    async def run() -> None:
        await Bridge(home, "", stdio).run()
        left.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        yield stdio
        stdio.close()
        with trio.fail_after(30):
            await left.wait()  # by itself, because its client has closed its end


async def shake_hands(stdio: Stdio) -> Any:
    await stdio.say(INITIALIZE + b"\n" + INITIALIZED + b"\n")
    return await stdio.hear_json()


@asynccontextmanager
async def bridged_after_restart(home: Path, hub: FakeHub) -> AsyncIterator[Any]:
    """A bridge, its client's pipes, and a function that puts a new hub in the place of the old one."""
    async with trio.open_nursery() as nursery:
        end = trio.Event()

        async def run_hub(
            hub: FakeHub, ended: trio.Event, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
        ) -> None:
            async with listening(hub, home):
                task_status.started()
                await ended.wait()

        await nursery.start(run_hub, hub, end)

        async def restart() -> FakeHub:
            end.set()
            await hub.until(lambda: not hub.clients)
            later = FakeHub()
            await nursery.start(run_hub, later, trio.Event())
            return later

        async with bridged(home) as stdio:
            yield stdio, restart
        nursery.cancel_scope.cancel()
