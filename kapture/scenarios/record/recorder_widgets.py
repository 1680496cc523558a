"""The recorder's widget in the pages of recorded tabs: drawn whenever what it shows has changed, and asked for commands
by the person who uses the page. They run for the tab's panel: policy and approvals apply, and the history shows them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import trio

from kapture.background import running_beside
from kapture.cdp import CdpConnection
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Hub
from kapture.page import Page
from kapture.page.documents.read_gate import ReadGate
from kapture.page.recording.recording import PageWidget
from kapture.scenarios.record.recorder import Recorder
from kapture.scenarios.record.widget_state import Shape, WidgetMessage, WidgetState, read_message

RENEW_S = 3.0
"""It is asked to stay at least so often; see LEASE_MS in kapture/page/widget/lease.js."""

_TOGETHER_S = 0.1
"""Changes within this time are drawn together."""

_REMOVING_S = 1.0

_MOST_WAITING = 16
"""So many commands of one widget wait for the one that runs; nobody presses buttons that fast."""


class RecorderWidgets:
    """The widgets of one hub, at most one a tab."""

    def __init__(self, recorder: Recorder, *, renew_s: float = RENEW_S) -> None:
        self._recorder = recorder
        self._renew_s = renew_s
        self._states: dict[str, WidgetState] = {}
        self._shape = Shape()
        """Where a person has put one last: one in another tab comes there, too."""
        self._hub: Hub | None = None
        self._tabs = Changed()

    @asynccontextmanager
    async def open_page(self, connection: CdpConnection, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
        """`Recorder.open_page`, with a widget in the page while it is recorded."""
        async with (
            self._recorder.open_page(connection, tab_id, gate) as page,
            running_beside(partial(self._serve, page)),
        ):
            yield page

    async def follow_tabs(self, hub: Hub) -> None:
        """Run what the widgets ask for on this hub. What the widget of a tab was like goes with the tab."""
        self._hub = hub
        async with hub.subscribe() as events:
            async for event in events:
                if event.kind == "tab_gone":
                    self._states.pop(event.tab_id or "", None)
                self._tabs.notify()

    async def _serve(self, page: Page) -> None:
        """Keep the widget of a page as it should be, until cancelled."""
        widget, changed = page.widget, Changed()
        state = self._states.setdefault(page.tab_id, WidgetState(shape=self._shape))
        try:
            async with trio.open_nursery() as nursery:
                asked, waiting = trio.open_memory_channel[WidgetMessage](_MOST_WAITING)

                def take(text: str) -> None:
                    if (message := read_message(text)) is not None:
                        if message.shape is not None:
                            self._shape = message.shape
                        if message.close:
                            self._recorder.withdraw(page.tab_id)
                        _take(state, message, asked)
                        changed.notify()

                widget.on_message = take
                nursery.start_soon(self._run, page.tab_id, state, waiting, changed)
                for source in (self._recorder.changed, self._tabs, widget.documents):
                    nursery.start_soon(_pass_on, source, changed)
                try:
                    await self._keep_drawn(widget, page.tab_id, state, changed)
                finally:
                    with trio.CancelScope(shield=True), trio.move_on_after(_REMOVING_S):
                        await widget.remove()
        finally:
            state.busy = False  # what was asked for on this page is not answered any more

    async def _keep_drawn(self, widget: PageWidget, tab_id: str, state: WidgetState, changed: Changed) -> None:
        drawn = None
        while True:
            upcoming = changed.upcoming
            shown = None if self._is_held(tab_id) else self._shown(tab_id, state)
            if shown is None:
                await widget.remove()
                drawn = None
                await upcoming.wait()
            else:
                if shown != drawn or not await widget.stay():
                    await widget.show(shown)
                    drawn = shown
                with trio.move_on_after(self._renew_s):
                    await upcoming.wait()
            await trio.sleep(_TOGETHER_S)

    def _shown(self, tab_id: str, state: WidgetState) -> dict[str, Any] | None:
        return state.shown(self._recorder.state(tab_id), offered=self._recorder.is_offered(tab_id))

    def _is_held(self, tab_id: str) -> bool:
        """Whether a script has the tab: its clicks must not meet the widget."""
        tab = None if self._hub is None else self._hub.state.router.connected.get(tab_id)
        return tab is not None and tab.script is not None

    async def _run(
        self, tab_id: str, state: WidgetState, waiting: trio.MemoryReceiveChannel[WidgetMessage], changed: Changed
    ) -> None:
        """Run what the person asks for, one after the other."""
        async for message in waiting:
            arguments = {**message.params, "tabId": tab_id}
            try:
                if self._hub is None:
                    raise KaptureError(ErrorCode.DETACHED, "Kapture is not ready yet.", hint="Try again.")
                panel = self._hub.state.clients.panel(tab_id)
                state.succeeded(message, (await self._hub.call(panel, str(message.command), arguments)).data)
            except KaptureError as error:
                state.problem = error
            finally:
                state.busy = waiting.statistics().current_buffer_used > 0
                changed.notify()


def _take(state: WidgetState, message: WidgetMessage, asked: trio.MemorySendChannel[WidgetMessage]) -> None:
    if message.shape is not None:
        state.shape = message.shape
    if message.cancel:
        state.problem = None
    if message.close:
        state.close()
    if message.command is not None:
        with suppress(trio.WouldBlock):
            asked.send_nowait(message)
            state.busy = True


async def _pass_on(source: Changed, to: Changed) -> None:
    while True:
        await source.wait()
        to.notify()
