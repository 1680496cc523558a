"""The paths of the CDP endpoint, for programs with the client token or a one-time ticket, in all settings.

`/cdp` takes the token as `Authorization: Bearer`; `/cdp/TICKET` is for clients that cannot set headers. A URL's query
is ignored, because it ends up in logs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from kapture.endpoints.cdp.endpoint import PATH, CdpEndpoint
from kapture.errors import Unauthorized
from kapture.hub import Hub
from kapture.server.admission import Caller
from kapture.server.connections import current_connection
from kapture.server.request_head import head_of_request
from kapture.server.routes import HttpRoute, RouteTable, Upgrade, WebSocketRoute

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_PROGRAMS = frozenset({Caller.PROGRAM})
_MISSING = "Send the client token of hub.json as Authorization: Bearer, or connect to the address of `kapture cdp`."


def cdp_routes(hub: Hub) -> RouteTable:
    """The WebSocket routes, and what clients fetch before they connect."""
    endpoint = CdpEndpoint(hub)

    async def serve(upgrade: Upgrade) -> None:
        problem = None
        if upgrade.head.bearer is None:  # otherwise it has been checked
            problem = _check_ticket(hub, upgrade.head.path.removeprefix(PATH).removeprefix("/"))
        if problem is not None:
            hub.state.records.connection_refused(f"CDP: {problem}", path=PATH)
            await upgrade.request.reject(401, body=f"{problem}\n".encode())
            return
        upgrade.connection.prove()
        await endpoint.serve(upgrade.request)

    return RouteTable(
        websockets=[WebSocketRoute(path=PATH, callers=_PROGRAMS, serve=serve, below=True)],
        http=[
            HttpRoute(path="/json/version", callers=_PROGRAMS, app=_json(hub, endpoint.version), below=True),
            HttpRoute(path="/json/list", callers=_PROGRAMS, app=_json(hub, endpoint.targets), below=True),
            HttpRoute(path="/json", callers=_PROGRAMS, app=_json(hub, endpoint.targets)),
        ],
    )


def _check_ticket(hub: Hub, ticket: str) -> str | None:
    """Use up the ticket; returns None if it was valid, otherwise the problem."""
    if not ticket:
        return _MISSING
    try:
        hub.state.pairing.spend_cdp_ticket(ticket)
    except Unauthorized as error:
        return error.explanation
    return None


def _json(hub: Hub, content: Callable[[], Any]) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        head = head_of_request(scope["method"], scope["path"], b"", scope["headers"])
        if hub.state.pairing.client_allowed(head.bearer):
            current_connection().prove()
            status, body = 200, msgspec.json.encode(content())
        else:
            hub.state.records.connection_refused("CDP: no valid client token.", path=head.path)
            status, body = 401, msgspec.json.encode({"error": _MISSING})
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return serve
