"""A client of the handshake era (2025) on a WebSocket, served without the SDK for all frequent messages.

`initialize`, `ping`, `tools/list`, `tools/call`, subscriptions, progress, cancellation and notifications are answered
here. All other messages go to the SDK: its server is imported, and given the client's handshake, for the first of them.

The SDK could serve the whole session, but would miss two targets. With every message handled by it (one run, 2 cores,
medians), the time from start to the first list of tools without a hub was 1,211 ms instead of 690: importing it takes
630 ms of processor time, more than the rest of the hub. Importing it in the background once the port is open does not
help the client that has started the hub, whose first messages arrive before that. And a call to a tab that executes
commands itself took the hub 0.84 ms instead of 0.50, however long the session lasted.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
import trio
from msgspec import UNSET, Raw, UnsetType

from kapture import __version__
from kapture.hub import Elicit
from kapture.mcp.instructions import SERVER_NAME, SERVER_TITLE, instructions
from kapture.mcp.log import LogLevel
from kapture.mcp.notifier import LOGGER
from kapture.mcp.progress import SendProgress
from kapture.mcp.session_state import SessionState
from kapture.mcp.tool_calls import ToolRequest

logger = logging.getLogger(__name__)

T = TypeVar("T")
Id: TypeAlias = int | str
Send: TypeAlias = Callable[[str], Awaitable[None]]

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""The protocol versions that begin with a handshake, oldest first."""
_CAPABILITIES: dict[str, Any] = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": True, "listChanged": True},
    "tools": {"listChanged": True},
}
_INTERNAL_ERROR = -32603


class Message(msgspec.Struct):
    """One JSON-RPC message, decoded only as far as needed to know who handles it."""

    jsonrpc: Literal["2.0"]
    id: Id | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw = Raw(b"{}")


class ClientInfo(msgspec.Struct):
    """The name and version of a client."""

    name: str
    version: str


class _Elicitation(msgspec.Struct):
    form: dict[str, Any] | None = None
    url: dict[str, Any] | None = None


class _ClientCapabilities(msgspec.Struct):
    elicitation: _Elicitation | None = None


class Initialize(msgspec.Struct):
    """The parameters of `initialize`."""

    protocolVersion: str  # noqa: N815  the protocol's names, here and below
    capabilities: _ClientCapabilities
    clientInfo: ClientInfo  # noqa: N815


class _Meta(msgspec.Struct):
    progressToken: Id | None = None  # noqa: N815


class _ToolCall(msgspec.Struct):
    name: str
    arguments: dict[str, Any] | None = None
    meta: _Meta | None = msgspec.field(default=None, name="_meta")


class _Paged(msgspec.Struct):
    cursor: str | None = None


class _Cancelled(msgspec.Struct):
    requestId: Id  # noqa: N815


class _Answer(msgspec.Struct):
    result: dict[str, Any] | None = None


_MESSAGE = msgspec.json.Decoder(Message)
_INITIALIZE = msgspec.json.Decoder(Initialize)
_TOOL_CALL = msgspec.json.Decoder(_ToolCall)
_CANCELLED = msgspec.json.Decoder(_Cancelled)
_PAGED = msgspec.json.Decoder(_Paged)
_ANSWER = msgspec.json.Decoder(_Answer)


def read_message(frame: str) -> Message | None:
    """Decode a message; None if it is not one, or only the SDK can refuse it properly."""
    return _decoded(_MESSAGE, frame)


def read_handshake(message: Message) -> Initialize | None:
    """The parameters of a well-formed `initialize`; None for any other message."""
    if message.method != "initialize" or message.id is UNSET:
        return None
    return _decoded(_INITIALIZE, message.params)


def _decoded(decoder: msgspec.json.Decoder[T], text: str | Raw) -> T | None:
    """What the text says; None if it is invalid."""
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None


