"""The paths of `--relay`: for extensions that hold the relay's token, and for those that ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kapture.endpoints.relay import CONFIG_PATH, SOCKET_PATH, RelayEndpoint
from kapture.server.admission import Caller
from kapture.server.request_head import head_of_request
from kapture.server.routes import HttpRoute, RouteTable, Upgrade, WebSocketRoute

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

_EXTENSIONS = frozenset({Caller.OTHER_EXTENSION, Caller.EXTENSION, Caller.PROGRAM})


def relay_routes(relay: RelayEndpoint) -> RouteTable:
    """The WebSocket route and the configuration."""

    async def serve(upgrade: Upgrade) -> None:
        if not relay.allowed(upgrade.head.target):
            await upgrade.request.reject(401, body=b"The relay's token is missing or wrong.\n")
            return
        upgrade.connection.prove()
        await relay.serve(upgrade.request)

    return RouteTable(
        websockets=[WebSocketRoute(path=SOCKET_PATH, callers=_EXTENSIONS, serve=serve)],
        http=[HttpRoute(path=CONFIG_PATH, callers=_EXTENSIONS, app=_config(relay))],
    )


def _config(relay: RelayEndpoint) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        head = head_of_request(scope["method"], scope["path"], b"", scope["headers"])
        # Chrome omits Origin in an extension's GET to a host that it has permission for; no page can do that.
        by_extension = head.one(b"origin") is not None or (
            head.one(b"sec-fetch-site") == "none" and head.one(b"sec-fetch-mode") == "cors"
        )
        status, body = (200, relay.config()) if by_extension else (403, b'{"error":"This is for extensions only."}')
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        if (origin := head.one(b"origin")) is not None and status == 200:
            headers.append((b"access-control-allow-origin", origin.encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return serve
