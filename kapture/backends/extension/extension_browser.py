"""Operations of the extension for a tab that CDP lacks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import trio

from kapture.backends.closing_question import expecting_end, raising_question
from kapture.backends.tab_connection import TabConnection
from kapture.errors import ErrorCode, KaptureError, TabDisconnected

if TYPE_CHECKING:
    from kapture.page import Page

_CLOSING_S = 5
"""How long a tab that was closed may take to go, as on a busy machine, until it is not waited for any more."""


class ExtensionBrowser:
    """`BrowserControl` over the tab's socket. `wait_connected` waits until a tab with this id has registered; `page`
    returns the tab's page, while there is one."""

    def __init__(
        self,
        connection: TabConnection,
        wait_connected: Callable[[str], Awaitable[None]],
        page: Callable[[], Page | None] = lambda: None,
    ) -> None:
        self._connection = connection
        self._page = page
        self._wait_connected = wait_connected

    async def tab_new(self, url: str, *, active: bool) -> str:
        """Open a tab and wait until it has connected; returns its id."""
        result = await self._connection.request("tab_new", {"url": url, "active": active})
        tab_id = result.get("tabId") if isinstance(result, dict) else None
        if not isinstance(tab_id, str):
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, "The extension opened a tab but did not say which.")
        await self._wait_connected(tab_id)
        return tab_id

    async def tab_close(self) -> None:
        """Close the tab; the end of its socket is expected then. `DIALOG_OPEN` if its page asks whether to leave."""
        with expecting_end(self._connection):
            with suppress(TabDisconnected):  # it closed before it could answer
                async with raising_question(self._page()):
                    await self._connection.request("tab_close", {})
            with trio.move_on_after(_CLOSING_S):
                await self._connection.closed.wait()

    async def tab_activate(self) -> None:
        """Bring the tab to the front."""
        await self._connection.request("tab_activate", {})

    async def tab_shown(self) -> bool | None:
        """Ask the extension, if it knows the question."""
        if "tab_shown" not in self._connection.capabilities:
            return None
        result = await self._connection.request("tab_shown", {})
        return result.get("shown") is True if isinstance(result, dict) else None

    async def tab_ready(self) -> None:
        """Wait until the document that the tab was opened for has come, or none will; for a limited time."""
        if "tab_ready" in self._connection.capabilities:
            await self._connection.request("tab_ready", {})

    @property
    def can_leave(self) -> bool:
        """Whether the extension can leave a page that it is shut out of."""
        return "tab_leave" in self._connection.capabilities

    async def tab_resume(self) -> None:
        """Attach to a page that the extension was shut out of; `DETACHED` if it still is."""
        if "cdp_renew" in self._connection.capabilities:
            await self._connection.request("cdp_renew", {})

    async def tab_leave(self) -> None:
        """Go to an empty page, from any page."""
        await self._connection.request("tab_leave", {})

    async def permission(self, name: str, setting: str) -> None:
        """Set a permission of the tab's site."""
        await self._connection.request("permission", {"name": name, "setting": setting})

    async def download(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run one step of a download; see docs/PROTOCOL.md, `download`."""
        if not self._connection.vouched:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                "The hub takes no files from a tab that has shown only the client token.",
                hint="Connect the tab with the proof that it holds the key, as the extension does.",
            )
        result = await self._connection.request("download", params)
        return result if isinstance(result, dict) else {}
