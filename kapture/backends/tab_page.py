"""The page of a tab whose commands run in the hub: what backends have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import attrs
import trio

from kapture.backends.backend import Address, TabDocuments, TabListener
from kapture.backends.page_life import Action, Event, State, step
from kapture.background import running_beside
from kapture.cdp import CdpConnection, CdpTransport, ChooseEvents
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.commands.core.answer import Answer, CallResult
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.commands.core.run import as_json, run_on_tab
from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError, PolicyDenied, TabDisconnected, leaves

if TYPE_CHECKING:
    from kapture.page import Page
    from kapture.page.document_follower import DocumentFollower
    from kapture.page.documents.read_gate import ReadGate
    from kapture.page.typed_secrets import TypedSecrets


SetUpPage: TypeAlias = "Callable[[CdpConnection], AbstractAsyncContextManager[Page]]"


class AttachedPage:
    """Performs the actions of `page_life`. `fail_pending` is called with an error when pending requests of the page
    cannot be answered any more. `choose_events`: see `CdpConnection`.

    Pages are set up in `serve`, one attempt after the other; a transition is complete when the call that caused it
    returns.
    """

    def __init__(
        self,
        transport: CdpTransport,
        fail_pending: Callable[[KaptureError], None],
        choose_events: ChooseEvents = lambda _: None,
    ) -> None:
        self._transport = transport
        self._choose_events = choose_events
        self._fail_pending = fail_pending
        self.changed_state = Changed()
        """Notified of another state, and of another page."""
        self._attempt = trio.CancelScope()  # around setting up and using a page; cancelled when that page is void
        self.state = State.OPENING
        self.now: Page | None = None
        self.connection: CdpConnection | None = None
        self.reason: KaptureError | None = None

    async def get(self) -> Page:
        """The page; waits while it is being set up. Raises the reason if there is none."""
        while self.now is None:
            if self.reason is not None:
                raise self.reason
            await self.changed_state.wait()
        return self.now

    async def come_back(self) -> None:
        """Return once there is a page, even if it cannot be set up for now."""
        while self.now is None:
            await self.changed_state.wait()

    @property
    def held(self) -> bool:
        """Whether a script holds the debugger's session."""
        return self.state is State.HELD

    def attached(self) -> None:
        """Set the page up again, because the debugger was attached again."""
        error = KaptureError(ErrorCode.DETACHED, "The page is being set up again.", hint="Try again.")
        self._happened(Event.ATTACHED, error)

    def detached(self, error: KaptureError) -> None:
        """Drop the page, because the debugger was detached."""
        self._happened(Event.DETACHED, error)

    async def hold(self) -> None:
        """Drop the page, once it is set up, for a script that gets the debugger's session, until `attached` or
        `detached`.

        Raises the reason if there is no page.
        """
        await self.get()
        self._happened(Event.HELD, KaptureError(ErrorCode.DETACHED, "A script has taken the tab.", hint="Try again."))

    def changed(self) -> None:
        """Note that the tab's address, title or grant has changed: setting up a page may succeed now."""
        self._happened(Event.CHANGED)

    def close(self, error: KaptureError) -> None:
        """End for good, because the socket has ended."""
        self._happened(Event.CLOSED, error)

    async def serve(self, set_up: SetUpPage, on_open: Callable[[], None]) -> None:
        """Keep a page set up for as long as the debugger is attached. `on_open` is called for each page."""
        while True:
            while self.state is not State.OPENING:
                await self.changed_state.wait()
            await self._attempt_once(set_up, on_open)

    async def _attempt_once(self, set_up: SetUpPage, on_open: Callable[[], None]) -> None:
        """Set up one page and use it until it is dropped."""
        attempt = self._attempt = trio.CancelScope()
        connection = self.connection = CdpConnection(self._transport, self._choose_events)
        try:
            with attempt:
                async with set_up(connection) as page:
                    await trio.lowlevel.checkpoint_if_cancelled()  # the attempt may be void already
                    self._happened(Event.OPENED, page=page)
                    on_open()
                    await trio.sleep_forever()
        except* KaptureError as group:
            if not attempt.cancel_called:
                self._happened(Event.BROKE, _not_set_up(group))

    def _happened(self, event: Event, error: KaptureError | None = None, page: Page | None = None) -> None:
        self.state, actions = step(self.state, event)
        for action in actions:
            match action:
                case Action.KEEP_PAGE:
                    self.now = page
                case Action.DROP_PAGE:
                    self.now = self.connection = None
                    self._attempt.cancel()
                    if error is not None:
                        self._fail_pending(error)
                case Action.KEEP_REASON:
                    self.reason = error
                case Action.DROP_REASON:
                    self.reason = None
        self.changed_state.notify()


