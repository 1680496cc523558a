"""CDP endpoints of browsers that were started by somebody else: resolved, and connected to over a WebSocket."""

from __future__ import annotations

import ipaddress
import re
import ssl
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit  # noqa: TID251  ValueError is caught

import attrs
import h11
import msgspec
import trio
from trio_websocket import ConnectionRejected, HandshakeError, WebSocketConnection, wrap_client_stream

from kapture.backends.chromium.process import MAX_MESSAGE_BYTES, BrowserProcess
from kapture.backends.chromium.profile import PORT_FILE
from kapture.backends.outbox import Socket
from kapture.background import running_beside, single_error
from kapture.errors import ErrorCode, KaptureError
from kapture.streams import WatchedStream

_CONNECT_S = 20.0
_CLOSES_S = 1.0
_MAX_ANSWER_BYTES = 1_000_000
_HINT = "Start it with --remote-debugging-port, and check address, headers and token."
_OTHER_CREDENTIALS = "The endpoint wants another token or other headers: see --token-file and --header-file."
_VERSION = "/json/version"
_ENDED = "it closed the connection without an answer"
_URL = re.compile(r"[!-~]+")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
_HEADER_VALUE = re.compile(r"(?:[!-~]|[!-~][ -~\t]*[!-~])?")
_OF_THE_REQUEST = frozenset({"host", "content-length", "transfer-encoding"})
"""Headers that follow from the request: with another of these it is not valid HTTP."""
_MAYBE_TLS = "If it is to be reached over TLS, its address begins with wss:// or https://."


