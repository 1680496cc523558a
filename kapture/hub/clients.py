"""The clients of a hub: MCP clients while they are connected, and the panels of its tabs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kapture.hub.client import Client, ClientKind
from kapture.hub.events import Events


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