def _not_set_up(group: BaseExceptionGroup[KaptureError]) -> KaptureError:
    error = leaves(group)[0]
    assert isinstance(error, KaptureError)  # noqa: S101  `except*` chose the group by it
    if isinstance(error, (Detached, TabDisconnected, PolicyDenied)):
        return error
    return KaptureError(
        ErrorCode.DETACHED,
        f"The page could not be set up: {error.message}",
        hint="Reload the tab, or disconnect and connect it again.",
        data=error.data,
        quotes_page=True,  # what was refused is told in words of the browser, or of a program that is none
    )


OpenPage: TypeAlias = "Callable[[CdpConnection, str, ReadGate], AbstractAsyncContextManager[Page]]"

CONSOLE = frozenset({"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"})
_NAVIGATED = frozenset({"Page.frameNavigated", "Page.navigatedWithinDocument"})
_REASON_COMES_S = 2.0
_INTERVAL_S = 0.25
"""Between two events about a page's tools or title, at least: a page may change them as fast as it likes."""


def may_change_address(method: str, params: Json, session_id: str | None) -> bool:
    """Whether the tab may have another URL after this event."""
    return method in _NAVIGATED and session_id is None and "parentId" not in params.get("frame", {})


def inherited_url(documents: TabDocuments | None) -> str | None:
    """The URL that applies to a tab's main document where its own says nothing: its creator's, or of an error page the
    one that could not be opened."""
    if documents is not None:
        with suppress(KaptureError):  # between two main frames there is none
            main = documents.frames.main
            return main.passed_on if main.passed_on != main.url else None
    return None


class _OfTab(Protocol):
    """A backend, as its page knows it."""

    tab_id: str
    listener: TabListener


