"""Handlers for each door of the port (`kapture.pairing.access`). A new endpoint is a new row there, and a route
here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import attrs
from trio_websocket import WebSocketRequest

from kapture.pairing.access import Caller, Door, Who
from kapture.server.admission import Refusal
from kapture.server.connections import Connection
from kapture.server.request_head import RequestHead

if TYPE_CHECKING:
    from starlette.types import ASGIApp  # only HTTP needs it: not imported when a hub starts


@attrs.frozen(kw_only=True)
class Upgrade:
    """An upgrade request, and who has sent it as far as its head shows."""

    request: WebSocketRequest
    head: RequestHead
    caller: Caller
    connection: Connection
    who: Who = Who.ANYBODY

    def by(self, who: Who) -> Upgrade:
        """The same of somebody who is known."""
        return attrs.evolve(self, who=who)

    def with_request(self, request: WebSocketRequest) -> Upgrade:
        """The same, with a request that is accepted in its own way."""
        return attrs.evolve(self, request=request)


ServeWebSocket: TypeAlias = Callable[[Upgrade], Awaitable[None]]
"""Accepts an upgrade request and serves the socket until it closes."""


@attrs.frozen
class WebSocketRoute:
    """WebSockets at one door."""

    door: Door
    serve: ServeWebSocket


@attrs.frozen
class HttpRoute:
    """HTTP requests at one door."""

    door: Door
    app: ASGIApp


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
        known = ", ".join(route.door.path for route in self.websockets)
        return _choose(self.websockets, head.path, caller, f"There is no WebSocket at this path, only at: {known}.")

    def request(self, head: RequestHead, caller: Caller) -> HttpRoute | Refusal:
        """The route for any other request."""
        return _choose(self.http, head.path, caller, "There is nothing at this path.")


def _choose(routes: Sequence[R], path: str, caller: Caller, missing: str) -> R | Refusal:
    for route in routes:
        if route.door.is_at(path):
            if route.door.reached_from(caller):
                return route
            return Refusal(status=403, reason=f"This path is not for requests from: {caller.value}.")
    return Refusal(status=404, reason=missing)
