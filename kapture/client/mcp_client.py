"""The MCP client of the command line: light, because every `kapture call` pays for its start.

The SDK takes longer to import than most calls take. This client speaks plain JSON-RPC over `kapture.client.connection`,
in a protocol version with a handshake, and implements no more of MCP than it needs.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from kapture import __version__
from kapture.background import running_beside
from kapture.changed import Changed
from kapture.client.connection import ConnectionClosedError, HubConnection
from kapture.client.session_proof import SessionProof
from kapture.client.start import connected
from kapture.errors import ErrorCode, KaptureError, NoBackend

_VERSION = "2025-11-25"
_TABS_CHANGED = ("notifications/resources/list_changed", "notifications/resources/updated")

OnProgress = Callable[[float, float | None, str], None]
"""Called with how much is done, of how much, and a sentence."""


@attrs.define(eq=False)
class _Request:
    """A pending request."""

    on_progress: OnProgress | None = None
    answered: trio.Event = attrs.field(factory=trio.Event)
    answer: dict[str, Any] | None = None


class McpClient:
    """One client of the hub. Made by `open_client`."""

    def __init__(self, connection: HubConnection) -> None:
        self.closed = trio.Event()
        """Set when the hub has closed the connection."""
        self.tabs_changed = Changed()
        """Notified when tabs have connected or disconnected, and when the connection is closed.

        After `watch_tabs` also when a tab shows something else, or a browser's extension has connected or disconnected.
        """
        self._connection = connection
        self._ids = itertools.count(1)
        self._waiting: dict[int, _Request] = {}

    async def call(
        self, tool: str, arguments: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> dict[str, Any]:
        """Call a tool; returns the MCP result: `content`, `isError`, `structuredContent`."""
        return await self._request("tools/call", {"name": tool, "arguments": dict(arguments)}, on_progress)

    async def tabs(self) -> list[dict[str, Any]]:
        """The tabs that are connected to this machine, as rows of `list_tabs`. The connection must ask for `structured`
        answers."""
        result = await self.call("kapturemcp_list_tabs", {})
        rows: list[dict[str, Any]] = result["structuredContent"]["tabs"]
        return [row for row in rows if not row.get("elsewhere")]

    async def command(self, name: str) -> dict[str, Any] | None:
        """Return the hub's `{"name", "schema"}` of a command; None if it knows none of that name, or is of 0.1.0."""
        try:
            result = await self._request("resources/read", {"uri": f"kapture://command/{name}"})
        except KaptureError as error:
            if error.code is ErrorCode.PROTOCOL_ERROR:
                return None
            raise
        about: dict[str, Any] = msgspec.json.decode(result["contents"][0]["text"])
        return about

    async def watch_tabs(self) -> None:
        """Subscribe to the list of tabs: what it says of them, and of the browsers."""
        await self._request("resources/subscribe", {"uri": "kapture://tabs"})

    async def _request(
        self, method: str, params: Mapping[str, Any], on_progress: OnProgress | None = None
    ) -> dict[str, Any]:
        """Send a request and return its result; raises `PROTOCOL_ERROR` for a JSON-RPC error."""
        if self.closed.is_set():
            raise _connection_lost()  # nobody would receive the answer
        number = next(self._ids)
        request = self._waiting[number] = _Request(on_progress)
        meta = {} if on_progress is None else {"_meta": {"progressToken": number}}
        try:
            await self._send({"id": number, "method": method, "params": {**params, **meta}})
            await request.answered.wait()
        except trio.Cancelled:
            # Nobody is left to tell where the hub has gone: then the cancellation goes on as it is.
            with trio.CancelScope(shield=True), trio.move_on_after(1), suppress(NoBackend):
                await self._send({"method": "notifications/cancelled", "params": {"requestId": number}})
            raise
        finally:
            del self._waiting[number]
        if request.answer is None:
            raise _connection_lost()
        if error := request.answer.get("error"):
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, str(error.get("message", "The hub refused the request.")))
        result: dict[str, Any] = request.answer["result"]
        return result

    async def receive_all(self) -> None:
        """Process what the hub sends until it closes the connection."""
        try:
            while True:
                self._receive(msgspec.json.decode(await self._connection.receive()))
        except ConnectionClosedError:
            self.closed.set()
            self.tabs_changed.notify()
            for request in self._waiting.values():
                request.answered.set()

    def _receive(self, message: Mapping[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case None:
                self._answer(message.get("id"), dict(message))
            case "notifications/progress":
                request = self._waiting.get(params["progressToken"])
                if request is not None and request.on_progress is not None:
                    request.on_progress(params["progress"], params.get("total"), params.get("message", ""))
            case method if method in _TABS_CHANGED:
                self.tabs_changed.notify()

    def _answer(self, number: Any, answer: dict[str, Any]) -> None:
        if (request := self._waiting.get(number)) is not None:
            request.answer = answer
            request.answered.set()

    async def _send(self, message: Mapping[str, Any]) -> None:
        try:
            await self._connection.send(_encoded(message))
        except ConnectionClosedError as error:
            raise _connection_lost() from error


@asynccontextmanager
async def open_client(
    home: Path, query: str = "", *, name: str, start: bool = False, session: SessionProof | None = None
) -> AsyncIterator[McpClient]:
    """A client with this name and proof of session of the hub; with `start`, the hub is started if none is running,
    else `HubAbsentError`."""
    async with connected(home, query, start=start, session=session, first=_handshake(name)) as connection:
        client = McpClient(connection)
        async with running_beside(client.receive_all):
            yield client


def _handshake(name: str) -> list[bytes]:
    """MCP's handshake under this name. Nothing waits for its answer, which a hub far away takes long to give: where the
    hub refuses it, it refuses the requests after it too."""
    client = {"name": name, "version": __version__}
    params = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client}
    return [
        _encoded({"id": 0, "method": "initialize", "params": params}),
        _encoded({"method": "notifications/initialized"}),
    ]


def _encoded(message: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", **message})


def _connection_lost() -> KaptureError:
    return KaptureError(
        ErrorCode.NO_BACKEND,
        "The hub closed the connection; the call may have taken effect.",
        hint="Look at the page before you try again; the hub is started again when it is needed.",
    )
