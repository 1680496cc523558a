"""Requests of a tab's own panel: commands, run through the same queue as all others, and details of calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs
import trio

from kapture.backends.outbox import Outbox
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress
from kapture.commands.core.described import described_commands
from kapture.commands.core.registry import Scope, get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.calls import Calls
from kapture.hub.memory import CallDetails, answer_to_wire
from kapture.hub.state import HubState
from kapture.hub.status import page_tools
from kapture.hub.tabs.tab import Tab
from kapture.page.page_tools import PageTool
from kapture.wire import panel_messages
from kapture.wire.codec import encode
from kapture.wire.envelope import WireError

MOST_CALLS = 64
"""Commands that the panel of one tab may have running at once."""


class PanelCalls:
    """The requests of one panel; at most `limit` commands run at once.

    `call` runs a command for the panel and reports its progress, `find` gives the details of a call on its tab,
    `page_tools` the tools that the tab's pages declare.
    """

    def __init__(
        self,
        call: Callable[[str, Mapping[str, Any], Progress], Awaitable[CallResult]],
        find: Callable[[str], CallDetails | None],
        page_tools: Callable[[], Sequence[PageTool]],
        outbox: Outbox,
        limit: int,
    ) -> None:
        self._call = call
        self._find = find
        self._page_tools = page_tools
        self._outbox = outbox
        self._limit = limit
        self._running: dict[str, trio.CancelScope] = {}

    def take(self, nursery: trio.Nursery, message: panel_messages.FromPanel) -> None:
        """Process a request. Commands run in this nursery."""
        match message:
            case panel_messages.Invoke():
                self._start(nursery, message)
            case panel_messages.CancelInvoke():
                if (scope := self._running.get(message.id)) is not None:
                    scope.cancel()
            case panel_messages.ListCommands():
                tools = [_described(tool) for tool in self._page_tools() if not tool.problem]
                self._answer(message.id, {"commands": described_commands(), "pageTools": tools})
            case panel_messages.GetCall():
                self._details(message)

    def _start(self, nursery: trio.Nursery, message: panel_messages.Invoke) -> None:
        if len(self._running) >= self._limit or message.id in self._running:
            full = KaptureError(
                ErrorCode.QUEUE_FULL,
                f"The panel has {self._limit} commands running already, or one with this id.",
                hint="Wait for their results.",
            )
            self._outbox.offer(encode(_failed(message.id, full)))
            return
        scope = self._running[message.id] = trio.CancelScope()
        nursery.start_soon(self._run, message, scope)

    def _details(self, message: panel_messages.GetCall) -> None:
        if (details := self._find(message.call)) is None:
            gone = KaptureError(
                ErrorCode.EXECUTION_ERROR,
                "The hub does not keep this call's arguments and answer any more.",
                hint="It keeps those of the latest calls, until it is stopped.",
            )
            self._outbox.offer(encode(_failed(message.id, gone)))
            return
        arguments = {name: value for name, value in details.arguments.items() if name != "tabId"}
        answer = details.answer.to_wire() if details.answer is not None else None
        self._answer(message.id, {"arguments": arguments, "answer": answer, "error": details.error})

    async def _run(self, message: panel_messages.Invoke, scope: trio.CancelScope) -> None:
        async def progress(done: float, total: float | None = None, message: str = "") -> None:
            report = panel_messages.Progress(id=key, done=done, total=total, message=message)
            self._outbox.offer(encode(report))

        key = message.id
        result = _failed(key, KaptureError(ErrorCode.CANCELLED, "Cancelled in the panel."))
        try:
            with scope:
                answer = await self._call(message.command, message.params, progress)
                result = panel_messages.Result(id=message.id, success=True, result=_to_wire(answer))
        except KaptureError as error:
            result = _failed(message.id, error)
        finally:
            del self._running[message.id]
        self._send(result)

    def _answer(self, key: str, result: dict[str, Any]) -> None:
        self._send(panel_messages.Result(id=key, success=True, result=result))

    def _send(self, result: panel_messages.Result) -> None:
        try:
            self._outbox.put(encode(result))
        except KaptureError as error:
            self._outbox.offer(encode(_failed(result.id, error)))


def panel_of(state: HubState, calls: Calls, tab: Tab, outbox: Outbox) -> PanelCalls:
    """The panel of a tab, answered over this outbox."""

    async def call(name: str, params: Mapping[str, Any], progress: Progress) -> CallResult:
        return await calls.run(state.clients.panel(tab.tab_id), name, arguments_of(tab.tab_id, name, params), progress)

    latest = state.memory.calls(tab.tab_id)
    return PanelCalls(call, latest.get, lambda: page_tools(tab), outbox, MOST_CALLS)


def arguments_of(tab_id: str, name: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a panel's call, with the panel's own tab as the tabId of a command that needs one."""
    try:
        command = get_command(name)
    except KaptureError:
        return params  # unknown command: the call is refused and recorded
    takes_tab = command.scope is Scope.TAB or any(field.name == "tabId" for field in attrs.fields(command.params))
    return {**params, "tabId": tab_id} if takes_tab else params


def _described(tool: PageTool) -> dict[str, Any]:
    """A page tool as the panel's form needs it, in the page's own words."""
    frame = tool.frame.key or "main"
    return {"name": tool.name, "frame": frame, "description": tool.description, "schema": tool.schema}


def _to_wire(answer: CallResult) -> dict[str, Any]:
    return answer_to_wire("\n".join([*(one.text() for one in answer.said), answer.text]), answer.data, answer.parts)


def _failed(key: str, error: KaptureError) -> panel_messages.Result:
    failure = WireError(code=error.code.value, message=error.message, hint=error.hint, data=error.data or None)
    return panel_messages.Result(id=key, success=False, error=failure)
