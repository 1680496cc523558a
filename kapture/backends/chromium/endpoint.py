"""CDP endpoints of browsers that were started by somebody else: resolved, and connected to over a WebSocket."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import attrs
import trio
from trio_websocket import ConnectionRejected, HandshakeError, WebSocketConnection, connect_websocket_url

from kapture.backends.chromium.pipe import MAX_MESSAGE_BYTES
from kapture.background import single_error
from kapture.errors import ErrorCode, KaptureError

_CONNECT_S = 20.0
_CLOSES_S = 1.0
_MAX_ANSWER_BYTES = 1_000_000


@attrs.frozen
class Endpoint:
    """The address of a browser's debugger. URL and headers may hold secrets: they are not in the repr.

    `url` is `ws://…` or `wss://…`, the browser's own socket, or `http://…`, `https://…`, which reports that socket at
    `/json/version`.
    """

    url: str = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("ws", "wss", "http", "https") or not parts.hostname:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"{self.shown!r} is not a browser endpoint.",
                hint="Give ws://host:port/devtools/browser/…, wss://…, or http://host:port.",
            )

    @property
    def shown(self) -> str:
        """The URL without its secret parts: user, password and query."""
        parts = urlsplit(self.url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def is_local(self) -> bool:
        """Whether the browser runs on this machine, judging by the address."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[WebSocketConnection]:
        """Connect to the browser's socket; `NO_BACKEND` if that fails."""
        headers = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        with single_error():
            async with trio.open_nursery() as nursery:
                try:
                    with trio.fail_after(_CONNECT_S):
                        url = await self._socket_url()
                        socket = await connect_websocket_url(
                            nursery, url, extra_headers=headers, max_message_size=MAX_MESSAGE_BYTES
                        )
                except ConnectionRejected as error:
                    raise self._absent(f"it answered with HTTP status {error.status_code}") from error
                except (HandshakeError, trio.TooSlowError, trio.BrokenResourceError, OSError) as error:
                    raise self._absent(str(error) or "it did not answer in time") from error
                try:
                    yield socket
                finally:
                    with trio.CancelScope(shield=True), trio.move_on_after(_CLOSES_S):
                        await socket.aclose()
                    nursery.cancel_scope.cancel()

    async def _socket_url(self) -> str:
        if self.url.startswith(("ws:", "wss:")):
            return self.url
        answer = await self._ask("/json/version")
        named = answer.get("webSocketDebuggerUrl")
        if not isinstance(named, str):
            raise self._absent("its /json/version names no webSocketDebuggerUrl")
        # A browser reports its address as it was asked for it; behind a forwarded port or a proxy that is another one.
        own, theirs = urlsplit(self.url), urlsplit(named)
        scheme = "wss" if own.scheme == "https" else "ws"
        return urlunsplit((scheme, own.netloc, theirs.path, theirs.query or own.query, ""))

    async def _ask(self, path: str) -> Mapping[str, object]:
        """Get a JSON object from the endpoint, over HTTP/1.1."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        prefix = parts.path.rstrip("/")
        query = f"?{parts.query}" if parts.query else ""
        lines = [
            f"GET {prefix}{path}{query} HTTP/1.1",
            f"Host: {await self._host_header(host, port)}",
            "Connection: close",
        ]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        request = "\r\n".join([*lines, "", ""]).encode()
        if parts.scheme == "https":
            stream: trio.abc.Stream = await trio.open_ssl_over_tcp_stream(host, port, https_compatible=True)
        else:
            stream = await trio.open_tcp_stream(host, port)
        received = b""
        async with stream:
            await stream.send_all(request)
            while len(received) < _MAX_ANSWER_BYTES and not _is_whole(received):
                data = await stream.receive_some(65_536)
                if not data:
                    break
                received += data
        head, _, body = received.partition(b"\r\n\r\n")
        status = head.split(b" ", 2)[1:2]
        if status != [b"200"]:
            raise self._absent(f"it answered {path} with HTTP status {b''.join(status).decode(errors='replace')}")
        try:
            answer = json.loads(body)
        except ValueError as error:
            raise self._absent(f"its answer to {path} is not JSON") from error
        return answer if isinstance(answer, dict) else {}

    async def _host_header(self, host: str, port: int) -> str:
        """The Host header: Chromium answers only to IP addresses and localhost, so a name is resolved to an address."""
        if self.url.startswith("http:") and host != "localhost":
            found = await trio.socket.getaddrinfo(host, port, type=trio.socket.SOCK_STREAM)
            host = str(found[0][4][0])
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def _absent(self, reason: str) -> KaptureError:
        return KaptureError(
            ErrorCode.NO_BACKEND,
            f"No browser could be attached to at {self.shown}: {reason}.",
            hint="Start it with --remote-debugging-port, and check address, headers and token.",
            data={"endpoint": self.shown},
        )


def _is_whole(received: bytes) -> bool:
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return False
    lengths = [line[15:] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(lengths) and len(body) >= int(lengths[0])
