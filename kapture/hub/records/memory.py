"""Bounds what the hub keeps of all tabs together: the least recently used tab is cut first.

Each tab has a limit of its own (`kapture.page.tab_memory`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from kapture.backends.tab_page import OpenPage
from kapture.cdp import CdpConnection
from kapture.commands.core.context import ClientView
from kapture.hub.records.call_details import LatestCalls
from kapture.page.documents.frame import Frame
from kapture.page.documents.read_gate import ReadGate
from kapture.page.tab_memory import TabMemory
from kapture.settings import Limits
from kapture.snapshot.sent_tree import KnownTree

if TYPE_CHECKING:
    from kapture.page import Page


class Trees:
    """The snapshot trees of one tab: the latest of each frame, and those that clients were shown. A holder of memory.

    A tree that several of them share is counted once.
    """

    def __init__(self) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self.frames: Callable[[], Iterable[Frame]] = tuple
        self._views: WeakKeyDictionary[ClientView, int] = WeakKeyDictionary()  # the number of its last use
        self._uses = 0

    def used(self, view: ClientView | None = None) -> None:
        """Recount after a call, which may have read trees; `view` is what its client was shown."""
        if view is not None:
            self._uses += 1
            self._views[view] = self._uses
        self._count()
        self.on_grown()

    def drop_oldest(self) -> None:
        """Drop the trees of the client that has used this tab least recently; if there are none, those of the
        frames."""
        views = [view for view in list(self._views) if any(view.trees())]
        if views:
            min(views, key=self._views.__getitem__).forget_snapshots()
        else:
            for frame in self.frames():
                frame.known_tree = None
        self._count()

    def _count(self) -> None:
        roots: dict[int, int] = {}
        for frame in self.frames():
            if isinstance(frame.known_tree, KnownTree):
                roots[id(frame.known_tree.root)] = frame.known_tree.held_bytes
        for view in list(self._views):
            for tree in view.trees():
                roots |= tree.roots()
        self.held_bytes = sum(roots.values())


class _KeptOfTab:
    """`counted` is the part of `HubMemory.held_bytes` that this tab stands for."""

    def __init__(self, tab_id: str, limit_bytes: int, on_changed: Callable[[_KeptOfTab, int], None]) -> None:
        self.tab_id = tab_id
        self.counted = 0
        self.memory = TabMemory(limit_bytes, partial(on_changed, self))
        self.trees = Trees()
        self.calls = LatestCalls()
        self.memory.add("trees", self.trees)
        self.memory.add("calls", self.calls)


class HubMemory:
    """What is kept of each tab that is connected or may come back, bounded in bytes."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._tabs: OrderedDict[str, _KeptOfTab] = OrderedDict()  # the least recently used first
        self.held_bytes = 0
        """Bytes kept of all tabs. Too high where something was freed without notice, until the next recount."""

    def by_kind(self, tab_id: str) -> Mapping[str, int]:
        """Bytes kept of a tab, by kind: `calls`, `events`, `logs`, `requests`, `routes`, `trees`."""
        tab = self._tabs.get(tab_id)
        return tab.memory.by_kind() if tab is not None else {}

    def calls(self, tab_id: str) -> LatestCalls:
        """The latest calls on a tab."""
        return self._of(tab_id).calls

    def used(self, tab_id: str, view: ClientView) -> None:
        """Note that a client's call on a tab has ended."""
        if (tab := self._tabs.get(tab_id)) is not None:  # it may have gone meanwhile
            self._tabs.move_to_end(tab_id)
            tab.trees.used(view)

    def forget(self, tab_id: str) -> None:
        """Drop what is kept of a tab that is gone."""
        if (tab := self._tabs.pop(tab_id, None)) is not None:
            self.held_bytes -= tab.counted

    def opening(self, open_page: OpenPage) -> OpenPage:
        """Wrap `open_page` so that what each page keeps is counted."""

        @asynccontextmanager
        async def opened(connection: CdpConnection, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
            async with open_page(connection, tab_id, gate) as page:
                tab = self._of(tab_id)
                page.memory = tab.memory
                tab.memory.add("logs", page.console.entries)
                tab.memory.add("requests", page.network.kept)
                tab.memory.count("routes", page.routes)
                tab.trees.frames = page.frames.all
                try:
                    yield page
                finally:
                    tab.trees.frames = tuple
                    tab.trees.used()

        return opened

    def _of(self, tab_id: str) -> _KeptOfTab:
        tab = self._tabs.get(tab_id)
        if tab is None:
            tab = self._tabs[tab_id] = _KeptOfTab(tab_id, self._limits.tab_memory_bytes, self._changed)
        return tab

    def _changed(self, tab: _KeptOfTab, held_bytes: int) -> None:
        if self._tabs.get(tab.tab_id) is not tab:
            return  # it is gone
        self._count(tab, held_bytes)
        if self.held_bytes <= self._limits.memory_bytes:
            return
        for each in self._tabs.values():
            self._count(each, each.memory.held_bytes)
        for each in self._tabs.values():
            if (over := self.held_bytes - self._limits.memory_bytes) <= 0:
                return
            self._count(each, each.memory.shrink_to(max(0, each.counted - over)))

    def _count(self, tab: _KeptOfTab, held_bytes: int) -> None:
        self.held_bytes += held_bytes - tab.counted
        tab.counted = held_bytes
