"""One MCP client's server: its handlers and its options.

A session lasts as long as the client's connection; everything of the client ends with it. It speaks both the 2025
versions of the protocol, with a handshake, and 2026-07-28, without one.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import trio
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from kapture import __version__
from kapture.background import running_beside
from kapture.errors import KaptureError, TabDisconnected, TabNotFound, internal_error
from kapture.hub import ClientKind, Hub
from kapture.hub.carried_files import FileCarrier
from kapture.mcp import completion, prompts, resources
from kapture.mcp.elicitation import PendingElicitations, ask_by_request, asks_by_result, elicitation
from kapture.mcp.instructions import SERVER_NAME, SERVER_TITLE, instructions
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import Options
from kapture.mcp.page_tools import DynamicTools
from kapture.mcp.profiles import profile_of
from kapture.mcp.results import error_text
from kapture.mcp.session_clients import SessionClients
from kapture.mcp.tool_calls import ToolCalls, ToolRequest

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_COMPLETE = {"resultType": "complete"}  # of 2026-07-28; not sent to earlier versions
SESSION_HEADER = "Kapture-Session"
"""The header with a client's proof of session."""
_UNCACHED = CacheHint(ttl_ms=0, scope="private")  # tabs may change at any time
_CACHEABLE: tuple[CacheableMethod, ...] = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
)


class KaptureServer(Server[Any]):
    """The SDK's server, whose handshake also offers notifications of changed tools and resources."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """The SDK's options with other defaults: its own transports ask for them without arguments."""
        changes = notification_options or NotificationOptions(tools_changed=True, resources_changed=True)
        return super().create_initialization_options(changes, experimental_capabilities, extensions)


