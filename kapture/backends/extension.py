"""Tabs that carry CDP over their socket: the Kapture extension's, through `chrome.debugger`.

Commands run in the hub over a `Page`, set up when the tab has registered and anew whenever the debugger was attached
again (`attached_page`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import trio

from kapture.backends.attached_page import AttachedPage
from kapture.backends.link import Link, wire_failure
from kapture.backends.outbox import Outbox
from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply, Refusal, submit_each
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.read_gate import ReadGate

OpenPage: TypeAlias = "Callable[[CdpConnection, str, ReadGate], AbstractAsyncContextManager[Page]]"

_DIALOG = "Page.javascriptDialogOpening"
_CLOSING_S = 1
_CONSOLE = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})


class _CdpReply(PendingReply):
    """The answer to a CDP command, which an error names."""

    __slots__ = ("method",)

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method


class _Transport:
    """`CdpTransport` over the tab's socket."""

    def __init__(self, link: ExtensionLink) -> None:
        self._link = link

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Hand over one command."""
        _, reply = self._link.ask("cdp", _wrapped(method, params, session_id), reply=_CdpReply(method))
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Hand over several, in one message where the tab takes that."""
        if len(commands) == 1 or "cdp_all" not in self._link.register.capabilities:
            submit_each(self.submit, commands)
            return
        wrapped = [
            {**_wrapped(one.method, one.params, one.session_id), **({"after": True} if one.after else {})}
            for one in commands
        ]
        try:
            _, reply = self._link.ask("cdp_all", {"commands": wrapped})
        except KaptureError as error:
            reply = PendingReply()
            reply.fail(error)
        reply.then(lambda whole: self._settle_all(commands, whole))

    def _settle_all(self, commands: Sequence[CdpCommand], whole: PendingReply) -> None:
        try:
            answers = _answers(whole, len(commands))
        except KaptureError as error:
            for one in commands:
                one.reply.fail(error)
            return
        for one, answer in zip(commands, answers, strict=True):
            if answer.error is None:
                one.reply.resolve(answer.result)
            else:
                one.reply.fail(self._link.refusal(one.method, answer.error))


