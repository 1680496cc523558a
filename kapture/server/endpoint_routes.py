"""The paths of the CDP endpoint and of `--relay`.

`/cdp/TICKET` is for CDP clients that cannot set headers. A URL's query is ignored, because it ends up in logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kapture.endpoints.cdp.endpoint import CdpEndpoint
from kapture.endpoints.relay import RelayEndpoint
from kapture.hub import Hub
from kapture.pairing.access import Door
from kapture.server.routes import HttpRoute, RouteTable, Upgrade, WebSocketRoute

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def cdp_routes(hub: Hub) -> RouteTable:
    """The WebSocket route, and what clients fetch before they connect."""
    endpoint = CdpEndpoint(hub)

    async def serve(upgrade: Upgrade) -> None:
        await endpoint.serve(upgrade.request)

    return RouteTable(
        websockets=[WebSocketRoute(Door.CDP, serve)], http=[HttpRoute(Door.TARGETS, _looked_up(endpoint))]
    )


def _looked_up(endpoint: CdpEndpoint) -> ASGIApp:
    found = {"": endpoint.targets, "/list": endpoint.targets, "/version": endpoint.version}

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        content = found.get(scope["path"].removeprefix(Door.TARGETS.path).rstrip("/"))
        answer: Any = {"error": "There is nothing at this path."} if content is None else content()
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 404 if content is None else 200, "headers": headers})
        await send({"type": "http.response.body", "body": msgspec.json.encode(answer)})

    return serve


def relay_routes(relay: RelayEndpoint) -> RouteTable:
    """The WebSocket route and the configuration."""

    async def serve(upgrade: Upgrade) -> None:
        await relay.serve(upgrade.request)

    return RouteTable(
        websockets=[WebSocketRoute(Door.RELAY, serve)], http=[HttpRoute(Door.RELAY_CONFIG, _config(relay))]
    )


def _config(relay: RelayEndpoint) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        headers += [
            (b"access-control-allow-origin", origin) for name, origin in scope["headers"] if name.lower() == b"origin"
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": relay.config()})

    return serve