@attrs.frozen
class Endpoint:
    """The address of a browser's debugger. URL and headers may hold secrets: they are not in the repr.

    `url` is `ws://…` or `wss://…`, the browser's own socket, or `http://…`, `https://…`, which reports that socket at
    `/json/version`. `certificates` (PEM) are trusted beside those that the system trusts.
    """

    url: str = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    certificates: str = attrs.field(default="", repr=False)

    def __attrs_post_init__(self) -> None:
        if _parts(self.url) is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "This is not the address of a browser endpoint.",  # not repeated: where its secrets are is not known
                hint="Give ws://host:port/devtools/browser/…, wss://…, or http://host:port.",
            )
        for name, value in self.headers.items():
            if _HEADER_NAME.fullmatch(name) is None or _HEADER_VALUE.fullmatch(value) is None:
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,  # not repeated: it may be a secret
                    "The name or the value of a header, or the token, has characters that no header can have.",
                    hint="Give headers as `Name: value`, and the token as the only line of its file.",
                )
            if name.lower() in _OF_THE_REQUEST:
                raise KaptureError(
                    ErrorCode.INVALID_PARAMS,
                    f"The header {name} cannot be given: it follows from the address and the request.",
                    hint="Leave it out.",
                )
        try:
            if self.certificates:
                trusting(self.certificates)
        except ValueError as error:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS, f"What --ca-file names holds {error}.", hint="Give a file of certificates."
            ) from error

    @property
    def shown(self) -> str:
        """The URL without its secret parts: user, password, query, and any path but the debugger's own, which may hold
        a token."""
        parts = urlsplit(self.url)
        path = parts.path if parts.path in ("", "/") or parts.path.startswith("/devtools/") else "/…"
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], path, "", ""))

    @property
    def is_local(self) -> bool:
        """Whether the browser runs on this machine, judging by the address."""
        host = urlsplit(self.url).hostname or ""
        if _is_address(host):
            return ipaddress.ip_address(host).is_loopback
        return host == "localhost" or host.endswith(".localhost")

    @asynccontextmanager
    async def connected(self, on_data: Callable[[], None] = lambda: None) -> AsyncIterator[WebSocketConnection]:
        """Connect to the browser's socket; `NO_BACKEND` if that fails. `on_data` is called whenever data has come."""
        socket = None
        try:
            with single_error():
                async with trio.open_nursery() as nursery:
                    socket = await self._connect(nursery, on_data)
                    try:
                        yield socket
                    finally:
                        with trio.CancelScope(shield=True), trio.move_on_after(_CLOSES_S):
                            await socket.aclose()
                        nursery.cancel_scope.cancel()
        except ConnectionRejected as error:  # raised by the task that reads, as the next one is
            raise self._rejected(error.status_code) from error
        except h11.LocalProtocolError as error:
            if socket is not None:
                raise
            raise self._absent("its answer is not HTTP", _MAYBE_TLS) from error

    async def _connect(self, nursery: trio.Nursery, on_data: Callable[[], None]) -> WebSocketConnection:
        try:
            with trio.fail_after(_CONNECT_S):
                host = await self._host()
                parts = urlsplit(await self._socket_url(host))
                return await self._handshake(nursery, WatchedStream(await self._open(parts), on_data), parts, host)
        except TlsError as error:
            raise self._absent(error.reason, error.hint) from error
        except trio.BrokenResourceError as error:
            raise self._absent(_ENDED, _MAYBE_TLS) from error
        except (HandshakeError, trio.TooSlowError, OSError) as error:
            raise self._absent(str(error) or "it did not answer in time") from error

    async def _handshake(
        self, nursery: trio.Nursery, stream: WatchedStream, parts: SplitResult, host: str
    ) -> WebSocketConnection:
        try:
            async with running_beside(stream.until_ended):
                return await wrap_client_stream(
                    nursery,
                    stream,  # type: ignore[arg-type]  # any stream does
                    host,
                    urlunsplit(("", "", parts.path or "/", parts.query, "")),
                    extra_headers=[(name.encode(), value.encode()) for name, value in self._all_headers().items()],
                    max_message_size=MAX_MESSAGE_BYTES,
                )
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise

    async def _open(self, parts: SplitResult) -> trio.abc.Stream:
        secure = parts.scheme in ("wss", "https")
        port = parts.port or (443 if secure else 80)
        return await open_stream(parts.hostname or "", port, trusting(self.certificates) if secure else None)

    def _all_headers(self) -> Mapping[str, str]:
        """With user and password of the URL, unless a header says who we are."""
        parts = urlsplit(self.url)
        if parts.username is None or any(name.lower() == "authorization" for name in self.headers):
            return self.headers
        both = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        return {**self.headers, "Authorization": f"Basic {b64encode(both.encode()).decode()}"}

    async def _socket_url(self, host: str) -> str:
        if self.url.startswith(("ws:", "wss:")):
            return self.url
        answer = await self._version(host)
        named = answer.get("webSocketDebuggerUrl")
        # A browser reports its address as it was asked for it. Behind a forwarded port or a proxy that is another one;
        # a proxy may also have taken its own part off the path.
        own, theirs = urlsplit(self.url), _parts(named) if isinstance(named, str) else None
        if theirs is None:
            raise self._absent("its /json/version names no webSocketDebuggerUrl")
        scheme = "wss" if own.scheme == "https" else "ws"
        prefix = own.path.rstrip("/")
        path = theirs.path if theirs.path.startswith(f"{prefix}/") else f"{prefix}{theirs.path}"
        return urlunsplit((scheme, own.netloc, path, theirs.query or own.query, ""))

    async def _host(self) -> str:
        """The Host header. Chromium itself answers to IP addresses and localhost alone, and to other names with status
        500: then it is the name's address. A proxy may know the endpoint by its name only."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        named = parts.netloc.rpartition("@")[2]
        if host == "localhost" or _is_address(host):
            return named
        try:
            answered = await self._get(_VERSION, named)
        except (NoAnswerError, h11.RemoteProtocolError):
            return named
        if answered.status != 500:
            return named
        found = await trio.socket.getaddrinfo(host, parts.port, type=trio.socket.SOCK_STREAM)
        address = str(found[0][4][0])
        port = "" if parts.port is None else f":{parts.port}"
        return f"[{address}]{port}" if ":" in address else f"{address}{port}"

    async def _version(self, host: str) -> Mapping[str, object]:
        """The JSON object with which the endpoint tells of itself."""
        parts = urlsplit(self.url)
        query = f"?{parts.query}" if parts.query else ""
        try:
            answered = await self._get(f"{parts.path.rstrip('/')}{_VERSION}{query}", host)
        except NoAnswerError as error:
            raise self._absent(_ENDED, _MAYBE_TLS) from error
        except h11.RemoteProtocolError as error:
            raise self._absent(f"its answer to {_VERSION} is not HTTP ({error})", _MAYBE_TLS) from error
        if answered.status != 200:
            raise self._rejected(answered.status, _VERSION)
        try:
            answer = msgspec.json.decode(answered.body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._absent(f"its answer to {_VERSION} is not JSON") from error
        return answer if isinstance(answer, dict) else {}

    async def _get(self, target: str, host: str) -> Answer:
        """Ask over HTTP/1.1; the errors of `ask`."""
        headers = [("Host", host), ("Connection", "close"), *self._all_headers().items()]
        request = h11.Request(method="GET", target=target, headers=headers)
        async with await self._open(urlsplit(self.url)) as stream:
            return await ask(stream, request, max_bytes=_MAX_ANSWER_BYTES)

    def _rejected(self, status: int, path: str = "") -> KaptureError:
        asked = f" {path}" if path else ""
        return self._absent(
            f"it answered{asked} with HTTP status {status}", _OTHER_CREDENTIALS if status in (401, 403) else _HINT
        )

    def _absent(self, reason: str, hint: str = _HINT) -> KaptureError:
        return KaptureError(
            ErrorCode.NO_BACKEND,
            f"Could not attach to a browser at {self.shown}: {reason}.",
            hint=hint,
            data={"endpoint": self.shown},
        )


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _parts(url: str) -> SplitResult | None:
    """The parts of an endpoint's address; None if it is none."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("ws", "wss", "http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # of the brackets or the port, which may be the beginning of a password
        return None
    return parts if valid and _URL.fullmatch(url) else None


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


