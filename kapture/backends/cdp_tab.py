"""A tab that the hub reaches over CDP without a socket of the tab's own: launched, attached, or behind a relay."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import attrs
import msgspec
import trio

from kapture.backends.backend import (
    Address,
    Answered,
    DeliverEvent,
    HandsOver,
    ScriptSessions,
    TabDocuments,
    TabListener,
    TabPanel,
    Traffic,
)
from kapture.backends.event_limit import TITLE, Entry, EventLimit
from kapture.backends.tab_page import (
    BROWSER_COMMANDS,
    CONSOLE,
    BackendOverPage,
    NoPage,
    OpenPage,
    TabPage,
    run_in_browser,
)
from kapture.background import running_beside, single_error
from kapture.cdp import CdpTransport
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import BrowserControl, TabContext
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import extension_messages, messages

if TYPE_CHECKING:
    from kapture.page.documents.read_gate import ReadGate


class TabBrowser(BrowserControl, Protocol):
    """Operations of a tab's browser other than CDP, and figures on the connection for `status`."""

    @property
    def traffic(self) -> Traffic:
        """Figures on the connection, for this tab."""

    @property
    def unsupported(self) -> Mapping[str, str]:
        """The unsupported commands, each with the reason and what to do instead."""

    async def probe(self) -> None:
        """Return when the browser has answered."""


WaitConnected = Callable[[str], Awaitable[None]]
OpenSession: TypeAlias = (
    "Callable[[CdpTab, DeliverEvent, Callable[[], bool]], AbstractAsyncContextManager[CdpTransport]]"
)


@attrs.frozen(kw_only=True)
class TabFacts:
    """The identity of a tab. `owner` is the secret of its browser: only that browser may use the tab's id again."""

    tab_id: str
    opener: str | None
    owner: str = attrs.field(repr=False)
    browser: extension_messages.Browser
    url: str = ""
    title: str = ""


