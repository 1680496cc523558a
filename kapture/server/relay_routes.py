"""The paths of `--relay`: for extensions that hold the relay's token, and for those that ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kapture.endpoints.relay import RelayEndpoint
from kapture.pairing.access import Door
from kapture.server.routes import HttpRoute, RouteTable, Upgrade, WebSocketRoute

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


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
