"""A relay extension that answers as it is told, and the tabs that the hub serves behind it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from trio.testing import wait_all_tasks_blocked

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.relay.relay_browser import RelayBrowser, RelayTabs


class ScriptedExtension:
    """The socket: lists `tabs`, and answers every other command with an empty object."""

    def __init__(self, *tabs: int) -> None:
        self.tabs = list(tabs)
        self.sent: list[dict[str, Any]] = []
        self.answers = True
        self.refusals: dict[str, list[str]] = {}  # by method: the errors of its next commands
        self.to_hub, self._at_hub = trio.open_memory_channel[str](1_000)

    async def get_message(self) -> str:
        return await self._at_hub.receive()

    async def send_message(self, message: str) -> None:
        command = json.loads(message)
        self.sent.append(command)
        if "id" in command and self.answers:
            if errors := self.refusals.get(command["method"]):
                await self.say(id=command["id"], error=errors.pop(0))
                return
            rows = [{"id": number, "url": f"https://site{number}.test/", "title": ""} for number in self.tabs]
            await self.say(id=command["id"], result=rows if command["method"] == "tabs.list" else {})

    async def say(self, **message: Any) -> None:
        await self.to_hub.send(json.dumps(message))

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        await trio.lowlevel.checkpoint()

    def commands(self, method: str) -> list[dict[str, Any]]:
        return [command for command in self.sent if command.get("method") == method]


@asynccontextmanager
async def relay(
    folder: Path, socket: ScriptedExtension, ids: RelayTabs, most: int = 256, refused: list[str] | None = None
) -> AsyncIterator[dict[str, CdpTab]]:
    """The tabs that are served, by id; no more than `most`: the ids of those beyond go to `refused`."""
    served: dict[str, CdpTab] = {}

    async def serve(tab: CdpTab) -> None:
        if len(served) >= most:
            assert refused is not None
            refused.append(tab.tab_id)
            return
        served[tab.tab_id] = tab
        await tab.gone.wait()
        del served[tab.tab_id]

    browser = RelayBrowser(
        socket,
        ids,
        folder=folder,
        limit_bytes=1_000_000,
        open_page=lambda *_: None,  # type: ignore[arg-type]
        room=lambda: most - len(served),
        serve=serve,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.run)
        await wait_all_tasks_blocked()
        yield served
        nursery.cancel_scope.cancel()
