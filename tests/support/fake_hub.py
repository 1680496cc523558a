"""A hub in memory: it records clients' calls and answers from a table. Only the hub's interface is faked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs
import trio

from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.registry import Access
from kapture.errors import ErrorCode, KaptureError


@attrs.define(kw_only=True)
class FakeTab:
    tab_id: str
    url: str = "https://shop.example/"
    title: str = "Shop"
    connected_at: float = 0
    backend: str = "extension"
    kind: str = "extension"
    level: Access = Access.INTERACT
    page_tools: tuple[Any, ...] = ()


@attrs.frozen
class FakeEvent:
    kind: str
    tab_id: str | None = None


@attrs.define(eq=False)
class FakeClient:
    name: str
    version: str
    kind: str
    elicit: Any = None


Behaviour = Callable[[FakeClient, Mapping[str, Any], Any], Awaitable[CallResult]]


def result(text: str, *, untrusted: bool = True, parts: tuple[Blob, ...] = (), **data: Any) -> CallResult:
    return CallResult(answer=Answer(), text=text, data=data, parts=parts, untrusted=untrusted)


class FakeChoice:
    """The tab that was connected last, as a hub with one kind of backend chooses."""

    falls_back = False

    def __init__(self, hub: FakeHub) -> None:
        self._hub = hub

    def named(self, tab_id: str) -> str:
        return tab_id

    def candidates(self, client: FakeClient) -> Mapping[str, FakeTab]:
        return self._hub.tabs

    def likely(self, client: FakeClient) -> str | None:
        tabs = self._hub.tabs
        return max(tabs.values(), key=lambda tab: tab.connected_at).tab_id if tabs else None

    def short(self, tab_id: str) -> str | int:
        return tab_id

    async def check_any(self) -> None:
        if not self._hub.tabs:
            raise KaptureError(ErrorCode.NO_BACKEND, "No tab is connected.")

    async def tab(self, current: str | None, client: FakeClient) -> str:
        tabs = self._hub.tabs
        if not tabs:
            raise KaptureError(ErrorCode.NO_BACKEND, "No tab is connected.")
        return current if current in tabs else max(tabs.values(), key=lambda tab: tab.connected_at).tab_id

    async def new_tab(self, client: FakeClient) -> str:
        return self._hub.connect_tab("first").tab_id


class FakeHub:
    def __init__(self) -> None:
        self.tabs: dict[str, FakeTab] = {}
        self.scenarios: list[str] = []
        self.choice = FakeChoice(self)
        self.clients: list[FakeClient] = []
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.refusals: list[tuple[str, str, ErrorCode]] = []
        self.running = 0
        self.judging: str | None = None
        """The client by whose rules is judged what is read now."""
        self.closed_to: set[str | None] = set()
        """The clients that may see nothing of any page."""
        self.behaviours: dict[str, Behaviour] = {}
        self.listeners: set[trio.MemorySendChannel[FakeEvent]] = set()
        self._moved = trio.Event()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until the condition holds; it is checked when a client or a listener is added or removed."""
        with trio.fail_after(30):
            while not holds():
                await self._moved.wait()

    def _move(self) -> None:
        self._moved.set()
        self._moved = trio.Event()

    def backend_kind(self, tab_id: str) -> str | None:
        return self.tabs[tab_id].backend if tab_id in self.tabs else None

    @contextmanager
    def client(self, *, name: str, version: str, kind: str, **_: Any) -> Iterator[FakeClient]:
        client = FakeClient(name, version, kind)
        self.clients.append(client)
        self._move()
        try:
            yield client
        finally:
            self.clients.remove(client)
            self._move()

    async def call(
        self, client: FakeClient, name: str, arguments: Mapping[str, Any], *, progress: Any = None
    ) -> CallResult:
        assert client in self.clients
        self.calls.append((client.name, name, dict(arguments)))
        tab_id = arguments.get("tabId")
        if tab_id is not None and tab_id not in self.tabs:
            raise KaptureError(ErrorCode.TAB_NOT_FOUND, f"There is no tab {tab_id}.", hint="List the tabs.")
        self.running += 1
        try:
            behaviour = self.behaviours.get(name)
            if behaviour is not None:
                return await behaviour(client, arguments, progress)
            return result(f"{name} done")
        finally:
            self.running -= 1

    def refused(self, client: FakeClient, name: str, arguments: Mapping[str, Any], error: KaptureError) -> None:
        self.refusals.append((client.name, name, error.code))

    @contextmanager
    def on_behalf_of(self, client: FakeClient) -> Iterator[None]:
        before, self.judging = self.judging, client.name
        try:
            yield
        finally:
            self.judging = before

    async def scenario_names(self, client: FakeClient) -> list[str]:
        return self.scenarios

    def tab_rows(self) -> list[dict[str, Any]]:
        closed = self.judging in self.closed_to
        return [
            {"tabId": tab.tab_id, "url": "" if closed else tab.url, "title": "" if closed else tab.title}
            for tab in self.tabs.values()
        ]

    @asynccontextmanager
    async def subscribe(self) -> AsyncIterator[trio.MemoryReceiveChannel[FakeEvent]]:
        send, receive = trio.open_memory_channel[FakeEvent](100)
        self.listeners.add(send)
        self._move()
        try:
            yield receive
        finally:
            self.listeners.discard(send)

    def connect_tab(self, tab_id: str, **facts: Any) -> FakeTab:
        tab = self.tabs[tab_id] = FakeTab(tab_id=tab_id, connected_at=trio.current_time(), **facts)
        self.emit("tab_connected", tab_id)
        return tab

    def emit(self, kind: str, tab_id: str | None = None) -> None:
        for listener in self.listeners:
            listener.send_nowait(FakeEvent(kind, tab_id))