class Session:
    """Serves one client, or (`shared`) every 2026-07-28 client of one HTTP endpoint. Made by `open_session`; `server`
    is what a transport runs."""

    def __init__(
        self, hub: Hub, options: Options, clients: SessionClients, nursery: trio.Nursery, proof: str | None
    ) -> None:
        self._hub = hub
        self._connection_proof = proof
        self._options = options
        self._profile = profile_of(options)
        self._clients = clients
        self._dynamic = DynamicTools(hub) if options.page_tools == "dynamic" else None  # only to notice changes
        self._calls = ToolCalls(hub, options, self._profile, clients, dynamic=self._dynamic is not None)
        self._elicitations = PendingElicitations(nursery)
        self.notifier = Notifier(hub, self._listed, options.browser)
        self.server = self._make_server()

    def _make_server(self) -> KaptureServer:
        server = KaptureServer(
            SERVER_NAME,
            version=__version__,
            title=SERVER_TITLE,
            instructions=instructions(self._options),
            cache_hints=dict.fromkeys(_CACHEABLE, _UNCACHED),
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self.notifier.listen,
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
        server.middleware += [self._register_client, _fenced_errors]
        return server

    async def _register_client(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Register the client with the hub once its handshake has named it."""
        result = await call_next(ctx)
        if ctx.method == "initialize":
            params = types.InitializeRequestParams.model_validate(ctx.params or {}, by_name=False)
            self._clients.get(params.client_info, self._proof(ctx))
        return result

    def _proof(self, ctx: Context) -> str | None:
        """The proof of session: of the connection, or in an HTTP request."""
        proof = ctx.request.headers.get(SESSION_HEADER) if ctx.request is not None else None
        return proof if isinstance(proof, str) else self._connection_proof

    async def _initialized(self, ctx: Context, params: types.NotificationParams) -> None:
        self.notifier.connection = ctx.session

    # Tools

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        _check_cursor(params)
        client = self._clients.get(_client_info(ctx), self._proof(ctx))
        with self._hub.on_behalf_of(client.client):  # of pages only what may be shown to it
            of_pages = client.page_tools.tools() if self._dynamic is not None else []
        listed = [tool.listing(structured=self._options.structured) for tool in (*self._profile.tools, *of_pages)]
        return {**_COMPLETE, "tools": listed}

    def _listed(self) -> tuple[object, ...]:
        """A value that differs when the list of tools differs. Every tool of the profile is listed, whatever is granted
        now: many clients ignore notifications of changes."""
        of_pages = self._dynamic.tools() if self._dynamic is not None else []
        return tuple((tool.name, tool.description, str(tool.schema)) for tool in of_pages)

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        if params.request_state is not None:
            return await self._elicitations.resume(params.request_state, params.input_responses)
        wants_progress = ctx.meta is not None and ctx.meta.get("progress_token") is not None
        request = ToolRequest(
            name=params.name,
            arguments=params.arguments or {},
            client=_client_info(ctx),
            proof=self._proof(ctx),
            elicit=elicitation(ctx),
            send_progress=ctx.session.report_progress if wants_progress else None,
        )

        async def answer() -> dict[str, Any]:
            return {**_COMPLETE, **await self._calls.answer(request)}

        if asks_by_result(ctx):
            return await self._elicitations.run(answer)
        ask_by_request(ctx)
        return await answer()

    # Resources, prompts, completion, log

    async def _list_resources(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        _check_cursor(params)
        return {**_COMPLETE, "resources": resources.listing(self._hub, self._options.browser)}

    async def _list_resource_templates(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        _check_cursor(params)
        return {**_COMPLETE, "resourceTemplates": resources.templates()}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        with self._clients.serving(_client_info(ctx), elicitation(ctx), self._proof(ctx)) as client:
            return {**_COMPLETE, "contents": [await resources.read(self._hub, client.client, params.uri)]}

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self.notifier.subscribe(params.uri)
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self.notifier.unsubscribe(params.uri)
        return types.EmptyResult()

    async def _list_prompts(self, ctx: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        _check_cursor(params)
        return {**_COMPLETE, "prompts": prompts.listing()}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        return {**_COMPLETE, **prompts.get(params.name, params.arguments or {}, self._profile)}

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        client = self._clients.get(_client_info(ctx), self._proof(ctx)).client
        return {**_COMPLETE, "completion": await completion.complete(self._hub, client, params.ref, params.argument)}

    async def _set_level(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        self.notifier.log_level = params.level
        return types.EmptyResult()


async def _fenced_errors(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer what a handler raises as JSON-RPC's error. The SDK would pass on the text of any exception, and most may
    quote a page."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as raised:
        if not isinstance(raised, KaptureError):
            logger.exception("%s failed because of a bug in Kapture.", ctx.method)
        error = raised if isinstance(raised, KaptureError) else internal_error(ctx.method, raised)
        missing = isinstance(error, TabNotFound | TabDisconnected)
        data = {"code": error.code.value, **({"uri": uri} if (uri := (ctx.params or {}).get("uri")) else {})}
        code = resources.NOT_FOUND if missing else types.INTERNAL_ERROR
        raise MCPError(code=code, message=error_text(error), data=data) from raised


def _client_info(ctx: Context) -> types.Implementation | None:
    known = ctx.session.client_params
    return known.client_info if known else None


def _check_cursor(params: types.PaginatedRequestParams) -> None:
    """Refuse every cursor: lists are answered as a whole, so no answer has ever had one."""
    if params.cursor is not None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no page {params.cursor[:60]!r}: leave cursor out.")


@asynccontextmanager
async def open_session(
    hub: Hub,
    options: Options,
    kind: ClientKind,
    *,
    proof: str | None = None,
    shared: bool = False,
    kept: SessionClients | None = None,
    carrier: FileCarrier | None = None,
) -> AsyncIterator[Session]:
    """A session; everything of its clients ends with the block, unless they are among those that are `kept`. `proof`:
    of the client's session. `carrier`: of its files."""
    clients = kept or SessionClients(
        hub,
        kind,
        name=options.name,
        browser=options.browser,
        proof=proof,
        shared=shared,
        share=options.share,
        carrier=carrier,
    )
    try:
        async with trio.open_nursery() as nursery:
            session = Session(hub, options, clients, nursery, proof)
            async with running_beside(session.notifier.run):
                yield session
            nursery.cancel_scope.cancel()
    finally:
        if kept is None:
            clients.close()
