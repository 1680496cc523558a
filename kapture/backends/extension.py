"""Tabs that carry CDP over their socket: the Kapture extension's, through `chrome.debugger`.

Commands run in the hub over a `Page`, which is set up when the tab has registered and whenever the debugger was
attached again (`attached_page`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from kapture.backends.allowed_once import sending_for
from kapture.backends.backend import Address, BackendCall, DeliverEvent, TabDocuments
from kapture.backends.extension_browser import ExtensionBrowser
from kapture.backends.extension_script import ExtensionScript
from kapture.backends.extension_transport import ExtensionTransport
from kapture.backends.leaving import left_error
from kapture.backends.outbox import Outbox
from kapture.backends.tab_connection import TabConnection
from kapture.backends.tab_page import OpenPage, TabPage, inherited_url
from kapture.backends.without_page import BROWSER_COMMANDS, leave_page, run_in_browser
from kapture.cdp import CdpTransport, PendingReply
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError, TabDisconnected
from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower
    from kapture.page.read_gate import ReadGate


class ExtensionBackend(TabConnection):
    """A tab in a browser with Kapture's extension."""

    def __init__(self, register: messages.Register, outbox: Outbox, open_page: OpenPage) -> None:
        super().__init__(register, outbox)
        self._transport = ExtensionTransport(self)
        self._page = TabPage(
            self.tab_id, self._transport, open_page, self.pending.fail_all, self._transport.choose_events
        )
        self._page.on_blocked = lambda error: self.on_blocked(error)
        self._page.on_console = lambda: self.on_console()
        self._page.on_page_tools = lambda: self.on_page_tools()
        self._page.on_address = lambda: self.on_address()
        self._script: ExtensionScript | None = None  # while it has the session
        self._lent_to: ExtensionScript | None = None  # from its request for the session until it has left
        self._gate: ReadGate = lambda _: False
        self.has_script_sessions = "cdp_renew" in self.capabilities

    @property
    def address(self) -> Address:
        """URL and title as the page's engine or, for a script, the document follower knows them; else as the tab
        reported."""
        known = super().address
        if (documents := self._followed) is not None:
            return Address(url=documents.url, title=known.title if documents.url == known.url else "")
        return self._page.address(known)

    @property
    def inherited_url(self) -> str | None:
        """The URL that applies to the main document where its own says nothing: its creator's."""
        return inherited_url(self.documents)

    @property
    def blocked(self) -> KaptureError | None:
        """`DIALOG_OPEN` while a dialog blocks the page."""
        return self._page.blocked

    @property
    def why_detached(self) -> str | None:
        """Why there is no page."""
        return self._page.why_detached

    @property
    def current_page(self) -> Page | None:
        """The page, while one is set up."""
        return self._page.attached.now

    @property
    def documents(self) -> TabDocuments | None:
        """The page's documents; while a script has the session, those that the document follower knows."""
        return self.current_page or self._followed

    @property
    def _followed(self) -> DocumentFollower | None:
        return self._script.documents if self._script is not None and self._script.documents.frames.known else None

    async def ready(self) -> None:
        """Wait until the page is set up; `DETACHED` with the reason if there is none."""
        await self._page.attached.get()

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The extension does it, within the grant."""
        return await ExtensionBrowser(self, _never).download(params)

    async def unblocked(self) -> None:
        """Wait until the dialog that is open has been answered, or the page has gone."""
        await self._page.unblocked()

    async def page(self) -> Page:
        """The page; waits while it is being set up. `DETACHED` with the reason if there is none."""
        return await self._page.attached.get()

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the debugger is attached."""
        self._gate = gate
        await self._page.serve(gate)

    async def probe(self) -> None:
        """Return on any answer, also that the debugger is not attached or the command not allowed."""
        _, response = self.submit("cdp", {"method": "Target.getTargetInfo", "params": {}})
        answered = trio.Event()
        response.then(lambda _: answered.set())
        await answered.wait()
        if isinstance(response.error, TabDisconnected):
            raise response.error

    @asynccontextmanager
    async def script_session(self, deliver: DeliverEvent) -> AsyncIterator[CdpTransport]:
        """The tab's only session, in its initial state; the page is set up again after the block."""
        if self._lent_to is not None:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                "Chrome gives an extension one debugger session a tab, and this script has it.",
                hint="Use the session that is attached to the page instead of attaching another one.",
            )
        script = ExtensionScript(self._transport, self._gate, deliver)

        def renewed(reply: PendingReply) -> None:
            if reply.error is None and self._page.attached.held and self._lent_to is script:
                self._script = script

        self._lent_to = script
        try:
            await self._page.attached.hold()
            reply = self._renew()
            reply.then(renewed)
            await reply.wait()
            await script.start()
            yield script
        finally:
            script.end(KaptureError(ErrorCode.DETACHED, "The session has ended.", hint="Attach to the target again."))
            self._script = None
            self._lent_to = None
            self._take_back(script)

    def _take_back(self, script: ExtensionScript) -> None:
        """Set the page up again, unless the session has ended by itself."""
        if not self._page.attached.held:
            return

        def renewed(reply: PendingReply) -> None:
            if not self._page.attached.held:
                return
            if reply.error is None:
                self._page.attached.attached()
            else:
                self._page.attached.detached(reply.error)

        script.dismiss_dialog()
        self._renew().then(renewed)

    def _renew(self) -> PendingReply:
        """Ask for a new session, exempt from the send limit: a script that has reached it would keep the tab."""
        try:
            return self.submit("cdp_renew", {}, limited=False)[1]
        except KaptureError as error:
            reply = PendingReply()
            reply.fail(error)
            return reply

    async def run(self, call: BackendCall) -> CallResult:
        """Run the command's handler in the hub, over the page; without one, those that the browser can run itself."""
        browser = ExtensionBrowser(self, call.wait_connected)
        with sending_for(call.allowed_once):
            if self._script is not None:
                return await run_in_browser(call, self.tab_id, browser, self._script.documents)
            if self._page.why_detached is not None:
                if call.command.name in BROWSER_COMMANDS:
                    return await run_in_browser(call, self.tab_id, browser)
                if call.command.name == "navigate" and "tab_leave" in self.capabilities:
                    await leave_page(self._page, browser)
            return await self._page.run(call, browser)

    def show_hold(self, held_by: Mapping[str, str] | None) -> None:
        """Show it in popup and panel."""
        self._offer(messages.Held(by=None if held_by is None else messages.HeldBy(**held_by)))

    def child_opened(self, tab_id: str) -> None:
        """Have the page's engine report the new tab as an outcome of the action that opened it."""
        self._page.child_opened(tab_id)

    def handle_answers_so_far(self, message: messages.CdpAnswersSoFar) -> None:
        """Process the answers to some commands of a running program."""
        self._transport.take_answers(message.id, message.answers)

    def handle_event(self, event: messages.Event) -> None:
        """Pass CDP events to the page; apply events that say whether there is a page."""
        if event.event == "cdp":
            if event.dropped and (page := self._page.attached.now) is not None:
                page.console.note_dropped(event.dropped)
            if self._script is not None:
                self._script.deliver(event.method, event.params, event.session_id)
            else:
                self._page.deliver(event.method, event.params, event.session_id)
            return
        super().handle_event(event)
        match event.event:
            case "detached":
                self._detached(event)
            case "attached":
                self._page.attached.attached()
            case _:
                self._page.attached.changed()

    def close(self, error: KaptureError) -> None:
        """End the page with the socket."""
        super().close(error)
        self._page.attached.close(error)

    def _detached(self, event: messages.Event) -> None:
        reason = (event.message or "The browser closed the page to Kapture.")[:2_000]
        data = {"reason": event.reason[:200]}
        if self.leaving:
            error = left_error(self.tab_id, self.why_left, "while this ran; it may have taken effect")
        else:
            hint = "It comes back by itself when the tab shows a normal page again."
            error = KaptureError(ErrorCode.DETACHED, reason, hint=hint, data={**data, "state": "tab_paused"})
        if self._script is not None:
            self._script.end(error)
            self._script = None
        self._page.attached.detached(error)
        if not self.closing:
            self.on_detached(error)


async def _never(tab_id: str) -> None:
    await trio.sleep_forever()
