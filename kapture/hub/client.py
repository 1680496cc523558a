"""A client of the hub, what it was shown of each tab, and all clients that are connected."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

import attrs

from kapture.commands.core.context import ClientView
from kapture.hub.events import Events

ClientKind: TypeAlias = Literal["stdio", "websocket", "http", "panel", "cli", "cdp"]
Elicit: TypeAlias = Callable[[str, str], Awaitable[str | None]]
"""Asks the client's person by title and detail; answers `once`, `tab`, `deny`, or None when nobody could be asked."""

_MAX_VIEWS = 256
_numbers = itertools.count(1)


@attrs.define(eq=False, kw_only=True)
class Client:
    """One connected client. `name` is the name it gave itself."""

    name: str
    version: str = ""
    kind: ClientKind = "websocket"
    elicit: Elicit | None = None
    client_id: str = attrs.field(factory=lambda: f"client-{next(_numbers)}", init=False)
    calls: int = attrs.field(default=0, init=False)
    _views: OrderedDict[str, ClientView] = attrs.field(factory=OrderedDict, init=False)

    def view(self, tab_id: str) -> ClientView:
        """What this client was shown of a tab."""
        view = self._views.get(tab_id)
        if view is None:
            view = self._views[tab_id] = ClientView(client_id=self.client_id)
            if len(self._views) > _MAX_VIEWS:
                self._views.popitem(last=False)
        self._views.move_to_end(tab_id)
        return view

    def forget(self, tab_id: str) -> None:
        """Drop what the client was shown of a tab that is gone."""
        self._views.pop(tab_id, None)

    def described(self) -> dict[str, str]:
        """Name, version and kind, for logs."""
        return {"id": self.client_id, "name": self.name, "kind": self.kind}


class Clients:
    """All clients that are connected now. Joining and leaving are published as events."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._connected: dict[str, Client] = {}
        self._panels: dict[str, Client] = {}

    def __iter__(self) -> Iterator[Client]:
        """The connected clients, without the panels."""
        return iter(tuple(self._connected.values()))

    def __len__(self) -> int:
        return len(self._connected)

    @contextmanager
    def join(self, *, name: str, version: str, kind: ClientKind) -> Iterator[Client]:
        """Add a client for the duration of the block. What it was shown of tabs is dropped with it."""
        client = Client(name=name, version=version, kind=kind)
        self._connected[client.client_id] = client
        self._events.publish("client_joined")
        try:
            yield client
        finally:
            del self._connected[client.client_id]
            self._events.publish("client_left")

    def panel(self, tab_id: str) -> Client:
        """The client for which a tab's own panel runs commands."""
        return self._panels.setdefault(tab_id, Client(name="panel", kind="panel"))

    def forget_tab(self, tab_id: str) -> None:
        """Drop what a gone tab's panel and the clients were shown of it."""
        self._panels.pop(tab_id, None)
        for client in self._connected.values():
            client.forget(tab_id)