class ExtensionLink(Link):
    """The socket of a tab in a browser with our extension."""

    def __init__(self, register: messages.Register, outbox: Outbox, open_page: OpenPage) -> None:
        super().__init__(register, outbox)
        self._open_page = open_page
        self._page = AttachedPage(_Transport(self), self.pending.fail_all)

    @property
    def blocked(self) -> KaptureError | None:
        """As the page's engine sees it, which may answer dialogs by itself."""
        return self._page.now.dialogs.blocked() if self._page.now is not None else None

    @property
    def why_no_page(self) -> str | None:
        """Why commands cannot run now, if they cannot."""
        return self._page.reason.message if self._page.reason is not None else None

    @property
    def page_now(self) -> Page | None:
        """The page, if it is set up."""
        return self._page.now

    async def page(self) -> Page:
        """The page, waited for while it is being set up; else `DETACHED` with the reason."""
        return await self._page.get()

    def child_opened(self, tab_id: str) -> None:
        """The page's engine reports it as what an action did."""
        if self._page.now is not None:
            self._page.now.child_opened(tab_id)

    def take_event(self, event: messages.Event) -> None:
        """CDP events go to the page; the others say whether there is one."""
        if event.event == "cdp":
            if self._page.connection is not None:
                self._page.connection.deliver(event.method, event.params, event.session_id)
            if event.method == _DIALOG:
                self._tell_blocked()
            elif event.method in _CONSOLE:
                self.on_console()
            return
        super().take_event(event)
        match event.event:
            case "detached":
                self._detached(event)
            case "attached":
                self._page.attached()
            case _:
                self._page.changed()

    def _tell_blocked(self) -> None:
        if (error := self.blocked) is not None:
            self.on_blocked(error)

    def _detached(self, event: messages.Event) -> None:
        said = (event.message or "The browser closed the page to Kapture.")[:2_000]
        data = {"reason": event.reason[:200]}
        if self.left:
            hint = "Call list_tabs for the tabs that are connected."
            error = KaptureError(ErrorCode.TAB_DISCONNECTED, said, hint=hint, data=data)
        else:
            hint = "It comes back by itself when the tab shows a normal page again."
            error = KaptureError(ErrorCode.DETACHED, said, hint=hint, data=data)
        self._page.detached(error)
        if not self.closing:
            self.on_detached(error)

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the extension is attached. Everything it reads passes the gate."""

        @asynccontextmanager
        async def set_up(connection: CdpConnection) -> AsyncIterator[Page]:
            async with self._open_page(connection, self.tab_id, gate) as page:
                page.children_connect = True
                yield page

        await self._page.serve(set_up, on_open=self._tell_blocked)

    def failure(self, told: messages.WireError, reply: PendingReply) -> KaptureError:
        """What the browser itself refuses is a `CdpError`."""
        return self.refusal(reply.method if isinstance(reply, _CdpReply) else None, told)

    def refusal(self, method: str | None, told: messages.WireError) -> KaptureError:
        """Why a command was not done: a CDP command, if it has a method."""
        error = wire_failure(told)
        if Refusal.DEBUGGER_DETACHED.explains(error.message):
            return KaptureError(
                ErrorCode.DETACHED,
                "The tab was closed, or its debugger detached, while this ran.",
                hint="It may have taken effect. List the tabs to see which are connected.",
            )
        if error.code is ErrorCode.EXECUTION_ERROR and method is not None:
            code = error.data.get("cdpCode")
            return CdpError(method, error.message, code if isinstance(code, int) else -32000)
        return error

    def close(self, error: KaptureError) -> None:
        """The socket has ended: so has the page."""
        super().close(error)
        self._page.close(error)


def _wrapped(method: str, params: Mapping[str, Any], session_id: str | None) -> dict[str, Any]:
    """One CDP command as the wire has it."""
    wrapped: dict[str, Any] = {"method": method, "params": dict(params)}
    if session_id is not None:
        wrapped["sessionId"] = session_id
    return wrapped


def _answers(whole: PendingReply, count: int) -> list[messages.CdpAnswer]:
    """The answers to a `cdp_all`; else why there are none, or `PROTOCOL_ERROR`."""
    try:
        answers = msgspec.convert(whole.value(), messages.CdpAnswers).answers
    except msgspec.ValidationError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab's answers cannot be read: {error}.") from error
    if len(answers) != count:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab answered {len(answers)} commands of {count}.")
    return answers


class ExtensionBrowser:
    """`BrowserControl` over the tab's socket. `arrival` waits until a tab with this id has registered."""

    def __init__(self, link: ExtensionLink, arrival: Callable[[str], Awaitable[None]]) -> None:
        self._link = link
        self._arrival = arrival

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab and wait until it has connected."""
        result = await self._link.request("tab_new", {"url": url, "active": active})
        tab_id = result.get("tabId") if isinstance(result, dict) else None
        if not isinstance(tab_id, str):
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, "The extension opened a tab but did not say which.")
        await self._arrival(tab_id)
        return tab_id

    async def tab_close(self) -> None:
        """Close the tab; that its socket ends with it is no failure."""
        self._link.closing = True
        try:
            await self._link.request("tab_close", {})
        except KaptureError as error:
            if error.code is not ErrorCode.TAB_DISCONNECTED:
                self._link.closing = False
                raise
        with trio.move_on_after(_CLOSING_S):
            await self._link.ended.wait()

    async def tab_activate(self) -> None:
        """Bring it to the front."""
        await self._link.request("tab_activate", {})

    async def permission(self, name: str, setting: str) -> None:
        """Set what the tab's site may use."""
        await self._link.request("permission", {"name": name, "setting": setting})

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """One step of a download."""
        result = await self._link.request("download", params)
        return result if isinstance(result, dict) else {}
