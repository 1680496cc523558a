"""One MCP client's server: its handlers, its options, its current tab, and what it is told unasked.

A session lives as long as the client's connection and takes everything that is the client's with it. It speaks
both eras of the protocol: a 2025 handshake client is notified on its connection, a 2026-07-28 client on the
`subscriptions/listen` streams that it opened.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types
import trio
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from kapture import __version__
from kapture.commands.core.registry import Access, Scope, get_command
from kapture.errors import ErrorCode, KaptureError, internal_error
from kapture.mcp import completion, prompts, resources
from kapture.mcp.approval import Parking, ask_by_request, asks_by_result, elicitation
from kapture.mcp.instructions import instructions
from kapture.mcp.log import Log
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.progress import report_progress
from kapture.mcp.results import error_result, tool_result
from kapture.mcp.tool import Call, Given, Tool

if TYPE_CHECKING:
    from kapture.hub import Hub
    from kapture.hub.client import Client, ClientKind
    from kapture.hub.events import HubEvent

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_COMPLETE = {"resultType": "complete"}  # of 2026-07-28; earlier versions do not get to see it
_FRESH = CacheHint(ttl_ms=0, scope="private")  # what tabs show changes at any time
_MAX_SUBSCRIPTIONS = 256
_MAX_PEERS = 64
PEER_IDLE_S = 30 * 60
_CACHEABLE: tuple[CacheableMethod, ...] = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
)
_CHANGED_TOOLS: ServerEvent = ToolsListChanged()
_CHANGED_RESOURCES: ServerEvent = ResourcesListChanged()


class KaptureServer(Server[Any]):
    """The SDK's server; in a handshake it says that it tells when tools and resources change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK's, with other defaults: its own transports ask for them without arguments."""
        changes = notification_options or NotificationOptions(tools_changed=True, resources_changed=True)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)


class Peer:
    """One client of a session: what the hub knows it by, and its current tab."""

    def __init__(self, hub: Hub, kind: ClientKind, info: types.Implementation | None) -> None:
        self._stack = ExitStack()
        name, version = (info.name, info.version) if info else ("unnamed", "")
        self.client: Client = self._stack.enter_context(hub.client(name=name[:200], version=version[:100], kind=kind))
        self.current_tab: str | None = None
        self.calls = 0
        self.last_call = trio.current_time()

    def leave(self) -> None:
        """Take the client from the hub, with all that is its."""
        self._stack.close()


class Session:
    """Serves one client, or (`shared`) every 2026-07-28 client of one HTTP endpoint.

    Made by `open_session`; `server` is what a transport runs.
    """

    def __init__(self, hub: Hub, options: Options, kind: ClientKind, nursery: trio.Nursery, *, shared: bool) -> None:
        self.hub = hub
        self._parking = Parking(nursery)
        self.options = options
        self.profile: Profile = profile_of(options)
        self._kind = kind
        self._shared = shared
        self._peers: OrderedDict[tuple[str, str], Peer] = OrderedDict()
        self._back: ServerSession | None = None  # how to reach a handshake client unasked
        self._subscribed: set[str] = set()
        self._log = Log()
        self._bus = InMemorySubscriptionBus()
        self._listed = self._usable_names()
        self.server = self._make_server()

    def _make_server(self) -> KaptureServer:
        server = KaptureServer(
            "kapture",
            version=__version__,
            title="Kapture",
            instructions=instructions(self.options),
            cache_hints=dict.fromkeys(_CACHEABLE, _FRESH),
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=ListenHandler(self._bus, max_subscriptions=64),
        )
        handle = server.add_request_handler
        handle("tools/list", types.PaginatedRequestParams, self._list_tools)
        handle("tools/call", types.CallToolRequestParams, self._call_tool)
        handle("resources/list", types.PaginatedRequestParams, self._list_resources)
        handle("resources/templates/list", types.PaginatedRequestParams, self._list_resource_templates)
        handle("resources/read", types.ReadResourceRequestParams, self._read_resource)
        handle("prompts/list", types.PaginatedRequestParams, self._list_prompts)
        handle("prompts/get", types.GetPromptRequestParams, self._get_prompt)
        handle("completion/complete", types.CompleteRequestParams, self._complete)
        handle("logging/setLevel", types.SetLevelRequestParams, self._set_level)
        server.add_notification_handler("notifications/initialized", types.NotificationParams, self._initialized)
        server.middleware.append(self._meet)
        return server

    # The client

    async def _meet(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Register the client with the hub when its handshake has said who it is."""
        result = await call_next(ctx)
        if ctx.method == "initialize":
            params = types.InitializeRequestParams.model_validate(ctx.params or {}, by_name=False)
            self._peer(params.client_info)
        return result

    @contextmanager
    def _serving(self, ctx: Context) -> Iterator[Peer]:
        """The client of this request, kept for the block."""
        params = ctx.session.client_params
        peer = self._peer(params.client_info if params else None)
        peer.client.elicit = elicitation(ctx)
        peer.calls += 1
        try:
            yield peer
        finally:
            peer.calls -= 1
            peer.last_call = trio.current_time()

    def _peer(self, info: types.Implementation | None) -> Peer:
        key = (info.name, info.version) if self._shared and info else ("", "")
        peer = self._peers.get(key)
        if peer is None:
            self._forget_idle(keep=_MAX_PEERS - 1)
            peer = self._peers[key] = Peer(self.hub, self._kind, info)
        self._peers.move_to_end(key)
        return peer

    def _forget_idle(self, *, keep: int) -> None:
        """Let clients go that have no connection to lose: those quiet for long, and the longest quiet beyond `keep`."""
        now = trio.current_time()
        for key, peer in list(self._peers.items()):
            if not self._shared or peer.calls:
                continue
            if len(self._peers) > keep or now - peer.last_call > PEER_IDLE_S:
                del self._peers[key]
                peer.leave()

    def close(self) -> None:
        """Let every client go."""
        while self._peers:
            self._peers.popitem()[1].leave()

    async def _initialized(self, ctx: Context, params: types.NotificationParams) -> None:
        self._back = ctx.session

    # Tools

    def _usable(self) -> Iterable[Tool]:
        """The tools worth listing: those of access `full` only while some tab grants it."""
        full = any(tab.level >= Access.FULL for tab in self.hub.tabs.values())
        return (tool for tool in self.profile.tools if tool.access < Access.FULL or full)

    def _usable_names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self._usable())

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "tools": [tool.listing(structured=self.options.structured) for tool in self._usable()]}

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        if params.request_state is not None:
            return await self._parking.resume(params.request_state, params.input_responses)
        if asks_by_result(ctx):
            return await self._parking.run(lambda: self._answer(ctx, params))
        ask_by_request(ctx)
        return await self._answer(ctx, params)

    async def _answer(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            answer = await self._run_tool(ctx, params.name, params.arguments or {})
        except KaptureError as error:
            answer = error_result(error, code=self.profile.error_codes.get(error.code))
        except Exception as error:
            # A mistake in planning or showing one call must not end the session that asked for it.
            logger.exception("%s failed in a way that it should not", params.name)
            answer = error_result(internal_error(params.name, error))
        return {**_COMPLETE, **answer}

    async def _run_tool(self, ctx: Context, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        with self._serving(ctx) as peer:
            try:
                tool = self.profile.tool(name)
                call = tool.plan(arguments)
            except KaptureError as error:
                self.hub.refused(peer.client, name, arguments, error)
                raise
            if tool.needs_tab and "tabId" not in call.arguments and self.profile.has_current_tab:
                call.arguments["tabId"] = self._current(peer)
            async with report_progress(ctx, name) as progress:
                result = await self.hub.call(peer.client, call.command, call.arguments, progress=progress)
                after = None
                if call.then is not None:
                    after = await self.hub.call(
                        peer.client, call.then.command, self._same_tab(call.then, call), progress=progress
                    )
            if tool.picks_tab:
                picked = (result.data if tool.picks_tab == "answer" else call.arguments).get("tabId")
                peer.current_tab = picked if isinstance(picked, str) else peer.current_tab
            given = Given(arguments=arguments, after=after, current_tab=peer.current_tab)
        text = tool.show(result, given) if tool.show else None
        return tool_result(result, text=text, structured=self.options.structured)

    @staticmethod
    def _same_tab(then: Call, call: Call) -> dict[str, Any]:
        """The arguments of a call's second command."""
        if get_command(then.command).scope is Scope.HUB:
            return then.arguments
        return {**then.arguments, "tabId": call.arguments["tabId"]}

    # The current tab, for profiles that have one

    def _current(self, peer: Peer) -> str:
        """The tab to use when a call names none; it never changes silently to another."""
        tabs = self.hub.tabs
        if peer.current_tab is not None:
            if peer.current_tab in tabs:
                return peer.current_tab
            gone, peer.current_tab = peer.current_tab, None
            raise KaptureError(
                ErrorCode.TAB_DISCONNECTED,
                f"The current tab {gone} is no longer connected.",
                hint="The next call uses another connected tab." if tabs else _CONNECT,
                data={"tabId": gone},
            )
        if not tabs:
            raise KaptureError(ErrorCode.TAB_NOT_FOUND, "No tab is connected.", hint=_CONNECT)
        peer.current_tab = max(tabs.values(), key=lambda tab: tab.connected_at).tab_id
        return peer.current_tab

    # Resources, prompts, completion

    async def _list_resources(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "resources": resources.listing(self.hub)}

    async def _list_resource_templates(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "resourceTemplates": resources.templates()}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        try:
            with self._serving(ctx) as peer:
                return {**_COMPLETE, "contents": [await resources.read(self.hub, peer.client, params.uri)]}
        except KaptureError as error:
            missing = error.code in (ErrorCode.TAB_NOT_FOUND, ErrorCode.TAB_DISCONNECTED)
            raise MCPError(
                code=resources.NOT_FOUND if missing else types.INTERNAL_ERROR,
                message=str(error),
                data={"uri": params.uri, "code": error.code.value},
            ) from error

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        resources.check(params.uri)
        if len(self._subscribed) >= _MAX_SUBSCRIPTIONS and params.uri not in self._subscribed:
            raise MCPError(code=types.INVALID_PARAMS, message=f"More than {_MAX_SUBSCRIPTIONS} subscriptions.")
        self._subscribed.add(params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.discard(params.uri)
        return types.EmptyResult()

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "prompts": prompts.listing()}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, **prompts.get(params.name, params.arguments or {}, self.profile)}

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, "completion": completion.complete(self.hub, params.argument)}

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self._log.level = params.level
        return types.EmptyResult()

    # What the client is told unasked

    async def watch(self) -> None:
        """Tell the client what changes in the hub, until cancelled."""
        async with self.hub.subscribe() as events:
            async for event in events:
                await self._tell(event)

    async def _tell(self, event: HubEvent) -> None:
        listed = self._listed if event.kind == "console" else self._usable_names()
        if listed != self._listed:
            self._listed = listed
            await self._publish(_CHANGED_TOOLS)
        if resources.changes_list(event):
            await self._publish(_CHANGED_RESOURCES)
        for uri in resources.touched(event):
            await self._publish(ResourceUpdated(uri=uri))
        entry = self._log.entry(event)
        if entry is not None and self._back is not None:
            await self._back.send_notification(entry)

    async def _publish(self, event: ServerEvent) -> None:
        await self._bus.publish(event)
        if self._back is None:
            return
        if isinstance(event, ToolsListChanged):
            await self._back.send_tool_list_changed()
        elif isinstance(event, ResourcesListChanged):
            await self._back.send_resource_list_changed()
        elif isinstance(event, ResourceUpdated) and event.uri in self._subscribed:
            await self._back.send_notification(
                types.ResourceUpdatedNotification(params=types.ResourceUpdatedNotificationParams(uri=event.uri))
            )


_CONNECT = "Ask the person to connect one: Kapture's toolbar button or DevTools panel, Connect."


@asynccontextmanager
async def open_session(hub: Hub, options: Options, kind: ClientKind, *, shared: bool = False) -> AsyncIterator[Session]:
    """A session, watched over; leaving the block ends everything that is its clients'."""
    async with trio.open_nursery() as nursery:
        session = Session(hub, options, kind, nursery, shared=shared)
        try:
            nursery.start_soon(session.watch)
            yield session
            nursery.cancel_scope.cancel()
        finally:
            session.close()
