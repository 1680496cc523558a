"""One MCP client's server: its handlers and its options.

A session lives as long as the client's connection and takes everything that is the client's with it. It speaks both
the 2025 versions of the protocol, with a handshake, and 2026-07-28, without one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import trio
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError

from kapture import __version__
from kapture.commands.core.registry import Access
from kapture.errors import KaptureError, TabDisconnected, TabNotFound
from kapture.hub import ClientKind, Hub
from kapture.mcp import completion, prompts, resources
from kapture.mcp.elicitation import elicitation
from kapture.mcp.instructions import instructions
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.session_clients import SessionClients
from kapture.mcp.tool import Tool
from kapture.mcp.tool_calls import ToolCalls

Context = ServerRequestContext[Any, Any]

_COMPLETE = {"resultType": "complete"}  # of 2026-07-28; earlier versions do not get to see it
_UNCACHED = CacheHint(ttl_ms=0, scope="private")  # what tabs show changes at any time
_CACHEABLE: tuple[CacheableMethod, ...] = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
)


class KaptureServer(Server[Any]):
    """The SDK's server, which in a handshake offers notifications of changed tools and resources."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK's, with other defaults: its own transports ask for them without arguments."""
        changes = notification_options or NotificationOptions(tools_changed=True, resources_changed=True)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)


class Session:
    """Serves one client, or (`shared`) every 2026-07-28 client of one HTTP endpoint.

    Made by `open_session`; `server` is what a transport runs.
    """

    def __init__(self, hub: Hub, options: Options, kind: ClientKind, nursery: trio.Nursery, *, shared: bool) -> None:
        self._hub = hub
        self._options = options
        self._profile: Profile = profile_of(options)
        self._clients = SessionClients(hub, kind, shared=shared)
        self._tool_calls = ToolCalls(hub, options, self._profile, self._clients, nursery)
        self.notifier = Notifier(hub, lambda: tuple(tool.name for tool in self._usable_tools()))
        self.server = self._make_server()

    def _make_server(self) -> KaptureServer:
        server = KaptureServer(
            "kapture",
            version=__version__,
            title="Kapture",
            instructions=instructions(self._options),
            cache_hints=dict.fromkeys(_CACHEABLE, _UNCACHED),
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self.notifier.listen,
        )
        handle = server.add_request_handler
        handle("tools/list", types.PaginatedRequestParams, self._list_tools)
        handle("tools/call", types.CallToolRequestParams, self._tool_calls.handle)
        handle("resources/list", types.PaginatedRequestParams, self._list_resources)
        handle("resources/templates/list", types.PaginatedRequestParams, self._list_resource_templates)
        handle("resources/read", types.ReadResourceRequestParams, self._read_resource)
        handle("prompts/list", types.PaginatedRequestParams, self._list_prompts)
        handle("prompts/get", types.GetPromptRequestParams, self._get_prompt)
        handle("completion/complete", types.CompleteRequestParams, self._complete)
        handle("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._initialized)
        server.middleware.append(self._register_client)
        return server

    async def _register_client(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Register the client with the hub when its handshake has named it."""
        result = await call_next(ctx)
        if ctx.method == "initialize":
            params = types.InitializeRequestParams.model_validate(ctx.params or {}, by_name=False)
            self._clients.get(params.client_info)
        return result

    async def _initialized(self, ctx: Context, params: types.NotificationParams) -> None:
        self.notifier.connection = ctx.session

    def close(self) -> None:
        """Let every client go."""
        self._clients.close()

    # Tools

    def _usable_tools(self) -> Iterable[Tool]:
        """The tools worth listing: those of access `full` only while some tab grants it."""
        full = any(tab.level >= Access.FULL for tab in self._hub.tabs.values())
        return (tool for tool in self._profile.tools if tool.access < Access.FULL or full)

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        structured = self._options.structured
        return {**_COMPLETE, "tools": [tool.listing(structured=structured) for tool in self._usable_tools()]}

    # Resources, prompts, completion, log

    async def _list_resources(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "resources": resources.listing(self._hub)}

    async def _list_resource_templates(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "resourceTemplates": resources.templates()}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        known = ctx.session.client_params
        try:
            with self._clients.serving(known.client_info if known else None, elicitation(ctx)) as client:
                return {**_COMPLETE, "contents": [await resources.read(self._hub, client.client, params.uri)]}
        except KaptureError as error:
            missing = isinstance(error, TabNotFound | TabDisconnected)
            raise MCPError(
                code=resources.NOT_FOUND if missing else types.INTERNAL_ERROR,
                message=str(error),
                data={"uri": params.uri, "code": error.code.value},
            ) from error

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.notifier.subscribe(params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.notifier.unsubscribe(params.uri)
        return types.EmptyResult()

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "prompts": prompts.listing()}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, **prompts.get(params.name, params.arguments or {}, self._profile)}

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "completion": completion.complete(self._hub, params.argument)}

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self.notifier.log.level = params.level
        return types.EmptyResult()


@asynccontextmanager
async def open_session(hub: Hub, options: Options, kind: ClientKind, *, shared: bool = False) -> AsyncIterator[Session]:
    """A session; leaving the block ends everything that is its clients'."""
    async with trio.open_nursery() as nursery:
        session = Session(hub, options, kind, nursery, shared=shared)
        try:
            nursery.start_soon(session.notifier.run)
            yield session
            nursery.cancel_scope.cancel()
        finally:
            session.close()