class CdpTab(BackendOverPage):
    """`Backend` over a CDP session. `make_browser` makes the `BrowserControl` of one call; `open_session` another
    CDP session of the tab, for a script, where there can be one."""

    executes_itself = False
    asks = False  # the Console does
    panel: TabPanel | None = None  # there is no extension in its browser

    def __init__(
        self,
        facts: TabFacts,
        transport: CdpTransport,
        make_browser: Callable[[CdpTab, WaitConnected], TabBrowser],
        open_page: OpenPage,
        open_session: OpenSession | None = None,
    ) -> None:
        self.scripts: ScriptSessions | None = self if open_session is not None else None
        self._open_session = open_session
        self.hands_over: HandsOver | None = None
        self.without_session: Callable[[], AbstractAsyncContextManager[None]] | None = None
        """Detaches the tab's session for the duration of a block, where that is possible."""
        self.listener = TabListener()
        self.tab_id = facts.tab_id
        self.opener = facts.opener
        self.browser = facts.browser
        self.owner = facts.owner
        self.closing = False
        self.closed = trio.Event()
        self.gone = trio.Event()
        """Set when the tab is gone or unreachable: whoever serves it stops."""
        self.why_left = ""
        self.let_go: Callable[[], None] | None = None
        self.paused: str | None = None
        self.changed = Changed()
        """Notified when the tab's address may have changed."""
        self._handed: deque[tuple[float, float]] = deque(maxlen=32)  # when its person had it, Unix milliseconds
        self._known = Address(url=facts.url, title=facts.title)
        self._gate: ReadGate = lambda _: False
        self._make_browser = make_browser
        self._transport = transport
        self._limit = EventLimit(self._take_console, transport)
        self._page = TabPage(self, self._limit, open_page, lambda _: None)

    @property
    def address(self) -> Address:
        """URL and title as the page's engine knows them, else as the browser reported them."""
        address = self._page.address(self._known)
        return address if address.url else attrs.evolve(address, url="about:blank")  # before its first document

    @property
    def leaving(self) -> bool:
        """Whether the tab will not come back once it is gone."""
        return bool(self.why_left) or self.closing

    @property
    def inherited_url(self) -> str | None:
        """The URL that applies to the main document where its own says nothing: its creator's."""
        return self._page.inherited_url

    @property
    def documents(self) -> TabDocuments | None:
        """The page's documents: scripts have sessions of their own."""
        return self.current_page

    @property
    def traffic(self) -> Traffic:
        """Figures on the connection, for this tab."""
        return self._make_browser(self, never_connects).traffic

    async def serve(self, gate: ReadGate) -> None:
        """Keep a page set up for as long as the tab is attached."""
        self._gate = gate
        async with running_beside(self._limit.run):
            await self._page.serve(gate)

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The browser does it, if it is on this machine."""
        browser = self._make_browser(self, never_connects)
        if (reason := browser.unsupported.get("download_file")) is not None:
            raise KaptureError(ErrorCode.UNSUPPORTED, reason, data={"command": "download_file"})
        return await browser.download(params)

    async def probe(self) -> None:
        """Return when the browser answers."""
        await self._make_browser(self, never_connects).probe()

    async def run(self, call: TabContext) -> CallResult:
        """Run the command's handler in the hub, over the page."""
        browser = self._make_browser(self, call.wait_connected)
        if (reason := browser.unsupported.get(call.command.name)) is not None:
            raise KaptureError(ErrorCode.UNSUPPORTED, reason, data={"command": call.command.name})
        if (why := self._page.attached.reason) is not None and why.code is ErrorCode.DETACHED:
            if call.command.name in BROWSER_COMMANDS:
                return await self.run_without_page(call)
            if call.command.name == "navigate":  # from an empty page, for there is none to navigate from
                await self._transport.submit("Page.navigate", {"url": "about:blank"}, None).wait()
                self._page.attached.attached()
        return await self._page.run(call, browser)

    async def run_without_page(self, call: TabContext) -> CallResult:
        """Run one of `BROWSER_COMMANDS`, with or without a page."""
        browser = self._make_browser(self, call.wait_connected)
        return await run_in_browser(call, browser, NoPage(self.address.url, self._gate))

    async def hand_over(
        self, what: messages.HandOver, withdrawn: trio.Event, answered: Answered
    ) -> messages.HandedBack:
        """Detach the session until the Console has the person's answer, or nobody waits for it any more."""
        assert self.without_session is not None  # noqa: S101  else it is not in `hands_over`
        handed_back = messages.HandedBack(decision="withdrawn")

        async def answer() -> None:
            nonlocal handed_back
            handed_back = await answered()
            nursery.cancel_scope.cancel()

        await self._page.attached.hold()
        began = time.time() * 1_000
        async with self.without_session():
            try:
                with single_error():
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(answer)
                        await withdrawn.wait()
                        nursery.cancel_scope.cancel()
            finally:
                self._handed.append((began, time.time() * 1_000))
        return msgspec.structs.replace(handed_back, handed_ms=time.time() * 1_000 - began)

    def script_session(
        self, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AbstractAsyncContextManager[CdpTransport]:
        """A second session beside the page's own, which stays in use."""
        assert self._open_session is not None  # noqa: S101  else it is not in `scripts`

        def deliver_rest(method: str, params: Json, session_id: str | None) -> None:
            if not self._was_handed_over(method, params):
                deliver(method, params, session_id)

        return self._open_session(self, deliver_rest, pauses_popups)

    def _was_handed_over(self, method: str, params: Json) -> bool:
        """Whether this is a console entry of a time when the person had the tab, which a new session repeats."""
        at = (params.get("entry") or params).get("timestamp", 0) if method in CONSOLE else 0
        return any(began <= at <= ended for began, ended in self._handed)

    def child_opened(self, tab_id: str) -> None:
        """Have the page's engine report the new tab as an outcome of the action that opened it."""
        self._page.child_opened(tab_id)

    def close(self, error: KaptureError) -> None:
        """End this tab's backend: the tab is gone or unreachable."""
        self.closed.set()
        self.gone.set()
        self._page.attached.close(error)

    # Reports of the browser

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Process one CDP event of the tab."""
        if self._was_handed_over(method, params) or self._limit.take(method, params, session_id):
            return
        self._page.deliver(method, params, session_id)
        if method == "Page.frameNavigated":
            self.changed.notify()

    def _take_console(self, entry: Entry, dropped: int) -> None:
        method, params, session_id = entry
        if dropped and (page := self._page.attached.now) is not None:
            page.console.note_dropped(dropped)
        self._page.deliver(method, dict(params), session_id)

    def moved(self, url: str, title: str) -> None:
        """Note the tab's new URL or title, as reported by the browser."""
        self._limit.count(None, TITLE)
        self._known = Address(url=url, title=title)
        self._page.attached.changed()
        self.changed.notify()
        self.listener.changed()

    def attached(self) -> None:
        """Set the page up again, because the debugger was attached to the tab again."""
        self._page.attached.attached()

    def detached(self, error: KaptureError) -> None:
        """Drop the page: the browser does not allow debugging the tab for now. It stays connected."""
        self._page.attached.detached(error)
        if not self.closing:
            self.listener.detached(error)

    def left(self, why: str = "target_closed") -> None:
        """End for good, because the tab was closed or let go. `why` is for `left_error`."""
        self.why_left = self.why_left or why
        self.gone.set()


async def never_connects(tab_id: str) -> None:
    """Wait forever: what is done for a script opens no tab."""
    await trio.sleep_forever()