class SessionWithoutSdk:
    """Serves one client. `take` returns whether a message was handled here."""

    def __init__(self, state: SessionState, handshake: Initialize, send: Send, nursery: trio.Nursery) -> None:
        self._state = state
        self._handshake = handshake
        self._send = send
        self._nursery = nursery
        self._initialized = False
        self._running: dict[Id, trio.CancelScope] = {}
        self._questions: dict[str, tuple[trio.Event, list[dict[str, Any] | None]]] = {}
        state.clients.get(handshake.clientInfo)

    async def answer_handshake(self, request: Id) -> None:
        """Answer `initialize`."""
        wanted = self._handshake.protocolVersion
        result = {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
            "capabilities": _CAPABILITIES,
            "serverInfo": {"name": SERVER_NAME, "title": SERVER_TITLE, "version": __version__},
            "instructions": instructions(self._state.options),
        }
        await self._answer(request, result)

    async def take(self, message: Message, frame: str) -> bool:
        """Handle a message, or start to; returns False if it is for the SDK."""
        if message.method is UNSET:
            return self._take_answer(message, frame)
        if message.id is UNSET:
            return self._take_notification(message)
        match message.method:
            case "tools/call":
                if (call := _decoded(_TOOL_CALL, message.params)) is None:
                    return False
                # From now on: its cancellation may be the next message, before the call's task has begun.
                scope = self._running[message.id] = trio.CancelScope()
                self._nursery.start_soon(self._call, message.id, call, scope)
            case "tools/list":
                page = _decoded(_PAGED, message.params)
                if page is None or page.cursor is not None:
                    return False
                await self._answer(message.id, {"tools": self._state.list_tools(self._handshake.clientInfo)})
            case "resources/subscribe" | "resources/unsubscribe":
                if not self._state.notifier.take(message.method, message.params):
                    return False
                await self._answer(message.id, {})
            case "ping":
                await self._answer(message.id, {})
            case _:
                return False
        return True

    def _take_notification(self, message: Message) -> bool:
        if message.method == "notifications/initialized":
            self._initialized = True
        elif message.method == "notifications/cancelled":
            cancelled = _decoded(_CANCELLED, message.params)
            running = None if cancelled is None else self._running.get(cancelled.requestId)
            if running is not None:
                running.cancel()
                return True
        return False

    # Tools

    async def _call(self, request: Id, call: _ToolCall, scope: trio.CancelScope) -> None:
        """Run one tool call. A call that the client cancels is not answered."""
        token = call.meta.progressToken if call.meta is not None else None
        asked = ToolRequest(
            name=call.name,
            arguments=call.arguments or {},
            client=self._handshake.clientInfo,
            elicit=self._elicit,
            send_progress=None if token is None else self._progress(token),
        )
        try:
            with scope:
                await trio.lowlevel.checkpoint_if_cancelled()
                result = await self._state.tool_calls.answer(asked)
                await self._answer(request, result)
        finally:
            if self._running.get(request) is scope:
                del self._running[request]

    def _progress(self, token: Id) -> SendProgress:
        async def send(progress: float, total: float | None, message: str | None) -> None:
            params = {"progressToken": token, "progress": progress}
            if total is not None:
                params["total"] = total
            if message is not None:
                params["message"] = message
            await self._notify("notifications/progress", params)

        return send

    @property
    def _elicit(self) -> Elicit | None:
        asks = self._handshake.capabilities.elicitation
        if asks is None or (asks.form is None and asks.url is not None):
            return None
        return self._ask

    async def _ask(self, title: str, detail: str) -> str | None:
        """Ask the client's person."""
        from kapture.mcp import elicitation  # imports the SDK, which takes less time than a person's answer

        # Never the id of another question, be it of an earlier hub: the bridge drops a late answer to that by its id.
        question = f"kapture-{secrets.token_hex(8)}"
        answered, into = self._questions[question] = (trio.Event(), list[dict[str, Any] | None]())
        params = elicitation.form_request(title, detail)
        try:
            await self._write({"id": question, "method": "elicitation/create", "params": params})
            await answered.wait()
        except trio.Cancelled:
            with trio.CancelScope(shield=True), trio.move_on_after(1):
                await self._notify("notifications/cancelled", {"requestId": question})
            raise
        finally:
            del self._questions[question]
        result = into[0]  # None: the client does not support it after all
        return None if result is None else elicitation.verdict_of(result.get("action"), result.get("content"))

    def _take_answer(self, message: Message, frame: str) -> bool:
        if not isinstance(message.id, str) or message.id not in self._questions:
            return False
        answered, into = self._questions[message.id]
        answer = _decoded(_ANSWER, frame)
        into.append(None if answer is None else answer.result)
        answered.set()
        return True

    # Notifications

    async def tools_changed(self) -> None:
        """Notify the client that the list of tools has changed."""
        await self._notify("notifications/tools/list_changed")

    async def resources_changed(self) -> None:
        """Notify the client that the list of resources has changed."""
        await self._notify("notifications/resources/list_changed")

    async def resource_updated(self, uri: str, *, subscribed: bool) -> None:
        """Notify the client that a resource has changed."""
        if subscribed:
            await self._notify("notifications/resources/updated", {"uri": uri})

    async def log(self, level: LogLevel, data: dict[str, Any]) -> None:
        """Send a log entry."""
        await self._notify("notifications/message", {"level": level, "logger": LOGGER, "data": data})

    async def _notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        if self._initialized:
            await self._write({"method": method} if params is None else {"method": method, "params": params})

    async def _answer(self, request: Id, result: dict[str, Any]) -> None:
        try:
            await self._write({"id": request, "result": result})
        except (TypeError, UnicodeEncodeError, msgspec.MsgspecError):
            logger.exception("An answer cannot be sent because of a bug in Kapture.")
            error = {"code": _INTERNAL_ERROR, "message": "The answer cannot be written as JSON."}
            await self._write({"id": request, "error": error})

    async def _write(self, message: dict[str, Any]) -> None:
        await self._send(msgspec.json.encode({"jsonrpc": "2.0", **message}).decode())
