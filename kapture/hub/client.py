"""A client of the hub, and what it was shown of each tab."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import attrs

from kapture.commands.core.context import ClientView

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
