"""The paths of the CDP endpoint: WebSockets at `/cdp` and `/cdp/TICKET`, and CDP's HTTP endpoints."""

from __future__ import annotations

from typing import Any

from trio_websocket import WebSocketRequest

from kapture.endpoints.cdp.browser_methods import version
from kapture.endpoints.cdp.script import Script
from kapture.endpoints.proven_socket import accept_with_proof
from kapture.hub import Client, Hub

PATH = "/cdp"


class CdpEndpoint:
    """Serves the scripts of one hub. Callers have authenticated."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest) -> None:
        """Serve one script until its socket closes."""
        socket = await accept_with_proof(request, self._hub)
        if socket is None:
            return
        name, number = _client_of(dict(request.headers).get(b"user-agent", b"").decode("latin-1"))
        with self._hub.client(name=name, version=number, kind="cdp") as client:
            await Script(self._hub, client, socket).run()

    def version(self) -> dict[str, Any]:
        """`/json/version`. Its `webSocketDebuggerUrl` needs the same token."""
        about = version(self._hub, _NOBODY)
        return {
            "Browser": about["product"],
            "Protocol-Version": about["protocolVersion"],
            "User-Agent": about["userAgent"],
            "webSocketDebuggerUrl": f"ws://127.0.0.1:{self._hub.state.settings.port}{PATH}",
        }

    def targets(self) -> list[dict[str, Any]]:
        """`/json/list`: the tabs that scripts may use. All share the one WebSocket."""
        with self._hub.state.consent.calling(_NOBODY):
            rows = {row["tabId"]: row for row in self._hub.tab_rows()}
        found = []
        for tab in self._hub.holding.tabs(_NOBODY):
            documents = tab.backend.documents if tab.backend is not None else None
            if documents is not None:
                row = rows[tab.tab_id]
                found.append({"id": documents.frames.main.id, "type": "page", "title": row["title"], "url": row["url"]})
        return found


_NOBODY = Client(name="cdp", kind="cdp")
"""The client that policy is asked about before a script has connected."""


def _client_of(user_agent: str) -> tuple[str, str]:
    """Name and version from a User-Agent header, such as `Playwright/1.56 (x64; debian) node/20`."""
    product = user_agent.split(" ", 1)[0]
    name, _, number = product.partition("/")
    return (name[:60] or "CDP client"), number[:40]