class TabPage:
    """The page of one tab over a CDP transport. `tab`: its backend, whose listener hears of it."""

    def __init__(
        self,
        tab: _OfTab,
        transport: CdpTransport,
        open_page: OpenPage,
        fail_pending: Callable[[KaptureError], None],
        choose_events: ChooseEvents = lambda _: None,
    ) -> None:
        self._tab = tab
        self._open_page = open_page
        self.attached = AttachedPage(transport, fail_pending, choose_events)

    def address(self, known: Address) -> Address:
        """URL and title from the page's engine, which knows a document first; else the `known` address."""
        if (page := self.attached.now) is not None:
            with suppress(KaptureError):  # between two main frames there is none
                # Until the document has a title, the title that the browser reported, if it is for the same document.
                return Address(url=page.url, title=page.title or (known.title if known.url == page.url else ""))
        return known

    @property
    def inherited_url(self) -> str | None:
        """The URL that applies to the main document where its own says nothing: its creator's."""
        return inherited_url(self.attached.now)

    @property
    def blocked(self) -> DialogOpen | None:
        """The page's open dialog as an error; None if there is none, or the engine answers dialogs itself."""
        return self.attached.now.dialogs.blocked() if self.attached.now is not None else None

    async def unblocked(self) -> None:
        """Return when no dialog blocks the page, or there is no page any more. A page that has not answered since a
        script left it is there."""
        while isinstance(self.attached.reason, DialogOpen):
            await self.attached.changed_state.wait()
        while (page := self.attached.now) is not None and page.dialogs.blocked() is not None:
            # Taken before the tasks start, so that a change until then is noticed.
            changes = (page.dialogs.changed.upcoming, self.attached.changed_state.upcoming)
            async with trio.open_nursery() as nursery:

                async def wake(change: trio.Event) -> None:
                    await change.wait()
                    nursery.cancel_scope.cancel()

                for change in changes:
                    nursery.start_soon(wake, change)

    @property
    def why_detached(self) -> str | None:
        """Why commands cannot run: there is no page, or it has crashed."""
        if self.attached.reason is not None:
            return self.attached.reason.message
        frames = self.attached.now.frames.all() if self.attached.now is not None else []
        return "The page has crashed." if any(frame.parent is None and frame.crashed for frame in frames) else None

    async def is_there(self) -> bool:
        """Whether there is a page, once that is known."""
        with suppress(KaptureError):
            await self.attached.get()
        return self.attached.now is not None

    async def with_reason(self, error: KaptureError, page: Page) -> KaptureError:
        """The error of a command on this page during which the debugger's session ended, and why there is none for the
        page that the tab shows now, if it is paused: that, or another page, is known a little later."""
        with trio.move_on_after(_REASON_COMES_S):
            while self.attached.reason is None and (self.attached.now is None or self.attached.now is page):
                await self.attached.changed_state.wait()
        reason = self.attached.reason
        if reason is None or reason.data.get("state") != "tab_paused":
            return error
        return KaptureError(error.code, f"{error.message} {reason.message}", hint=reason.advice, data=reason.data)

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the debugger is attached. Everything that it reads passes the gate."""

        earlier: TypedSecrets | None = None

        @asynccontextmanager
        async def set_up(connection: CdpConnection) -> AsyncIterator[Page]:
            nonlocal earlier
            async with self._open_page(connection, self._tab.tab_id, gate) as page:
                if earlier is not None:
                    page.typed_secrets.after(earlier)
                earlier = page.typed_secrets
                page.children_connect = True
                page.on_blocked = self._check_blocked
                tools = running_beside(partial(_follow, page.tools.changed, lambda: self._tab.listener.page_tools()))
                title = running_beside(partial(_follow, page.title_changed, lambda: self._tab.listener.changed()))
                async with tools, title:
                    yield page

        await self.attached.serve(set_up, on_open=self._opened)

    async def run(self, call: TabContext, browser: BrowserControl) -> CallResult:
        """Run the command's handler over the page; `DETACHED` with the reason if there is none."""
        tab = attrs.evolve(call, outcomes=[])  # a command may run again on another page
        tab.page, tab.browser = await self.attached.get(), browser
        return await run_on_tab(call.command, tab, call.arguments.params, call.arguments.snapshot)

    def child_opened(self, tab_id: str) -> None:
        """Have the page's engine report the new tab as an outcome of the action that opened it."""
        if self.attached.now is not None:
            self.attached.now.child_opened(tab_id)

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Process one CDP event of the tab."""
        if self.attached.connection is not None:
            self.attached.connection.deliver(method, params, session_id)
        if method in CONSOLE:
            self._tab.listener.console()
        elif may_change_address(method, params, session_id):
            self._tab.listener.changed()

    def _opened(self) -> None:
        self._check_blocked()
        self._tab.listener.changed()  # the engine may know another address than the browser reported

    def _check_blocked(self) -> None:
        if (error := self.blocked) is not None:
            self._tab.listener.blocked(error)


class BackendOverPage:
    """The methods that a backend over a `TabPage` takes from it unchanged."""

    _page: TabPage

    @property
    def blocked(self) -> DialogOpen | None:
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

    async def ready(self) -> None:
        """Wait until the page is set up; `DETACHED` with the reason if there is none."""
        await self._page.attached.get()

    async def unblocked(self) -> None:
        """Wait until the dialog that is open has been answered, or the page has gone."""
        await self._page.unblocked()


async def _follow(changed: Changed, report: Callable[[], None]) -> None:
    """Report now, and at most every quarter of a second after a change."""
    while True:
        upcoming = changed.upcoming
        report()
        await upcoming.wait()
        await trio.sleep(_INTERVAL_S)


BROWSER_COMMANDS = frozenset({"tab_activate", "tab_close", "tab_new"})
"""Commands of tabs whose handlers need only the browser, and what `NoPage` has."""


@attrs.frozen
class NoPage:
    """The known facts of a tab without a page: the address that the browser shows, and the reading permission."""

    url: str
    gate: ReadGate


async def run_in_browser(call: TabContext, browser: BrowserControl, documents: DocumentFollower | NoPage) -> CallResult:
    """Run one of `BROWSER_COMMANDS`; `documents` are for `tab_new`, which opens relative to the tab's URL."""
    call.page, call.browser = cast("Page", documents), browser
    answer: Answer = await call.command.handler(call, call.arguments.params)
    data: dict[str, Any] = as_json(answer)
    return CallResult(answer=answer, text=answer.text(), data=data)
