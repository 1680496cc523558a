"""One HTTP/1.1 request to an endpoint, and its answer."""

from __future__ import annotations

import attrs
import h11
import trio

_READ_BYTES = 65_536


@attrs.frozen
class Answer:
    """Status and body. `body` is empty unless the status is 200."""

    status: int
    body: bytes


class NoAnswerError(Exception):
    """The endpoint closed the connection before it had answered anything."""


async def ask(stream: trio.abc.Stream, request: h11.Request, *, max_bytes: int) -> Answer:
    """Send a request without a body and read what is answered.

    `NoAnswerError` if there is none, `h11.RemoteProtocolError` if it is not HTTP/1.1, breaks off, or has more than
    `max_bytes`.
    """
    connection = h11.Connection(h11.CLIENT)
    await stream.send_all((connection.send(request) or b"") + (connection.send(h11.EndOfMessage()) or b""))
    received, body = 0, bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            data = await stream.receive_some(_READ_BYTES)
            received += len(data)
            if not received:
                raise NoAnswerError
            if received > max_bytes:
                raise h11.RemoteProtocolError(f"more than {max_bytes} bytes")
            connection.receive_data(bytes(data))
        elif isinstance(event, h11.Response) and event.status_code != 200:
            return Answer(event.status_code, b"")
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return Answer(200, bytes(body))
