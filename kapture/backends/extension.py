"""Tabs that carry CDP over their socket: the Kapture extension's, through `chrome.debugger`.

Commands run in the hub over a `Page`, set up when the tab has registered and anew whenever the debugger was attached
again (`attached_page`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from kapture.backends.attached_page import AttachedPage
from kapture.backends.backend import Address, BackendCall
from kapture.backends.extension_browser import ExtensionBrowser
from kapture.backends.extension_transport import ExtensionTransport
from kapture.backends.outbox import Outbox
from kapture.backends.tab_connection import TabConnection
from kapture.cdp import CdpConnection
from kapture.commands.core.context import TabContext
from kapture.commands.core.result import CallResult
from kapture.commands.core.run import run_on_tab
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.read_gate import ReadGate

OpenPage: TypeAlias = "Callable[[CdpConnection, str, ReadGate], AbstractAsyncContextManager[Page]]"

_DIALOG = "Page.javascriptDialogOpening"
_CONSOLE = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})


class ExtensionBackend(TabConnection):
    """A tab in a browser with our extension."""

    def __init__(self, register: messages.Register, outbox: Outbox, open_page: OpenPage) -> None:
        super().__init__(register, outbox)
        self._open_page = open_page
        self._page = AttachedPage(ExtensionTransport(self), self.pending.fail_all)

    @property
    def address(self) -> Address:
        """As the page's engine sees it, which knows a document as soon as it is there."""
        if (page := self._page.now) is not None:
            with suppress(KaptureError):  # between two main frames there is none
                # Until the document has a title, the browser's word for it, if it means the same document.
                return Address(url=page.url, title=page.title or (self.title if self.url == page.url else ""))
        return super().address

    @property
    def inherited_url(self) -> str | None:
        """The URL that the main document speaks for, where its own says nothing."""
        if (page := self._page.now) is not None:
            with suppress(KaptureError):
                main = page.frames.main
                return main.policy_url if main.inherits and main.policy_url != main.url else None
        return None

    @property
    def blocked(self) -> KaptureError | None:
        """As the page's engine sees it, which may answer dialogs by itself."""
        return self._page.now.dialogs.blocked() if self._page.now is not None else None

    @property
    def why_detached(self) -> str | None:
        """Why there is no page."""
        return self._page.reason.message if self._page.reason is not None else None

    async def page(self) -> Page:
        """The page, waited for while it is being set up; else `DETACHED` with the reason."""
        return await self._page.get()

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the debugger is attached. Everything it reads passes the gate."""

        @asynccontextmanager
        async def set_up(connection: CdpConnection) -> AsyncIterator[Page]:
            async with self._open_page(connection, self.tab_id, gate) as page:
                page.children_connect = True
                yield page

        await self._page.serve(set_up, on_open=self._check_blocked)

    async def run(self, call: BackendCall) -> CallResult:
        """Run the command's handler here, over the page."""
        context = TabContext(
            tab_id=self.tab_id,
            page=await self.page(),
            client=call.client,
            browser=ExtensionBrowser(self, call.wait_connected),
            files=call.files,
            hub=call.hub,
            progress=call.progress,
            invoke_step=call.invoke_step,
        )
        return await run_on_tab(call.command, context, call.params, call.snapshot)

    def child_opened(self, tab_id: str) -> None:
        """The page's engine reports it as what an action did."""
        if self._page.now is not None:
            self._page.now.child_opened(tab_id)

    def handle_event(self, event: messages.Event) -> None:
        """CDP events go to the page; the others say whether there is one."""
        if event.event == "cdp":
            if self._page.connection is not None:
                self._page.connection.deliver(event.method, event.params, event.session_id)
            if event.method == _DIALOG:
                self._check_blocked()
            elif event.method in _CONSOLE:
                self.on_console()
            return
        super().handle_event(event)
        match event.event:
            case "detached":
                self._detached(event)
            case "attached":
                self._page.attached()
            case _:
                self._page.changed()

    def close(self, error: KaptureError) -> None:
        """The socket has ended: so has the page."""
        super().close(error)
        self._page.close(error)

    def _check_blocked(self) -> None:
        if (error := self.blocked) is not None:
            self.on_blocked(error)

    def _detached(self, event: messages.Event) -> None:
        reason = (event.message or "The browser closed the page to Kapture.")[:2_000]
        data = {"reason": event.reason[:200]}
        if self.leaving:
            hint = "Call list_tabs for the tabs that are connected."
            error = KaptureError(ErrorCode.TAB_DISCONNECTED, reason, hint=hint, data=data)
        else:
            hint = "It comes back by itself when the tab shows a normal page again."
            error = KaptureError(ErrorCode.DETACHED, reason, hint=hint, data=data)
        self._page.detached(error)
        if not self.closing:
            self.on_detached(error)