class TlsError(Exception):
    """There is no TLS with the other side: `reason` says why, `hint` what to do."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def trusting(certificates: str) -> ssl.SSLContext:
    """Return the system's trusted certificates and these (PEM). `ValueError` when they are none."""
    context = ssl.create_default_context()
    if certificates:
        try:
            # Files of certificates have comments, with names of authorities in any language; Python takes ASCII only.
            context.load_verify_locations(cadata=certificates.encode("ascii", "replace").decode())
        except (ssl.SSLError, ValueError) as error:
            raise ValueError("no certificates in PEM format") from error
    return context


async def open_stream(host: str, port: int, tls: ssl.SSLContext | None) -> trio.abc.Stream:
    """A connection over which data can be sent; `TlsError` when its TLS handshake fails, else `OSError`."""
    stream = await trio.open_tcp_stream(host, port)
    if tls is None:
        return stream
    secured = trio.SSLStream(stream, tls, server_hostname=host, https_compatible=True)
    try:
        await secured.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(secured)
        raise _tls_error(error.__cause__) from error
    except BaseException:
        await trio.aclose_forcefully(secured)
        raise
    return secured


def _tls_error(cause: BaseException | None) -> TlsError:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return TlsError(
            f"its certificate is not trusted ({cause.verify_message})",
            "Check the address. A certificate that this machine does not know is trusted by "
            "`kapture attach --ca-file FILE.pem`, which names it or the authority that has signed it.",
        )
    return TlsError(
        f"the TLS handshake failed ({getattr(cause, 'reason', None) or 'it closed the connection'})",
        "If it has no TLS, its address begins with ws:// or http://.",
    )


# The debugging socket of a browser that was started here: its pipe, or on platforms without one the port that Chromium
# chose itself (`--remote-debugging-port=0`).

_OPENS_S = 30
_LOOK_AGAIN_S = 0.05


@asynccontextmanager
async def debugging_socket(process: BrowserProcess) -> AsyncIterator[Socket]:
    """Where this browser takes commands of the DevTools protocol; `LAUNCH_FAILED` if it opens no port."""
    if process.socket is not None:
        yield process.socket
    else:
        async with (await port_endpoint(process.profile)).connected() as socket:
            yield socket


async def port_endpoint(profile: Path) -> Endpoint:
    """The endpoint that the browser has written into this profile; `LAUNCH_FAILED` if it writes none in time."""
    file = profile / PORT_FILE
    with trio.move_on_after(_OPENS_S):
        while True:
            if file.exists() and len(lines := file.read_text().splitlines()) > 1:
                return Endpoint(f"ws://127.0.0.1:{int(lines[0])}{lines[1]}")
            await trio.sleep(_LOOK_AGAIN_S)  # a file has no event
    raise KaptureError(ErrorCode.LAUNCH_FAILED, f"The browser did not open its port within {_OPENS_S} s.")
