"""The head of an HTTP request: read within bounds, and judged before anything acts on it.

A browser lets any page send requests to this port; what it cannot do is lie about `Origin`, `Host` and
`Sec-Fetch-Site`. So those decide, before an upgrade and again for each request on a connection that is kept alive.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import h11

from kapture.errors import ErrorCode, KaptureError

EXTENSION_ID = "jjllhgagajepglkofmhapipikepcofkp"
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"
_OWN_PATHS = ("/mcp", "/console", "/health")


@attrs.frozen(kw_only=True)
class Head:
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
        """What stands behind the `?`."""
        return self.target.partition("?")[2]

    def all(self, name: bytes) -> list[str]:
        """Every value of a header."""
        return [value.decode("latin-1").strip() for key, value in self.headers if key == name]

    def one(self, name: bytes) -> str | None:
        """A header's only value. Given twice it is as good as wrong: `""`."""
        values = self.all(name)
        return None if not values else values[0] if len(values) == 1 else ""

    @property
    def wants_websocket(self) -> bool:
        """Whether it asks for a WebSocket upgrade."""
        return (self.one(b"upgrade") or "").lower() == "websocket"

    @property
    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer …`."""
        scheme, _, token = (self.one(b"authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None

    @property
    def from_extension(self) -> bool:
        """Whether our own extension sent it."""
        return self.one(b"origin") == EXTENSION_ORIGIN


@attrs.frozen(kw_only=True)
class Refusal:
    """Why a request is not served: an HTTP status and a sentence."""

    status: int
    reason: str


class HeadReader:
    """Bytes in, a `Head` out. Keeps what came, for whoever serves the request."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=max_bytes)
        self.received = bytearray()

    def feed(self, data: bytes) -> Head | None:
        """More bytes; the head when it is complete. `PROTOCOL_ERROR` for what is no request, or too long."""
        self.received += data
        try:
            self._parser.receive_data(data)
            event = self._parser.next_event()
        except h11.RemoteProtocolError as error:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"This is no HTTP request: {error}.") from error
        if isinstance(event, h11.Request):
            return Head(
                method=event.method.decode("ascii"),
                target=event.target.decode("latin-1"),
                headers=tuple((bytes(name), bytes(value)) for name, value in event.headers),
            )
        if len(self.received) > self._max_bytes:
            raise KaptureError(ErrorCode.PROTOCOL_ERROR, "The request's head is too long.")
        return None


def own_hosts(port: int) -> frozenset[str]:
    """The `Host` values under which this hub answers."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def judge(head: Head, port: int) -> Refusal | None:
    """None if this request may go on to be authenticated."""
    host = (head.one(b"host") or "").lower()
    if host not in own_hosts(port):
        return Refusal(status=403, reason="This Host is not the hub's.")
    if not head.target.startswith("/"):
        return Refusal(status=400, reason="The request target is not a path.")
    origins = head.all(b"origin")
    if origins:
        return _judge_origin(head, origins, port)
    if _from_another_site(head):
        return Refusal(status=403, reason="Web pages may not use the hub.")
    return None


def _judge_origin(head: Head, origins: Iterable[str], port: int) -> Refusal | None:
    for origin in origins:
        if origin == EXTENSION_ORIGIN:
            continue
        own = origin.lower() in {f"http://{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        if own and head.path.startswith(_OWN_PATHS):
            continue
        return Refusal(status=403, reason="This Origin may not use the hub.")
    return None


def _from_another_site(head: Head) -> bool:
    """Whether a browser says that a page of another origin caused this, in a request that has no `Origin`.

    A person may follow a link to what shows nothing without a ticket.
    """
    site = head.one(b"sec-fetch-site")
    if site is None or site in ("none", "same-origin"):
        return False
    navigation = head.one(b"sec-fetch-mode") == "navigate" and head.one(b"sec-fetch-dest") == "document"
    return not (
        navigation and head.method == "GET" and (head.path == "/" or head.path.startswith(("/console", "/health")))
    )


def from_scope(method: str, path: str, query: bytes, headers: Iterable[tuple[bytes, bytes]]) -> Head:
    """The head of an ASGI request."""
    target = path + (f"?{query.decode('latin-1')}" if query else "")
    return Head(method=method, target=target, headers=tuple((name.lower(), value) for name, value in headers))
