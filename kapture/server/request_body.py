"""An answer that comes before the request's body has, as a refusal does.

HTTP/1.1 carries the next request after this one's body. Hypercorn closes a connection whose body has not come when the
answer has been sent, without a word to the client, which may then lose its next request there, or this answer. So the
body is awaited for a moment, and where it does not end the answer says that the connection does (RFC 9112, 9.6).
"""

from __future__ import annotations

import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_AWAITED_S = 1
_MOST_BYTES = 65_536


def awaiting_bodies(app: ASGIApp) -> ASGIApp:
    """Wrap `app`: an answer is sent once the request's body has ended, or says that the connection ends."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(scope):
            await app(scope, receive, send)
            return
        body = _Body(receive)

        async def send_after_body(message: Message) -> None:
            if message["type"] == "http.response.start" and not await body.ends():
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await app(scope, body.receive, send_after_body)

    return serve


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


class _Body:
    """What comes of one request's body."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._ended = False

    async def receive(self) -> Message:
        """The next message for the application."""
        message = await self._receive()
        self._ended = self._ended or not message.get("more_body", False)
        return message

    async def ends(self) -> bool:
        """Whether it has ended, after at most a second and so many bytes more. What comes meanwhile is dropped."""
        left = _MOST_BYTES
        with trio.move_on_after(_AWAITED_S):
            while not self._ended and left > 0:
                left -= len((await self.receive()).get("body", b""))
        return self._ended
