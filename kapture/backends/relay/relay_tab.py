"""A tab behind a relay extension: attached by its first command, debugged without CDP sessions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import trio

from kapture.backends.backend import Traffic
from kapture.backends.cdp_tab import CdpTab, TabFacts, WaitConnected
from kapture.backends.closing_question import expecting_end, raising_question
from kapture.backends.relay.relay_transport import ClosedToExtensions, Relay, RelayTransport, closed_to_extensions
from kapture.backends.tab_page import OpenPage
from kapture.cdp import CdpError, Refusal
from kapture.cdp.program import Json
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import TabContext
from kapture.errors import Detached, ErrorCode, KaptureError, Wording

if TYPE_CHECKING:
    from kapture.page.documents.read_gate import ReadGate

UNSUPPORTED: Mapping[str, str] = {
    "ask_person": "A tab behind a relay cannot be handed over. Ask the person in the conversation.",
    "permissions": "A relay extension cannot set what a site may use. Ask the person to set it in the browser.",
}


LIMITED: Mapping[str, str] = {"download_file": "by `url` only: the browser keeps what a page downloads"}


_LEAVES_S = 5.0
_CLOSES_S = 2.0
_RETRY_S = 0.1


class RelayTab(CdpTab):
    """A tab that is attached by the first command on it, and again after its debugger was detached."""

    def __init__(self, facts: TabFacts, browser: Relay, chrome_id: int, open_page: OpenPage) -> None:
        transport = self._relay = RelayTransport(browser, chrome_id)
        transport.leavable = self._leavable
        super().__init__(facts, transport, lambda tab, wait: _RelayControl(browser, tab, chrome_id, wait), open_page)
        self.chrome_id = chrome_id
        self._browser = browser
        self._wanted = trio.Event()
        self._detached = False

    @property
    def why_detached(self) -> str | None:
        """Why commands have to wait: the tab is not attached before the first command."""
        if not self._wanted.is_set() or self._detached:
            return "Not attached; the next command attaches it."
        return super().why_detached

    async def serve(self, gate: ReadGate) -> None:
        """Serve the tab, attaching when the first command has come."""
        self._gate = gate
        await self._wanted.wait()
        await super().serve(gate)

    async def run(self, call: TabContext) -> CallResult:
        """Run a command, attaching first if necessary."""
        if not self._wanted.is_set() or self._detached:
            try:
                await _attach(self._browser, self.chrome_id, renew=True)
            except CdpError as error:
                if call.command.name == "tab_new":
                    return await self.run_without_page(call)
                if call.command.name not in ("navigate", "tab_close"):
                    raise closed_to_extensions(error.reason) or error from None
                await _leave_page(self._browser, self.chrome_id)
            if self._detached:
                self._detached = False
                self.attached()
            self._wanted.set()
        if call.command.name == "tab_new" and not await self._page.is_there():
            return await self.run_without_page(call)
        if call.command.name == "navigate":
            await self._be_on_a_page()
        return await super().run(call)

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Process one CDP event of the tab."""
        if self._relay.going_blank is not None:
            self._relay.going_blank.deliver(method, params)
        super().deliver(method, params, session_id)

    def _leavable(self) -> str | None:
        if (page := self.current_page) is None or not page.gate(page.frames.main.passed_on):
            return None
        return page.frames.main.id

    async def _be_on_a_page(self) -> None:
        """Leave the page if it can be attached to but takes no commands, as those of the extensions' gallery. The
        browser says only when asked that extensions are shut out of a page by now, as by a frame that it has got."""
        try:
            await self.ready()
            with suppress(CdpError):  # it takes commands, if not this one
                await self._transport.submit("Target.getTargetInfo", {}, None).wait()
        except Detached:
            await _leave_page(self._browser, self.chrome_id)
            self.attached()

    def lost_debugger(self) -> None:
        """Drop the page: the extension reports that the debugger was detached."""
        if self._wanted.is_set() and not self._detached:
            self._detached = True
            error = KaptureError(
                ErrorCode.DETACHED,
                "The browser detached the debugger from the tab.",
                hint="Try again: if the page is closed to extensions, the answer says so.",
            )
            if self._relay.going_blank is not None:
                self._relay.going_blank.end(error)
            self.detached(error)


