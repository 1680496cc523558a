"""The tabs that one script sees: those on which policy lets it work, as they connect, change and disconnect."""

from __future__ import annotations

from collections.abc import Callable

import trio

from kapture.endpoints.cdp.messages import PageTarget
from kapture.errors import KaptureError
from kapture.hub import Client, Hub
from kapture.hub.tabs.tab import Tab

_KINDS = frozenset({"tab_connected", "tab_changed", "tab_disconnected", "tab_gone", "grant_changed", "missed"})


class ShownTabs:
    """`targets` by target id. `on_change` is called with the previous targets on every change.

    `held` says whether the script holds a tab: a held tab stays, whatever it shows; its methods are refused instead.
    """

    def __init__(
        self,
        hub: Hub,
        client: Client,
        held: Callable[[str], bool],
        on_change: Callable[[dict[str, PageTarget]], None],
    ) -> None:
        self.targets: dict[str, PageTarget] = {}
        self._hub = hub
        self._client = client
        self._held = held
        self._on_change = on_change
        self._target_ids: dict[str, str] = {}  # by tab id
        self._waiting: set[str] = set()  # ids of tabs whose page is being set up

    async def follow(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep `targets` up to date until cancelled. `started` once they are known."""
        async with self._hub.subscribe() as events, trio.open_nursery() as nursery:
            await self._set_up_pages()
            self._refresh(nursery)
            task_status.started()
            async for event in events:
                if event.kind in _KINDS:
                    self._refresh(nursery)

    def tab(self, target: PageTarget) -> Tab | None:
        """The tab of a target; None if it is not connected."""
        return self._hub.state.router.connected.get(target.tab_id)

    async def _set_up_pages(self) -> None:
        """Set up the pages of tabs that have just connected, so that they are shown at once."""
        for tab in self._hub.holding.tabs(self._client):
            if tab.script is None:
                await _ready(tab)

    def _refresh(self, nursery: trio.Nursery) -> None:
        connected = self._hub.state.router.connected
        allowed = {tab.tab_id: tab for tab in self._hub.holding.tabs(self._client)}
        allowed |= {tab_id: tab for tab_id, tab in connected.items() if self._held(tab_id)}
        for tab in allowed.values():
            documents = tab.backend.documents if tab.backend is not None else None
            if documents is not None:
                self._target_ids[tab.tab_id] = documents.frames.main.id
            elif tab.scripts is not None and tab.scripts.paused is not None:
                self._target_ids[tab.tab_id] = tab.scripts.paused
            elif tab.tab_id not in self._target_ids and tab.tab_id not in self._waiting:
                self._waiting.add(tab.tab_id)
                nursery.start_soon(self._wait_for, tab, nursery)
        before = self.targets
        self._target_ids = {tab_id: known for tab_id, known in self._target_ids.items() if tab_id in connected}
        self.targets = {
            target.target_id: target for tab in allowed.values() if (target := self._target(tab)) is not None
        }
        if self.targets != before:
            self._on_change(before)

    async def _wait_for(self, tab: Tab, nursery: trio.Nursery) -> None:
        await _ready(tab)
        self._waiting.discard(tab.tab_id)
        if tab.backend is not None and tab.backend.documents is not None:
            self._refresh(nursery)

    def _target(self, tab: Tab) -> PageTarget | None:
        target_id = self._target_ids.get(tab.tab_id)
        if target_id is None or tab.backend is None:
            return None
        with self._hub.state.consent.calling(self._client):
            address = self._hub.state.consent.shown_address(tab)
        opener = self._target_ids.get(tab.backend.opener or "")
        return PageTarget(tab_id=tab.tab_id, target_id=target_id, url=address.url, title=address.title, opener=opener)


async def _ready(tab: Tab) -> None:
    """Return when the tab's page is set up, or cannot be."""
    if tab.scripts is None:
        return
    try:
        await tab.scripts.ready()
    except KaptureError:
        return  # it is shown after its next change
