"""An MCP client of the hub for the command line: light, because every `kapture call` pays for its start.

It speaks plain JSON-RPC over the connection of `kapture.client.connection` and no more of MCP than it needs.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import trio

from kapture import __version__
from kapture.changed import Changed
from kapture.client.connection import Link, LinkClosedError
from kapture.client.start import connect_or_start
from kapture.errors import ErrorCode, KaptureError
from kapture.settings import Settings

_PROTOCOL = "2025-06-18"
_TABS = "kapture://tabs"


class HubClient:
    """One connection to the hub. Made by `open_client`."""

    def __init__(self, link: Link) -> None:
        self.closed = trio.Event()
        """Set when the hub has gone."""
        self._link = link
        self._numbers = itertools.count(1)
        self._waiting: dict[int, tuple[trio.Event, list[dict[str, Any]]]] = {}
        self.tabs_changed = Changed()
        """Notified when the list of tabs is said to have changed, and when the hub has gone."""

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of one MCP request; a JSON-RPC error as `PROTOCOL_ERROR`."""
        number = next(self._numbers)
        answered, box = trio.Event(), list[dict[str, Any]]()
        self._waiting[number] = (answered, box)
        try:
            await self._send({"id": number, "method": method, "params": dict(params or {})})
            await answered.wait()
        except trio.Cancelled:
            with trio.CancelScope(shield=True), trio.move_on_after(1):
                await self._send({"method": "notifications/cancelled", "params": {"requestId": number}})
            raise
        finally:
            del self._waiting[number]
        if not box:
            raise _gone()
        if error := box[0].get("error"):
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, str(error.get("message", error)))
        result: dict[str, Any] = box[0]["result"]
        return result

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The MCP result of one tool call: `content`, `isError`, `structuredContent`."""
        return await self.request("tools/call", {"name": tool, "arguments": dict(arguments)})

    async def tabs(self) -> list[dict[str, Any]]:
        """The connected tabs, a row each as `list_tabs` has them. The query must ask for `structured` answers."""
        result = await self.call("kapturemcp_list_tabs", {})
        rows: list[dict[str, Any]] = result["structuredContent"]["tabs"]
        return rows

    async def greet(self, name: str) -> None:
        """MCP's handshake, and a subscription to the list of tabs."""
        client = {"name": name, "version": __version__}
        await self.request("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client})
        await self._send({"method": "notifications/initialized"})
        await self.request("resources/subscribe", {"uri": _TABS})

    async def read(self) -> None:
        """Take in what the hub sends until it goes."""
        try:
            while True:
                self._take(json.loads(await self._link.receive()))
        except LinkClosedError:
            self.closed.set()
            self.tabs_changed.notify()
            for answered, _ in self._waiting.values():
                answered.set()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "method" not in message:
            if found := self._waiting.get(message.get("id", 0)):
                found[1].append(dict(message))
                found[0].set()
        elif message["method"] in {"notifications/resources/updated", "notifications/resources/list_changed"}:
            self.tabs_changed.notify()

    async def _send(self, message: Mapping[str, Any]) -> None:
        try:
            await self._link.send(json.dumps({"jsonrpc": "2.0", **message}).encode())
        except LinkClosedError as error:
            raise _gone() from error


@asynccontextmanager
async def open_client(settings: Settings, *, name: str, query: str = "") -> AsyncIterator[HubClient]:
    """Connect to the hub of these settings, which is started when none runs. `query` chooses profile and toolsets."""
    link = await connect_or_start(settings.home, query, kind="cli")
    client = HubClient(link)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.read)
        try:
            await client.greet(name)
            yield client
        finally:
            with trio.CancelScope(shield=True):  # a checkpoint after cancelling would hide the block's own error
                await link.aclose()
            nursery.cancel_scope.cancel()


def _gone() -> KaptureError:
    return KaptureError(
        ErrorCode.NO_BACKEND, "The hub has gone.", hint="Try again: it is started anew when it is needed."
    )