class _RelayControl:
    """`TabBrowser` over a relay, for one tab."""

    unsupported = UNSUPPORTED

    def __init__(self, browser: Relay, tab: CdpTab, chrome_id: int, wait_connected: WaitConnected) -> None:
        self._browser = browser
        self._tab = tab
        self._chrome_id = chrome_id
        self._wait_connected = wait_connected

    @property
    def traffic(self) -> Traffic:
        """Figures on the connection, which all tabs of a browser share."""
        return Traffic(
            pending_requests=0,
            late=0,
            unsolicited=0,
            buffered_bytes=0,
            last_message_at=self._browser.last_message_at,
        )

    async def probe(self) -> None:
        """Return when the extension answers."""
        await self._browser.send("tabs.list", {})

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab and wait until it has connected; returns its id."""
        tab_id = await self._browser.open_tab(url, active=active)
        await self._wait_connected(tab_id)
        return tab_id

    async def tab_close(self) -> None:
        """Close the tab by the page's own command: the relay has none. `DIALOG_OPEN` if its page asks whether to
        leave."""
        with expecting_end(self._tab):
            async with raising_question(self._tab.current_page):
                await self._close()
                with trio.move_on_after(_CLOSES_S):
                    await self._tab.gone.wait()
        self._tab.left()

    async def _close(self) -> None:
        try:
            await self._cdp("Page.close")
        except (CdpError, ClosedToExtensions):  # it takes no commands
            await _leave_page(self._browser, self._chrome_id)
            await self._cdp("Page.close")

    async def tab_activate(self) -> None:
        """Bring the tab to the front."""
        await self._cdp("Page.bringToFront")

    async def tab_shown(self) -> bool | None:
        """Not known: CDP does not say."""
        return None

    async def permission(self, name: str, setting: str) -> None:
        """Never called: `permissions` is unsupported."""

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one step of a download; downloads that the page starts cannot be followed."""
        if params.get("action") == "find":
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                "A relay extension cannot follow a download that the page begins.",
                hint=Wording("Give the file's address to {download_file} instead."),
            )
        return await self._browser.downloads.step(self._cdp, params)

    async def _cdp(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        reply = RelayTransport(self._browser, self._chrome_id).submit(method, params or {}, None)
        return await reply.wait()


async def _attach(browser: Relay, chrome_id: int, *, renew: bool = False) -> None:
    """Attach. `renew`: a session that there is already is ended first; the extension may have forgotten it, because its
    worker was restarted, and could not use it."""
    try:
        await browser.send("debugger.attach", {"tabId": chrome_id})
    except CdpError as error:
        if not error.means(Refusal.ALREADY_ATTACHED):
            raise
        if renew:
            with suppress(CdpError):
                await browser.send("debugger.detach", {"tabId": chrome_id})
            await _attach(browser, chrome_id)


async def _leave_page(browser: Relay, chrome_id: int) -> None:
    """Go from a page that extensions may not debug to an empty one, and attach there: from there the tab can navigate
    to another page. Raises why it cannot be attached there either."""
    await browser.send("tabs.navigate", {"tabId": chrome_id, "url": "about:blank"})
    until = trio.current_time() + _LEAVES_S
    while True:
        try:
            await _attach(browser, chrome_id)
            await browser.send("cdp.send", {"tabId": chrome_id, "method": "Page.enable", "params": {}})
            return
        except CdpError as error:  # it is still there: some pages can be attached to but take no commands
            if trio.current_time() > until:
                raise closed_to_extensions(error.reason) or error from None
        await trio.sleep(_RETRY_S)  # the relay does not report that the page has changed
