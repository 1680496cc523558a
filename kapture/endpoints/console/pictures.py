"""Live pictures of the tabs that one Console has in view: one screencast per tab, at the Console's own pace."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Sequence

import attrs
import msgspec
import trio

from kapture.endpoints.console.visible import why_no_picture
from kapture.errors import KaptureError
from kapture.hub import Client
from kapture.hub.state import HubState
from kapture.page import Page
from kapture.wire import console as wire

ENLARGED = 1_280
"""The width of an enlarged picture, in image pixels."""
SHORTEST_S = 0.2
"""Seconds between two pictures of a tab: five a second at most."""

Send = Callable[[str | bytes], Awaitable[None]]


@attrs.define(eq=False, kw_only=True)
class _Stream:
    """The pictures of one tab. `drawn` is set when the Console has drawn the picture with this number."""

    page: Page
    width: int
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    number: int = 0
    drawn: trio.Event = attrs.field(factory=trio.Event)


class Pictures:
    """The picture streams of one Console. `send` waits while the Console does not read."""

    def __init__(self, state: HubState, client: Client, nursery: trio.Nursery, send: Send) -> None:
        self._state = state
        self._client = client
        self._nursery = nursery
        self._send = send
        self._wanted: dict[str, int] = {}  # widths by tab id
        self._streams: dict[str, _Stream] = {}
        self._withheld: dict[str, str] = {}

    async def watch(self, tabs: Sequence[str], enlarged: str | None, width: int = wire.WIDEST) -> None:
        """Show exactly these tabs, one of them enlarged, the others up to this width in image pixels."""
        self._wanted = {tab_id: ENLARGED if tab_id == enlarged else width for tab_id in tabs}
        self._withheld = {tab_id: why for tab_id, why in self._withheld.items() if tab_id in self._wanted}
        await self.refresh()

    def drawn(self, tab_id: str, number: int) -> None:
        """Note that the Console has drawn this picture."""
        stream = self._streams.get(tab_id)
        if stream is not None and stream.number == number:
            stream.drawn.set()

    async def refresh(self) -> None:
        """Start streams that are possible now, and end the others: out of view, of a page that was replaced, or that
        may not be shown any more. The last picture of a page that does not change would stay."""
        for tab_id, stream in list(self._streams.items()):
            page, width = self._page(tab_id), self._wanted.get(tab_id)
            if page is not stream.page or width != stream.width or self._why_not(tab_id, page) is not None:
                stream.scope.cancel()
                del self._streams[tab_id]
        for tab_id, width in self._wanted.items():
            if tab_id in self._streams:
                continue
            page = self._page(tab_id)
            why = self._why_not(tab_id, page)
            if page is None or why is not None:
                await self._withhold(tab_id, why or "There is no page.")
                continue
            stream = self._streams[tab_id] = _Stream(page=page, width=width)
            self._nursery.start_soon(self._run, tab_id, stream)

    def _page(self, tab_id: str) -> Page | None:
        tab = self._state.router.connected.get(tab_id)
        return tab.backend.current_page if tab is not None and tab.backend is not None else None

    def _why_not(self, tab_id: str, page: Page | None) -> str | None:
        tab = self._state.router.connected.get(tab_id)
        if tab is None or tab.backend is None:
            return "The tab is not connected."
        if page is None:
            alone = "This tab executes commands itself: there is no live picture of it."
            return tab.backend.why_detached or (alone if tab.backend.executes_itself else "The page is being set up.")
        with self._state.consent.calling(self._client):
            return why_no_picture(self._state, self._client, tab, page)

    async def _run(self, tab_id: str, stream: _Stream) -> None:
        try:
            with stream.scope, self._state.consent.calling(self._client):
                await self._show(tab_id, stream)
        except KaptureError as error:
            await self._withhold(tab_id, error.message)
        finally:
            if self._streams.get(tab_id) is stream:
                del self._streams[tab_id]

    async def _show(self, tab_id: str, stream: _Stream) -> None:
        """Stream until the tab may not be shown any more; `refresh` starts it again when it may. A picture that is the
        same as the one before is not sent: an animation may change nothing that is seen."""
        sent: tuple[str, float, float] | None = None
        async with stream.page.screencast.watch(stream.width) as viewer:
            while True:
                frame = await viewer.next()
                if (why := self._why_not(tab_id, stream.page)) is not None:
                    await self._withhold(tab_id, why)
                    return
                self._withheld.pop(tab_id, None)
                earliest = trio.current_time() + SHORTEST_S
                if (shown := (frame.base64, frame.width, frame.height)) != sent:
                    sent = shown
                    stream.number, stream.drawn = frame.number, trio.Event()
                    head = wire.Picture(tab_id=tab_id, number=frame.number, width=frame.width, height=frame.height)
                    await self._send(msgspec.json.encode(head) + b"\n" + base64.b64decode(frame.base64))
                    await stream.drawn.wait()
                await trio.sleep_until(earliest)

    async def _withhold(self, tab_id: str, why: str) -> None:
        if self._withheld.get(tab_id) != why:
            self._withheld[tab_id] = why
            await self._send(msgspec.json.encode(wire.Withheld(tab_id=tab_id, reason=why)).decode())
