"""The paths of the port: for each, which callers are allowed and what serves it. A new endpoint is a new row."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import attrs
from trio_websocket import WebSocketRequest

from kapture.server.admission import Caller, Refusal
from kapture.server.connections import Connection
from kapture.server.request_head import RequestHead

if TYPE_CHECKING:
    from starlette.types import ASGIApp  # only HTTP needs it: not imported when a hub starts


@attrs.frozen(kw_only=True)
class Upgrade:
    """An upgrade request of an admitted caller. Whoever authenticates it calls `connection.prove()`."""

    request: WebSocketRequest
    head: RequestHead
    caller: Caller
    connection: Connection


ServeWebSocket: TypeAlias = Callable[[Upgrade], Awaitable[None]]
"""Accepts an upgrade request and serves the socket until it closes."""


@attrs.frozen(kw_only=True)
class WebSocketRoute:
    """WebSockets at one path; with `below`, also at every path below it."""

    path: str
    callers: frozenset[Caller]
    serve: ServeWebSocket
    below: bool = False

    def matches(self, path: str) -> bool:
        """Whether this route serves the path."""
        return path == self.path or (self.below and path.startswith(f"{self.path}/"))


@attrs.frozen(kw_only=True)
class HttpRoute:
    """HTTP requests at one path; with `below`, also at every path below it."""

    path: str
    callers: frozenset[Caller]
    app: ASGIApp
    below: bool = False

    def matches(self, path: str) -> bool:
        """Whether this route serves the path."""
        return path == self.path or (self.below and path.startswith(f"{self.path}/"))


R = TypeVar("R", WebSocketRoute, HttpRoute)


@attrs.frozen(kw_only=True)
class RouteTable:
    """All routes of one port."""

    websockets: Sequence[WebSocketRoute]
    http: Sequence[HttpRoute]

    def with_routes(self, more: RouteTable) -> RouteTable:
        """Both tables as one."""
        return RouteTable(websockets=[*self.websockets, *more.websockets], http=[*self.http, *more.http])

    def websocket(self, head: RequestHead, caller: Caller) -> WebSocketRoute | Refusal:
        """The route for an upgrade request."""
        known = ", ".join(route.path for route in self.websockets)
        return _choose(self.websockets, head.path, caller, f"There is no WebSocket at this path, only at: {known}.")

    def request(self, head: RequestHead, caller: Caller) -> HttpRoute | Refusal:
        """The route for any other request."""
        return _choose(self.http, head.path, caller, "There is nothing at this path.")


def _choose(routes: Sequence[R], path: str, caller: Caller, missing: str) -> R | Refusal:
    for route in routes:
        if route.matches(path):
            if caller in route.callers:
                return route
            return Refusal(status=403, reason=f"This path is not for requests from: {caller.value}.")
    return Refusal(status=404, reason=missing)
