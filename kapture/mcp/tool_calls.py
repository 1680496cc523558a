"""`tools/call`: converts a tool's name and arguments to a command, and the command's answer to the tool's result.

A bug in planning or formatting one call ends that call, never the session.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import attrs
import trio

from kapture.backends.remote import RemoteAnswer
from kapture.commands.core.answer import CallResult
from kapture.commands.core.registry import Scope, get_command
from kapture.errors import ErrorCode, KaptureError, internal_error
from kapture.hub import Elicit, Hub
from kapture.hub.tabs.tab import UNVOUCHED
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile
from kapture.mcp.progress import SendProgress, report_progress
from kapture.mcp.results import error_result, fitting, own_fields, text_result, tool_result
from kapture.mcp.session_clients import ClientInfo, SessionClient, SessionClients
from kapture.mcp.tool import PlannedCall, ShowContext, Tool

logger = logging.getLogger(__name__)

_EMPTY = "about:blank"
_TITLE_S = 1.0

_NEXT = "The next call uses another connected tab."
_NEXT_LAUNCHES = "The next call launches a browser."
_CONNECT = "Ask the person to connect one: Kapture's toolbar button or DevTools panel, Connect."


@attrs.frozen(kw_only=True)
class ToolRequest:
    """One `tools/call` on any transport. `proof`: of an HTTP client's session. `elicit` asks the client's person.
    `send_progress` None: no progress wanted."""

    name: str
    arguments: Mapping[str, Any]
    client: ClientInfo | None
    proof: str | None
    elicit: Elicit | None
    send_progress: SendProgress | None


class ToolCalls:
    """Runs the tool calls of one session. `dynamic`: page tools are tools of their own."""

    def __init__(
        self,
        hub: Hub,
        options: Options,
        profile: Profile,
        clients: SessionClients,
        *,
        dynamic: bool = False,
    ) -> None:
        self._hub = hub
        self._options = options
        self._profile = profile
        self._clients = clients
        self._dynamic = dynamic

    async def answer(self, request: ToolRequest) -> dict[str, Any]:
        """The result of one request; every error is returned as a result."""
        try:
            return await self._run(request)
        except KaptureError as error:
            error = self._in_own_words(error, request.name)
            return error_result(error, code=self._profile.code_of(error), write=self._profile.write_error)
        except Exception as error:
            logger.exception("The tool %s failed because of a bug in Kapture.", request.name)
            return error_result(internal_error(request.name, error))

    def _in_own_words(self, error: KaptureError, tool: str) -> KaptureError:
        """The error of a call of this tool in the profile's words."""
        nowhere = error.code in (ErrorCode.TAB_NOT_FOUND, ErrorCode.TAB_DISCONNECTED) and not self._hub.tabs
        code = ErrorCode.NO_BACKEND if nowhere else error.code
        if (words := self._profile.error_words.get(code)) is not None:
            if error.code is ErrorCode.TAB_DISCONNECTED:  # it may have taken effect
                words = f"{words} {error.message}"
            error = KaptureError(code, words, hint=error.advice, data=error.data)
        return self._profile.named(error, tool)

    async def _run(self, request: ToolRequest) -> dict[str, Any]:
        with self._clients.serving(request.client, request.elicit, request.proof) as client:
            tool, call = self._plan(client, request.name, request.arguments)
            try:
                return await self._run_planned(request, client, tool, call)
            except KaptureError as error:
                text = tool.show_error(error) if tool.show_error is not None else None
                if text is None:
                    raise
                return text_result(text, structured=self._options.structured, plain=self._options.plain_answers)

    async def _run_planned(
        self, request: ToolRequest, client: SessionClient, tool: Tool, call: PlannedCall
    ) -> dict[str, Any]:
        if (named := call.arguments.get("tabId")) and isinstance(named, str | int):
            if self._profile.error_words:  # its clients are told at once that no browser is connected
                await self._hub.choice.check_any()
            call.arguments["tabId"] = self._hub.choice.named(str(named))
        elif tool.picks_tab == "answer" and self._profile.has_current_tab and self._nothing_attached(client):
            return await self._first_tab(request, client, tool, call)
        elif tool.needs_tab and not named and (self._profile.has_current_tab or (self._options.keep and client.picked)):
            call.arguments["tabId"] = await self._current_tab(client)
        async with report_progress(request.send_progress, request.name) as progress:
            result = await self._hub.call(client.client, call.command, call.arguments, progress=progress)
            if tool.picks_tab == "answer":
                await self._titled(str(result.data.get("tabId")))
            after, failed = None, ""
            if call.then is not None:
                try:
                    after = await self._hub.call(
                        client.client, call.then.command, _on_same_tab(call.then, call), progress=progress
                    )
                except KaptureError as error:  # what the first command has done is not to be done again
                    worded = self._in_own_words(error, request.name)
                    failed = f"{self._profile.code_of(worded) or worded.code}: {worded.explanation}"
                result = attrs.evolve(result, untrusted=result.untrusted or after is None or after.untrusted)
        if tool.picks_tab:
            picked = (result.data if tool.picks_tab == "answer" else call.arguments).get("tabId")
            client.pick(picked if self._may_pick(picked, call) else client.current_tab)
        elif self._options.keep and (used := self._used_tab(call, result)) in self._hub.tabs:
            client.pick(used)
        if tool.show is None or not result.has_fields:
            foreign = self._options.structured and tool.output is not None and isinstance(result.answer, RemoteAnswer)
            return self._result(result, fields=fitting(result.data, tool.output or {}) if foreign else None)
        context = ShowContext(
            arguments=call.given,
            after=after,
            failed=failed,
            current_tab=client.current_tab or self._hub.choice.likely(client.client),
            short=self._hub.choice.short,
            backend=self._hub.backend_kind(str(call.arguments.get("tabId"))),
        )
        return self._shown(tool, result, context)

    def _used_tab(self, call: PlannedCall, result: CallResult) -> str | None:
        """Return the tab that a kept client's next calls go to: the one that it has opened or been given, or used."""
        opened = result.data.get("tabId") if call.command in ("tab_new", "request_tab") else None
        used = opened if self._may_pick(opened, call) else call.arguments.get("tabId")
        return used if isinstance(used, str) else None

    async def _titled(self, tab_id: str) -> None:
        """Wait until the page of a tab that was opened has a title, for at most a second."""
        with trio.move_on_after(_TITLE_S):
            async with self._hub.subscribe() as events:
                while (tab := self._hub.tabs.get(tab_id)) is not None and not tab.title and tab.url != _EMPTY:
                    await events.receive()

    def _may_pick(self, picked: object, call: PlannedCall) -> bool:
        """Whether the calls to come go to this tab: a tab that runs commands itself may answer with any id."""
        kinds = [self._hub.backend_kind(str(tab_id)) for tab_id in (picked, call.arguments.get("tabId", picked))]
        return isinstance(picked, str) and (kinds[0] == kinds[1] or UNVOUCHED.isdisjoint(kinds))

    def _shown(self, tool: Tool, result: CallResult, context: ShowContext) -> dict[str, Any]:
        """The result in the profile's own format, which its structured answer follows."""
        text = tool.show(result, context) if tool.show is not None else None
        if text is None:
            return self._result(result)
        return self._result(result, text, {"result": text} if tool.shows_prose else own_fields(text))

    def _result(
        self, result: CallResult, text: str | None = None, fields: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        options = self._options
        return tool_result(result, text=text, structured=options.structured, plain=options.plain_answers, fields=fields)

    def _nothing_attached(self, client: SessionClient) -> bool:
        """Whether no tab could serve as opener: none is connected, or only tabs of browsers behind a relay, and such
        as are never chosen."""
        usable = self._hub.choice.candidates(client.client)
        return all(
            tab.kind == "relay" or tab.kind in UNVOUCHED for tab_id, tab in self._hub.tabs.items() if tab_id in usable
        )

    async def _first_tab(
        self, request: ToolRequest, client: SessionClient, tool: Tool, call: PlannedCall
    ) -> dict[str, Any]:
        """Open a tab in a browser that is available or can be launched, and show the requested page in it."""
        tab_id = await self._hub.choice.new_tab(client.client)
        client.pick(tab_id)
        async with report_progress(request.send_progress, request.name) as progress:
            # Chrome gives an empty document the origin of the extension that navigates to it: the new one is kept.
            url = call.arguments.get("url", _EMPTY)
            command, more = ("tab_info", {}) if url == _EMPTY else ("navigate", {"url": url})
            result = await self._hub.call(client.client, command, {"tabId": tab_id, **more}, progress=progress)
        result = attrs.evolve(result, data={**result.data, "tabId": tab_id})
        context = ShowContext(arguments=call.given, current_tab=tab_id, short=self._hub.choice.short)
        return self._shown(tool, result, context)

    def _plan(self, client: SessionClient, name: str, arguments: Mapping[str, Any]) -> tuple[Tool, PlannedCall]:
        try:
            tool = self._of_page(client, name) or self._profile.tool(name)
            return tool, tool.plan(arguments)
        except KaptureError as error:
            self._hub.refused(client.client, name, arguments, error)
            raise

    def _of_page(self, client: SessionClient, name: str) -> Tool | None:
        if not self._dynamic:
            return None
        with self._hub.on_behalf_of(client.client):
            return client.page_tools.tool(name)

    async def _current_tab(self, client: SessionClient) -> str:
        """The tab for a call without a tabId, in profiles with a current tab. It never changes silently.

        A tab that the client has chosen stays; otherwise one is chosen for each call (`kapture.hub.tab_choice`).
        """
        tabs, current, choice = self._hub.tabs, client.current_tab, self._hub.choice
        if current is not None and current not in tabs and (client.picked or not choice.falls_back):
            client.pick(None)
            raise KaptureError(
                ErrorCode.TAB_DISCONNECTED,
                f"The current tab {current} is no longer connected.",
                hint=_NEXT if tabs else _NEXT_LAUNCHES if choice.falls_back else _CONNECT,
                data={"tabId": current},
            )
        if current is None or not client.picked:
            current = client.current_tab = await choice.tab(current, client.client)
        return current


def _on_same_tab(then: PlannedCall, call: PlannedCall) -> dict[str, Any]:
    """The arguments of a call's second command."""
    if get_command(then.command).scope is Scope.HUB:
        return then.arguments
    return {**then.arguments, "tabId": call.arguments["tabId"]}
