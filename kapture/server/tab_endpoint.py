"""WebSockets at `/`: tabs, in a browser with the extension or executing commands themselves."""

from __future__ import annotations

from trio_websocket import WebSocketRequest

from kapture.errors import Unauthorized
from kapture.hub import Credentials, Hub
from kapture.server.admission import Caller
from kapture.server.request_head import RequestHead


class TabEndpoint:
    """Accepts tab sockets for one hub. A bearer token, where there is one, has been checked."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, request: WebSocketRequest, head: RequestHead, caller: Caller) -> None:
        """Serve one tab until its socket closes."""
        headers = []
        if (nonce := head.one(b"kapture-nonce")) is not None:
            try:
                headers.append((b"Kapture-Proof", self._hub.state.pairing.client_proof(nonce).encode("ascii")))
            except Unauthorized as error:
                await request.reject(400, body=error.message.encode())
                return
        socket = await request.accept(extra_headers=headers)
        credentials = Credentials(extension=caller is Caller.EXTENSION, token=head.bearer is not None)
        await self._hub.serve_tab(socket, credentials)
