"""WebSockets at `/`: tabs of the extension, and tabs that execute commands themselves."""

from __future__ import annotations

from kapture.errors import Unauthorized
from kapture.hub import Credentials, Hub
from kapture.pairing.access import Caller, Who
from kapture.server.routes import Upgrade


class TabEndpoint:
    """Accepts tab sockets for one hub. A bearer token, if there is one, has been checked."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def serve(self, upgrade: Upgrade) -> None:
        """Serve one tab until its socket closes."""
        headers = []
        if (nonce := upgrade.head.one(b"kapture-nonce")) is not None:
            try:
                headers.append((b"Kapture-Proof", self._hub.state.pairing.client_proof(nonce).encode("ascii")))
            except Unauthorized as error:
                await upgrade.request.reject(400, body=error.message.encode())
                return
        socket = await upgrade.request.accept(extra_headers=headers)
        credentials = Credentials(extension=upgrade.caller is Caller.EXTENSION, token=upgrade.who is Who.CLIENT)
        await self._hub.serve_tab(socket, credentials, on_admitted=upgrade.connection.prove)
