"""`tools/call`: from a tool's name and arguments to the command, and from the command's answer to the tool's.

A bug in planning or showing one call ends that call, never the session that it came from.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import trio
from mcp.server.context import ServerRequestContext

from kapture.commands.core.registry import Scope, get_command
from kapture.errors import ErrorCode, KaptureError, internal_error
from kapture.hub import Hub
from kapture.mcp.elicitation import PendingElicitations, ask_by_request, asks_by_result, elicitation
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile
from kapture.mcp.progress import report_progress
from kapture.mcp.results import error_result, tool_result
from kapture.mcp.session_clients import SessionClient, SessionClients
from kapture.mcp.tool import PlannedCall, ShowContext, Tool

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

_CONNECT = "Ask the person to connect one: Kapture's toolbar button or DevTools panel, Connect."


class ToolCalls:
    """Runs the tool calls of one session. `nursery` holds those that outlive their request, waiting for a person."""

    def __init__(
        self, hub: Hub, options: Options, profile: Profile, clients: SessionClients, nursery: trio.Nursery
    ) -> None:
        self._hub = hub
        self._options = options
        self._profile = profile
        self._clients = clients
        self._elicitations = PendingElicitations(nursery)

    async def handle(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        """The result of one request."""
        if params.request_state is not None:
            return await self._elicitations.resume(params.request_state, params.input_responses)
        if asks_by_result(ctx):
            return await self._elicitations.run(lambda: self._answer(ctx, params))
        ask_by_request(ctx)
        return await self._answer(ctx, params)

    async def _answer(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            answer = await self._run(ctx, params.name, params.arguments or {})
        except KaptureError as error:
            answer = error_result(error, code=self._profile.error_codes.get(error.code))
        except Exception as error:
            logger.exception("The tool %s failed because of a bug in Kapture.", params.name)
            answer = error_result(internal_error(params.name, error))
        return {"resultType": "complete", **answer}

    async def _run(self, ctx: Context, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        known = ctx.session.client_params
        with self._clients.serving(known.client_info if known else None, elicitation(ctx)) as client:
            tool, call = self._plan(client, name, arguments)
            if tool.needs_tab and "tabId" not in call.arguments and self._profile.has_current_tab:
                call.arguments["tabId"] = self._current_tab(client)
            async with report_progress(ctx, name) as progress:
                result = await self._hub.call(client.client, call.command, call.arguments, progress=progress)
                after = None
                if call.then is not None:
                    after = await self._hub.call(
                        client.client, call.then.command, _on_same_tab(call.then, call), progress=progress
                    )
            if tool.picks_tab:
                picked = (result.data if tool.picks_tab == "answer" else call.arguments).get("tabId")
                client.current_tab = picked if isinstance(picked, str) else client.current_tab
            context = ShowContext(arguments=arguments, after=after, current_tab=client.current_tab)
        text = tool.show(result, context) if tool.show else None
        return tool_result(result, text=text, structured=self._options.structured)

    def _plan(self, client: SessionClient, name: str, arguments: Mapping[str, Any]) -> tuple[Tool, PlannedCall]:
        try:
            tool = self._profile.tool(name)
            return tool, tool.plan(arguments)
        except KaptureError as error:
            self._hub.refused(client.client, name, arguments, error)
            raise

    def _current_tab(self, client: SessionClient) -> str:
        """The tab for a call that names none, in profiles that have a current tab. It never changes silently."""
        tabs = self._hub.tabs
        if client.current_tab is not None:
            if client.current_tab in tabs:
                return client.current_tab
            gone, client.current_tab = client.current_tab, None
            raise KaptureError(
                ErrorCode.TAB_DISCONNECTED,
                f"The current tab {gone} is no longer connected.",
                hint="The next call uses another connected tab." if tabs else _CONNECT,
                data={"tabId": gone},
            )
        if not tabs:
            raise KaptureError(ErrorCode.TAB_NOT_FOUND, "No tab is connected.", hint=_CONNECT)
        client.current_tab = max(tabs.values(), key=lambda tab: tab.connected_at).tab_id
        return client.current_tab


def _on_same_tab(then: PlannedCall, call: PlannedCall) -> dict[str, Any]:
    """The arguments of a call's second command."""
    if get_command(then.command).scope is Scope.HUB:
        return then.arguments
    return {**then.arguments, "tabId": call.arguments["tabId"]}
