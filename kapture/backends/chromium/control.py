"""`TabBrowser` for a tab of a browser that the hub has a CDP connection to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import trio

from kapture.backends.backend import DeliverEvent, Traffic
from kapture.backends.browser_connection import BrowserConnection
from kapture.backends.cdp_tab import CdpTab, WaitConnected
from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.backends.chromium.find import BrowserKind
from kapture.backends.chromium.script_transport import ScriptTransport
from kapture.backends.chromium.target import TabIds
from kapture.backends.closing_question import expecting_end
from kapture.backends.event_limit import Entry, EventLimit
from kapture.background import single_error
from kapture.cdp import CdpTransport
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.screencast import Screencast
from kapture.split_url import split_url

_CLOSING_S = 5
"""How long a tab that was closed may take to go, as on a busy machine, until it is not waited for any more."""

_SETTINGS = {"allow": "granted", "block": "denied", "ask": "prompt"}


class Browser(Protocol):
    """The part of the browser that is needed here."""

    kind: BrowserKind
    connection: BrowserConnection
    downloads: BrowserDownloads
    ids: TabIds

    async def open_tab(self, url: str, *, beside: str | None, background: bool) -> str:
        """Open a tab in the browser context of a target; returns its tabId."""

    def context_of(self, target_id: str) -> str | None:
        """The browser context of a tab."""

    def another_session(
        self, target_id: str, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AbstractAsyncContextManager[CdpTransport]:
        """Another session of a target, for the duration of the block."""


class ChromiumControl:
    """`TabBrowser` over a browser connection, for the tab with one target and session."""

    def __init__(
        self, browser: Browser, tab: CdpTab, target_id: str, session_id: str, wait_connected: WaitConnected
    ) -> None:
        self._browser = browser
        self._tab = tab
        self._target_id = target_id
        self._session_id = session_id
        self._wait_connected = wait_connected

    @property
    def unsupported(self) -> Mapping[str, str]:
        """The unsupported commands, each with the reason and what to do instead."""
        return self._browser.kind.unsupported

    @property
    def traffic(self) -> Traffic:
        """Figures on the connection: all tabs of a browser share it; only pending commands are counted for this tab."""
        connection = self._browser.connection
        return Traffic(
            pending_requests=connection.pending_of(self._session_id),
            late=0,
            unsolicited=0,
            buffered_bytes=connection.buffered_bytes,
            last_message_at=connection.last_message_at,
        )

    @asynccontextmanager
    async def script_session(
        self, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AsyncIterator[CdpTransport]:
        """Another session of the target."""

        def screencast() -> Screencast | None:
            page = self._tab.current_page
            return page.screencast if page is not None else None

        # Judging an event for the script costs more than the hub's own reading does.
        def pass_on(entry: Entry, _: int) -> None:
            method, params, session_id = entry
            deliver(method, dict(params), session_id)

        def take(method: str, params: dict[str, Any], session_id: str | None) -> None:
            if not limit.take(method, params, session_id):
                deliver(method, params, session_id)

        limit = EventLimit(pass_on)
        async with self._browser.another_session(self._target_id, take, pauses_popups) as transport:
            limit.transport = transport
            with single_error():
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(limit.run)
                    script = ScriptTransport(limit, nursery, self._check_closing, screencast)
                    try:
                        yield script
                    finally:
                        script.leave()
                    nursery.cancel_scope.cancel()

    async def probe(self) -> None:
        """Return when the browser answers."""
        await self._browser.connection.send("Browser.getVersion")

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab beside this one and wait until it has connected."""
        tab_id = await self._browser.open_tab(url, beside=self._target_id, background=not active)
        await self._wait_connected(tab_id)
        return tab_id

    async def tab_close(self) -> None:
        """Close the tab, if Kapture may close it."""
        self._check_closing()
        with expecting_end(self._tab):
            await self._browser.connection.send("Target.closeTarget", {"targetId": self._target_id})
            with trio.move_on_after(_CLOSING_S):
                await self._tab.closed.wait()

    def _check_closing(self) -> None:
        if not self._browser.kind.owned and not self._browser.ids.is_opened(self._target_id):
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                "Kapture did not open this tab, and in a browser that it attached to it closes only its own tabs.",
                hint=Wording("Ask the person to close it.", "Or work in a tab of your own ({tab_new})."),
                data={"command": "tab_close"},
            )

    async def tab_activate(self) -> None:
        """Bring the tab to the front."""
        await self._browser.connection.send("Target.activateTarget", {"targetId": self._target_id})

    async def tab_shown(self) -> bool | None:
        """Not known: CDP does not say."""
        return None

    async def permission(self, name: str, setting: str) -> None:
        """Set a permission of the tab's site, for as long as the browser is connected."""
        parts = split_url(self._tab.address.url)
        if parts.scheme not in ("http", "https"):
            raise KaptureError(
                ErrorCode.EXECUTION_ERROR,
                "The page has no site, and permissions belong to a site.",
                hint="Navigate to a web page first.",
            )
        params: dict[str, Any] = {
            "permission": {"name": name},
            "setting": _SETTINGS[setting],
            "origin": f"{parts.scheme}://{parts.netloc}",
        }
        # Chromium accepts its default browser context here only as a missing parameter.
        contexts = (await self._browser.connection.send("Target.getBrowserContexts"))["browserContextIds"]
        if (context := self._browser.context_of(self._target_id)) in contexts:
            params["browserContextId"] = context
        await self._browser.connection.send("Browser.setPermission", params)

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one step of a download; see docs/PROTOCOL.md, `download`."""

        async def send(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
            session = None if method.startswith("Browser.") else self._session_id
            return await self._browser.connection.send(method, params, session)

        return await self._browser.downloads.step(send, params)
