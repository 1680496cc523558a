"""A tab that one script holds, from its first session on the tab to its last."""

from __future__ import annotations

from collections.abc import Callable

import trio

from kapture.endpoints.cdp.page_session import PageSession
from kapture.errors import KaptureError, leaves
from kapture.hub import Client, Hub
from kapture.hub.holding import Hold
from kapture.hub.tabs.tab import Tab


class HeldTab:
    """`on_end` is called when the hold has ended, even if it never began."""

    def __init__(self, hub: Hub, client: Client, tab: Tab, on_end: Callable[[HeldTab], None]) -> None:
        self.tab = tab
        self.hold: Hold | None = None
        self.sessions: dict[str, PageSession] = {}
        self.ending = False  # its last session has ended
        self.ended = trio.Event()
        self._hub = hub
        self._client = client
        self._on_end = on_end
        self._nursery: trio.Nursery | None = None
        self._settled = trio.Event()
        self._error: KaptureError | None = None

    async def ready(self) -> Hold | None:
        """Wait for the tab's turn and return the hold; None once the script has left the tab. Raises the reason if the
        hold failed or was ended."""
        await self._settled.wait()
        if self.hold is None and self._error is not None:
            raise self._error
        return self.hold

    async def run(self) -> None:
        """Hold the tab until the last session has ended, or the hold ends from outside."""
        try:
            await self._hub.holding.hold(self._client, self.tab, self._carry)
        except* KaptureError as group:
            error = leaves(group)[0]
            self._error = error if isinstance(error, KaptureError) else None
        finally:
            self.hold = None
            self._settled.set()
            self._on_end(self)
            self.ended.set()

    async def start(self, session: PageSession) -> None:
        """Set up a session on the held tab."""
        assert self._nursery is not None  # noqa: S101  a hold has a nursery
        self.sessions[session.session_id] = session
        try:
            await self._nursery.start(session.run)
        except BaseException:
            self.end(session)
            raise

    def end(self, session: PageSession) -> None:
        """End a session that the script has detached; the hold ends with the last one."""
        session.ended.set()
        self.sessions.pop(session.session_id, None)
        if not self.sessions and self._nursery is not None:
            self.ending = True
            self._nursery.cancel_scope.cancel()

    async def _carry(self, hold: Hold) -> None:
        async with trio.open_nursery() as self._nursery:
            self.hold = hold
            self._settled.set()
            await trio.sleep_forever()
        self._nursery = None
