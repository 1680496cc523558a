"""The head of an HTTP request, read with a size limit."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import h11

from kapture.errors import ErrorCode, KaptureError


@attrs.frozen(kw_only=True)
class RequestHead:
    """A request's method, target and headers. Header names are lower case."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The target after the `?`."""
        return self.target.partition("?")[2]

    def all(self, name: bytes) -> list[str]:
        """Every value of a header."""
        return [value.decode("latin-1").strip() for key, value in self.headers if key == name]

    def one(self, name: bytes) -> str | None:
        """A header's value; None if the header is missing, empty if it is repeated, which is never right."""
        values = self.all(name)
        return None if not values else values[0] if len(values) == 1 else ""

    @property
    def wants_websocket(self) -> bool:
        """Whether it asks for a WebSocket upgrade."""
        return (self.one(b"upgrade") or "").lower() == "websocket"

    @property
    def has_ascii_handshake(self) -> bool:
        """Whether its headers for an upgrade are ASCII: wsproto decodes them as that."""
        return all(
            value.isascii()
            for name, value in self.headers
            if name == b"connection" or name.startswith(b"sec-websocket")
        )

    @property
    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer …`."""
        scheme, _, token = (self.one(b"authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None


class RequestHeadReader:
    """Parses a `RequestHead` from bytes. `received` keeps the bytes, to be replayed."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=max_bytes)
        self.received = bytearray()

    def feed(self, data: bytes) -> RequestHead | None:
        """Add bytes; returns the head when it is complete. `ProtocolError` if it is invalid or too long."""
        self.received += data
        try:
            self._parser.receive_data(data)
            event = self._parser.next_event()
        except h11.RemoteProtocolError as error:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"Not an HTTP request: {error}.") from error
        if isinstance(event, h11.Request):
            return RequestHead(
                method=event.method.decode("ascii"),
                target=event.target.decode("latin-1"),
                headers=tuple((bytes(name), bytes(value)) for name, value in event.headers),
            )
        if len(self.received) > self._max_bytes:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The request head is longer than {self._max_bytes} bytes.")
        return None


def head_of_request(method: str, path: str, query: bytes, headers: Iterable[tuple[bytes, bytes]]) -> RequestHead:
    """The head of an ASGI request."""
    target = path + (f"?{query.decode('latin-1')}" if query else "")
    return RequestHead(method=method, target=target, headers=tuple((name.lower(), value) for name, value in headers))
