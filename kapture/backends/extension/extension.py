"""Tabs that carry CDP over their socket: the Kapture extension's, through `chrome.debugger`.

Commands run in the hub over a `Page`, which is set up when the tab has registered and whenever the debugger was
attached again (`attached_page`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import attrs
import msgspec
import trio

from kapture.backends.backend import Address, Answered, DeliverEvent, TabDocuments, left_error, sending_for
from kapture.backends.extension.extension_browser import ExtensionBrowser
from kapture.backends.extension.extension_transport import ExtensionTransport, SessionEnded
from kapture.backends.outbox import Outbox
from kapture.backends.shared_session import SharedSession
from kapture.backends.tab_connection import TabConnection
from kapture.backends.tab_page import (
    BROWSER_COMMANDS,
    BackendOverPage,
    NoPage,
    OpenPage,
    TabPage,
    inherited_url,
    may_change_address,
    run_in_browser,
)
from kapture.background import running_beside
from kapture.cdp import CdpTransport, PendingReply
from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.commands.core.registry import Command, Lane
from kapture.commands.navigation import arrived
from kapture.errors import Detached, ErrorCode, KaptureError, ProtocolError, TabDisconnected
from kapture.wire import messages

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower
    from kapture.page.documents.read_gate import ReadGate


IDLE = "idle"
"""The reason of `detached` of a tab on which nobody has worked for a while, docs/PROTOCOL.md."""
_WAKES_S = 15.0
_HANDOVER_S = 15.0
"""How long the page may take to answer when its session goes to a script, or back: a dialog stops it altogether."""


class ExtensionBackend(BackendOverPage, TabConnection):
    """A tab in a browser with Kapture's extension."""

    asks = True  # it shows the person what a client asks them to do

    def __init__(self, register: messages.Register, outbox: Outbox, open_page: OpenPage) -> None:
        super().__init__(register, outbox)
        self._transport = ExtensionTransport(self)
        self._page = TabPage(self, self._transport, open_page, self.pending.fail_all, self._transport.choose_events)
        self._replaceable = ReplaceablePage(self._page)
        self._script: SharedSession | None = None  # while a script has the session
        self._lent_to: SharedSession | None = None  # from its request for the session until it has left
        self._lending = trio.Lock()
        self._waking = trio.Lock()
        self._returning: PendingReply | None = None  # the session's renewal after a script, while it is not answered
        self._returns = Changed()
        self._gate: ReadGate = lambda _: False
        self.paused = None
        self.can_rest = {"cdp_rest", "cdp_renew"} <= set(self.capabilities)
        self.scripts = self if "cdp_renew" in self.capabilities else None
        self.hands_over = self if "hand_over" in self.capabilities else None

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
    def documents(self) -> TabDocuments | None:
        """The page's documents; while a script has the session, those that the document follower knows."""
        return self.current_page or self._followed

    @property
    def _followed(self) -> DocumentFollower | None:
        return self._script.documents if self._script is not None and self._script.documents.frames.known else None

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The extension does it, within the grant."""
        return await ExtensionBrowser(self, _never).download(params)

    async def page(self) -> Page:
        """The page; waits while it is being set up. `DETACHED` with the reason if there is none."""
        return await self._page.attached.get()

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the debugger is attached."""
        self._gate = gate
        async with running_beside(self._follow_returns):
            await self._page.serve(gate)

    def rest(self) -> None:
        """Detach the debugger until the next command."""
        self._page.attached.detached(_idle())
        self.submit("cdp_rest", {})

    @property
    def resting(self) -> bool:
        """Whether the debugger is detached because nobody works on the tab."""
        return _is_idle(self._page.attached.reason)

    async def _wake(self) -> None:
        """Attach the debugger again if nobody has worked on the tab; one caller does it for all."""
        if not self.resting:
            return
        async with self._waking:
            if self.resting:
                with trio.move_on_after(_WAKES_S), suppress(KaptureError):  # then the reason says why not
                    await self.request("cdp_renew", {})

    async def ready(self) -> None:
        """Wait until the tab's page is set up; `DETACHED` with the reason if there is none."""
        await self._wake()
        await super().ready()

    async def probe(self) -> None:
        """Return on any answer, also that the debugger is not attached or the command not allowed."""
        _, response = self.submit("cdp", {"method": "Target.getTargetInfo", "params": {}})
        answered = trio.Event()
        response.then(lambda _: answered.set())
        await answered.wait()
        if isinstance(response.error, TabDisconnected):
            raise response.error

    async def hand_over(
        self, what: messages.HandOver, withdrawn: trio.Event, answered: Answered
    ) -> messages.HandedBack:
        """Have the extension detach the debugger and ask the person; it attaches again when they have answered."""
        await self._page.attached.hold()
        request_id, reply = self.submit("hand_over", msgspec.to_builtins(what))

        async def withdraw() -> None:
            await withdrawn.wait()
            self.cancel(request_id)

        try:
            async with running_beside(withdraw):
                return msgspec.convert(await reply.wait(), messages.HandedBack)
        except msgspec.ValidationError as error:
            raise ProtocolError(ErrorCode.PROTOCOL_ERROR, f"The person's answer cannot be read: {error}.") from error
        finally:
            if self.pending.abandon(request_id):
                self.cancel(request_id)

    @asynccontextmanager
    async def script_session(
        self, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AsyncIterator[CdpTransport]:
        """A session in the tab's only one, which begins in its initial state; once no session of the script is left,
        the page is set up again. Chrome pauses no popup for an extension."""
        await self._wake()
        async with self._lending:
            shared = self._lent_to or await self._lend()
            session = shared.add(deliver)
        try:
            yield session
        finally:
            shared.remove(session)
            if shared.unused:
                self._take_back(shared)

    async def _lend(self) -> SharedSession:
        """Give the tab's session to a script; `DIALOG_OPEN` if the page does not answer in the process."""
        shared = SharedSession(self._transport, self._gate)

        def renewed(reply: PendingReply) -> None:
            if reply.error is None and self._page.attached.held and self._lent_to is shared:
                self._script = shared

        self._lent_to = shared
        try:
            await self._page.attached.hold()
            self._returning = None
            with trio.move_on_after(_HANDOVER_S):
                reply = self._renew()
                reply.then(renewed)
                await reply.wait()
                await shared.start()
                return shared
            raise _no_answer("when it was handed over to the script")
        except BaseException:
            self._take_back(shared)
            raise

    def _take_back(self, shared: SharedSession) -> None:
        """Set the page up again, unless the session has ended by itself."""
        if self._lent_to is not shared:
            return
        self._script = self._lent_to = None
        if not self._page.attached.held:
            return

        def renewed(reply: PendingReply) -> None:
            if self._returning is not reply:
                return
            self._returning = None
            if reply.error is None:
                self._page.attached.attached()
            else:
                self._page.attached.detached(reply.error)

        shared.dismiss_dialog()
        self._returning = self._renew()
        self._returning.then(renewed)
        self._returns.notify()

    async def _follow_returns(self) -> None:
        """Give a reason to those who wait for the page if it does not answer when a script has left."""
        while True:
            if (reply := self._returning) is None:
                await self._returns.wait()
                continue
            with trio.move_on_after(_HANDOVER_S), suppress(KaptureError):
                await reply.wait()
            if self._returning is reply:
                self._page.attached.detached(_no_answer("when a script had left it"))

    def _renew(self) -> PendingReply:
        """Ask for a new session, exempt from the send limit: a script that has reached it would keep the tab."""
        try:
            return self.submit("cdp_renew", {}, limited=False)[1]
        except KaptureError as error:
            return PendingReply.failed(error)

    async def run(self, call: TabContext) -> CallResult:
        """Run the command's handler in the hub, over the page; without one, those that the browser can run itself."""
        browser = ExtensionBrowser(self, call.wait_connected, lambda: self.current_page)
        await self._wake()
        with sending_for(call.allowed_once):
            if self._script is not None:
                return await run_in_browser(call, browser, self._script.documents)
            if call.command.name in BROWSER_COMMANDS and not await self._page.is_there():
                return await run_in_browser(call, browser, NoPage(self.address.url, self._gate))
            await regain_page(call.command, self._page, browser, self.probe)
            if reads_first_document(call.command) and (await self.page()).frames.initial:
                await browser.tab_ready()
            page = await self.page()
            try:
                return await self._replaceable.run(call, browser)
            except SessionEnded as error:
                raise await self._page.with_reason(error, page) from error

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
                if may_change_address(event.method, event.params, event.session_id):
                    self.listener.changed()
            else:
                self._page.deliver(event.method, event.params, event.session_id)
            return
        super().handle_event(event)
        match event.event:
            case "detached":
                self._detached(event)
            case "attached":
                self._returning = None
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
        elif event.reason == IDLE:
            error = _idle()
        else:
            hint = "Navigate to another page; the tab also comes back by itself when it shows one."
            error = KaptureError(ErrorCode.DETACHED, reason, hint=hint, data={**data, "state": "tab_paused"})
        # Of a script, nothing passes to the session that replaces the one it had: its hold ends.
        replaced = event.reason == REPLACED and not self.leaving and self._script is None
        if self._script is not None:
            self._script.end(error)
            self._script = self._lent_to = None
        self._returning = None
        if replaced:
            self._replaceable.replaced(error)
        self._page.attached.detached(error)
        if not (self.closing or replaced):
            self.listener.detached(error)


def _idle() -> KaptureError:
    return KaptureError(
        ErrorCode.DETACHED,
        "The debugger has left this tab, because nobody worked on it.",
        hint="Try again: each command attaches to it.",
        data={"reason": IDLE},
    )


def _is_idle(reason: KaptureError | None) -> bool:
    return reason is not None and reason.data.get("reason") == IDLE


def _no_answer(when: str) -> KaptureError:
    return KaptureError(
        ErrorCode.DIALOG_OPEN,
        f"The page has not answered for {_HANDOVER_S:g} s {when}: a dialog has opened in it, its script is busy, or "
        "the server does not answer where it is going.",
        hint="Answer the dialog in the browser and try again, or leave the page with navigate.",
    )


async def _never(tab_id: str) -> None:
    await trio.sleep_forever()


_LEAVE_S = 5.0
_RESUME_S = 5.0
_SHUT_OUT = frozenset({"forbidden", "foreign_frame"})  # reasons of `detached`, docs/PROTOCOL.md


def reads_first_document(command: Command) -> bool:
    """Whether a command of a new tab is for the document that the tab was opened for, not the empty one before it."""
    return command.reads_page and command.lane is Lane.PAGE and command.name != "navigate"


async def regain_page(
    command: Command, page: TabPage, browser: ExtensionBrowser, probe: Callable[[], Awaitable[None]]
) -> None:
    """Have the debugger attached again where the browser shuts extensions out of the page that a tab shows.

    `navigate` leaves the page; raises the reason if there is none after that either. For other commands the extension
    tries again: the frame that shut it out may be gone by now. The browser reports neither, only when it is asked. The
    page that the browser has just put in place of the last one is waited for.
    """
    if command.name == "navigate":
        if browser.can_leave:
            await probe()
            if page.attached.reason is not None:
                await _leave(page, browser)
        return
    reason = page.attached.reason
    if reason is not None and reason.data.get("reason") in _SHUT_OUT:
        with trio.move_on_after(_RESUME_S), suppress(KaptureError):  # then it is still shut out
            await browser.tab_resume()
    if reason is not None and reason.data.get("reason") == REPLACED:  # the extension attaches to the new page at once
        with trio.move_on_after(_COMES_BACK_S):
            while page.attached.reason is reason:
                await page.attached.changed_state.wait()


async def _leave(page: TabPage, browser: ExtensionBrowser) -> None:
    """Go to an empty page, which the debugger can attach to: from there the tab can navigate to another page."""
    await browser.tab_leave()
    with trio.move_on_after(_LEAVE_S):
        await page.attached.come_back()


# Commands during which the browser puts another page into the tab, under another id, as it does for its PDF viewer.
#
# The extension attaches to the new page at once. A navigation has led there; another command may have taken effect.

REPLACED = "replaced"
"""The reason of `detached` on the wire, docs/PROTOCOL.md; also that of a tab that the browser has put to sleep."""

_COMES_BACK_S = 5.0
_NAVIGATING = frozenset({"navigate", "reload", "go_back", "go_forward"})


class ReplaceablePage:
    """Runs commands over one tab's page."""

    def __init__(self, page: TabPage) -> None:
        self._page = page
        self._running: set[trio.CancelScope] = set()
        self._error: KaptureError = Detached(ErrorCode.DETACHED, "")

    async def run(self, call: TabContext, browser: BrowserControl) -> CallResult:
        """Run a command. If the page is replaced meanwhile, a navigation answers where it has led; others fail with
        the reason."""
        navigates = call.command.name in _NAVIGATING
        was_at = self._url() if navigates else ""
        if (result := await self._run(call, browser)) is not None:
            return result
        await self._comes_back()
        if not navigates:
            raise self._may_be_done()
        return await self._where_it_led(call, browser, was_at)

    async def _where_it_led(self, call: TabContext, browser: BrowserControl, was_at: str) -> CallResult:
        name = call.command.name
        if name == "navigate" and self._url() == was_at:  # what was replaced is still the page that it was to leave
            if (result := await self._run(call, browser)) is not None:
                return result
            await self._comes_back()
        there = attrs.evolve(call, command=attrs.evolve(call.command, handler=arrived))
        while True:
            if name in ("go_back", "go_forward") and self._url() == was_at:
                raise self._may_be_done()
            if (result := await self._run(there, browser)) is not None:
                return result
            await self._comes_back()

    def replaced(self, error: KaptureError) -> None:
        """End what runs, because the page has been replaced. To be called before what it waits for fails."""
        self._error = error
        for scope in self._running:
            scope.cancel()

    def _url(self) -> str:
        return self._page.address(Address(url="", title="")).url

    async def _run(self, call: TabContext, browser: BrowserControl) -> CallResult | None:
        """The result; None if the page was replaced meanwhile."""
        page = self._page.attached.now
        with trio.CancelScope() as scope:
            self._running.add(scope)
            try:
                return await self._page.run(call, browser)
            except Detached as error:
                told: KaptureError = error
                if isinstance(error, SessionEnded) and page is not None:  # the extension says why a little later
                    told = await self._page.with_reason(error, page)
                if scope.cancel_called:  # too late to end a wait that had failed
                    return None
                raise told from error
            finally:
                self._running.discard(scope)
        return None

    def _may_be_done(self) -> KaptureError:
        hint = "It may have taken effect. Look at the page again."
        return Detached(ErrorCode.DETACHED, self._error.message, hint=hint, data={"reason": REPLACED})

    async def _comes_back(self) -> None:
        """Wait for the new page; raises the reason if none comes."""
        with trio.move_on_after(_COMES_BACK_S):
            await self._page.attached.come_back()
        if self._page.attached.now is None:
            raise self._error
