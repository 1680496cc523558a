"""Bounds what the hub keeps of all tabs together: the least recently used tab is cut first.

Each tab has a limit of its own (`kapture.page.tab_memory`).
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs
import msgspec

from kapture.backends.tab_page import OpenPage
from kapture.cdp import CdpConnection
from kapture.commands.core.answer import Blob, CallResult
from kapture.commands.core.context import ClientView
from kapture.errors import KaptureError
from kapture.page.documents.frame import Frame
from kapture.page.documents.read_gate import ReadGate
from kapture.page.tab_memory import TabMemory
from kapture.settings import Limits
from kapture.snapshot.tree import KnownTree

if TYPE_CHECKING:
    from kapture.page import Page

_KEPT = 50
_ENTRY_BYTES = 1_000
"""A call without arguments and answer."""


@attrs.frozen(kw_only=True)
class KeptAnswer:
    """The answer of a call, its data as JSON, which takes a fraction of the memory of the decoded data."""

    text: str
    data: bytes
    parts: tuple[Blob, ...]

    def to_wire(self) -> dict[str, Any]:
        """The message for the panel."""
        return answer_to_wire(self.text, json.loads(self.data), self.parts)

    @property
    def held_bytes(self) -> int:
        """Its size in memory, in bytes."""
        return self.text.__sizeof__() + len(self.data) + sum(len(part.base64) for part in self.parts)


@attrs.frozen(kw_only=True)
class CallDetails:
    """The arguments of one call, as JSON, and its answer, or else its error, as JSON.

    A cancelled call has neither, nor has one that was given a secret.
    """

    given: bytes
    answer: KeptAnswer | None = None
    failure: bytes | None = None

    @classmethod
    def of(cls, arguments: Mapping[str, Any], answer: CallResult | KaptureError | None) -> CallDetails:
        """The details of a call that has ended."""
        if answer is None:
            return cls(given=_as_json(arguments))
        if isinstance(answer, KaptureError):
            return cls(given=_as_json(arguments), failure=_error_as_json(answer))
        kept = KeptAnswer(text=answer.text, data=_as_json(answer.data), parts=answer.parts)
        return cls(given=_as_json(arguments), answer=kept)

    @property
    def arguments(self) -> dict[str, Any]:
        """The call's arguments, decoded."""
        arguments: dict[str, Any] = json.loads(self.given)
        return arguments

    @property
    def error(self) -> dict[str, Any] | None:
        """The error of a call that failed, as the panel gets it."""
        error: dict[str, Any] | None = json.loads(self.failure) if self.failure is not None else None
        return error

    @property
    def held_bytes(self) -> int:
        """Its size in memory, in bytes, estimated."""
        answer_bytes = 0 if self.answer is None else self.answer.held_bytes
        return _ENTRY_BYTES + len(self.given) + answer_bytes + len(self.failure or b"")


class LatestCalls:
    """The details of the latest calls on a tab, by call name; a holder of memory (`kapture.page.tab_memory`)."""

    def __init__(self) -> None:
        self.on_grown: Callable[[], None] = lambda: None
        self.held_bytes = 0
        self._kept: OrderedDict[str, CallDetails] = OrderedDict()

    def add(self, call: str, details: CallDetails) -> None:
        """Keep the details of a call that has ended; drops the oldest for it."""
        self._kept[call] = details
        self.held_bytes += details.held_bytes
        while len(self._kept) > _KEPT:
            self.drop_oldest()
        self.on_grown()

    def get(self, call: str) -> CallDetails | None:
        """The details of a call; None when they are not kept any more."""
        return self._kept.get(call)

    def drop_oldest(self) -> None:
        """Forget the call that ended first."""
        self.held_bytes -= self._kept.popitem(last=False)[1].held_bytes


def answer_to_wire(text: str, data: Any, parts: tuple[Blob, ...]) -> dict[str, Any]:
    """The message that carries an answer to a panel."""
    blobs = [{"base64": part.base64, "mimeType": part.mime_type, "name": part.name} for part in parts]
    return {"text": text, "data": data, "parts": blobs}


def _as_json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can carry only as an escape
        return json.dumps(msgspec.to_builtins(value)).encode()


def _error_as_json(error: KaptureError) -> bytes:
    kept = {"code": error.code.value, "message": error.message, "hint": error.hint, "data": error.data or None}
    return json.dumps(kept, default=str).encode()


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
    """Memory of each tab that is connected or may come back, bounded in bytes."""

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
