"""A light WebSocket connection to the hub's `/mcp`, for the bridge and the command line.

It uses neither the MCP SDK nor trio-websocket: both take long to import. The hub is found by its key file and proves
that it holds the key before anything is sent to it; then it gets the client token, or a one-time ticket, in the first
message, never in the URL.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from contextlib import suppress
from pathlib import Path

import attrs
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Message,
    Ping,
    RejectConnection,
    RejectData,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from kapture import eager_stream
from kapture.client.text_frame import text_frame
from kapture.eager_stream import WholeStream
from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import key_file
from kapture.pairing.key_file import KeyFile
from kapture.pairing.native_host import is_running
from kapture.pairing.proof import CLIENT_LABEL, decode, mac
from kapture.pairing.ticket import PATHS_OF_PERSONS, PERSON, make_ticket

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_READ_BYTES = 64 * 1024
_HANDSHAKE_MS = 15_000  # a hub that starts on a busy machine answers its port before it has imported all it needs
_CLOSE_MS = 500
_NEW_KEY_MS = 1_000
_POLICY_VIOLATION = 1008  # RFC 6455: the hub refuses the client
_TRY_AGAIN_LATER = 1013  # the hub has no room for another connection


class HubAbsentError(Exception):
    """No hub is running: there is no key file, or nothing listens on its port."""


class ConnectionClosedError(Exception):
    """The connection to the hub has ended."""


@attrs.frozen
class HubConnection:
    """One open connection. One task may send while another receives."""

    version: str
    _stream: WholeStream
    _socket: WSConnection
    _sending: trio.Lock = attrs.field(factory=trio.Lock)
    _received: list[bytes] = attrs.field(factory=list)
    _partial: bytearray = attrs.field(factory=bytearray)

    async def send(self, message: bytes) -> None:
        """Send one text message (UTF-8); `ConnectionClosedError` if the hub has closed the connection."""
        try:
            # Framed and masked here, in one frame: wsproto's own masking takes a second for a large message.
            await self._write(text_frame(message))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosedError from error

    async def receive(self) -> bytes:
        """Wait for the next message; `ConnectionClosedError` if the connection ends."""
        while not self._received:
            try:
                await self._handle_events()  # at first of what came together with the end of the handshake
                if not self._received:
                    self._socket.receive_data(await self._stream.receive_some(_READ_BYTES) or None)
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise ConnectionClosedError from error
            except (RemoteProtocolError, LocalProtocolError) as error:
                raise ConnectionClosedError from error
            except ConnectionClosedError:
                if not self._received:  # messages received before the end are still returned
                    raise
        return self._received.pop(0)

    async def _handle_events(self) -> None:
        for event in self._socket.events():
            if isinstance(event, Message):
                text = event.data.encode() if isinstance(event, TextMessage) else bytes(event.data)
                self._partial.extend(text)
                if len(self._partial) > MAX_MESSAGE_BYTES:
                    raise ConnectionClosedError
                if event.message_finished:
                    self._received.append(bytes(self._partial))
                    self._partial.clear()
            elif isinstance(event, Ping):
                await self._write(self._socket.send(event.response()))
            elif isinstance(event, CloseConnection):
                if self._socket.state is ConnectionState.REMOTE_CLOSING:
                    await self._write(self._socket.send(event.response()))
                raise ConnectionClosedError

    async def _write(self, data: bytes) -> None:
        try:
            self._sending.acquire_nowait()  # `acquire` would give way to other tasks
        except trio.WouldBlock:
            await self._sending.acquire()
        try:
            await self._stream.send_all(data)
        finally:
            self._sending.release()

    async def aclose(self) -> None:
        """Close the WebSocket and the stream. Never raises, even when cancelled."""
        with trio.CancelScope(shield=True):
            with (
                trio.move_on_after(_CLOSE_MS / 1000),
                suppress(trio.BrokenResourceError, trio.ClosedResourceError, LocalProtocolError),
            ):
                await self._write(self._socket.send(CloseConnection(code=1000)))
            await trio.aclose_forcefully(self._stream)


async def connect(home: Path, query: str = "", *, kind: str = "stdio", path: str = "/mcp") -> HubConnection:
    """Connect to a path of the hub whose key file is in `home`.

    `HubAbsentError` if no hub is running; `UNAUTHORIZED` if the program on the port is not the hub or refuses us;
    `INVALID_PARAMS` if the hub refuses the query.
    """
    known = _read_key_file(home)
    try:
        return await _connect(home, known, f"{path}?{query}" if query else path, kind)
    except KaptureError as error:
        if is_running(known.pid):
            raise
        raise HubAbsentError from error  # a hub that was killed left its key file, and another program has its port


async def _connect(home: Path, known: KeyFile, target: str, kind: str) -> HubConnection:
    try:
        with trio.fail_after(_HANDSHAKE_MS / 1000):
            try:
                return await _connect_to(known, target, kind)
            except Unauthorized:
                newer = await _newer_key_file(home, known)
                if newer is None:
                    raise
                return await _connect_to(newer, target, kind)
    except trio.TooSlowError as error:
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            f"The program on port {known.port} did not answer within {_HANDSHAKE_MS / 1000:g} s.",
            hint="Run `kapture doctor`.",
        ) from error


async def _connect_to(content: KeyFile, target: str, kind: str) -> HubConnection:
    stream = await _open(content.port)
    try:
        return await _upgrade(stream, content, target, kind)
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise


async def _newer_key_file(home: Path, known: KeyFile) -> KeyFile | None:
    """A key file with other secrets, in case a hub listens already but has not written it yet. None if none appears."""
    with trio.move_on_after(_NEW_KEY_MS / 1000):
        while True:
            with suppress(HubAbsentError, KaptureError):
                current = _read_key_file(home)
                if current.key != known.key:
                    return current
            await trio.sleep(_NEW_KEY_MS / 1000 / 50)  # there is no event for a file that changes
    return None


def _read_key_file(home: Path) -> KeyFile:
    if not (home / key_file.FILE_NAME).exists():
        raise HubAbsentError
    return key_file.read(home)


async def _open(port: int) -> WholeStream:
    try:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
    except OSError as error:
        raise HubAbsentError from error
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    return eager_stream.over(stream)


async def _upgrade(stream: WholeStream, content: KeyFile, target: str, kind: str) -> HubConnection:
    socket = WSConnection(ConnectionType.CLIENT)
    nonce = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    request = Request(
        host=f"127.0.0.1:{content.port}",
        target=target,
        subprotocols=["mcp"],
        extra_headers=[
            (b"kapture-nonce", nonce.encode()),
            (b"kapture-client", kind.encode()),
        ],
    )
    connection = HubConnection(content.version, stream, socket)
    refused: list[bytes] = []
    status = 0
    try:
        await stream.send_all(socket.send(request))
        while True:
            data = await stream.receive_some(_READ_BYTES)
            socket.receive_data(data or None)
            for event in socket.events():
                if isinstance(event, AcceptConnection):
                    _check_proof(dict(event.extra_headers), content, nonce)
                    await connection.send(_authenticate(content, target))
                elif isinstance(event, Message):
                    return connection  # `authenticated`: the hub sends nothing before it
                elif isinstance(event, CloseConnection):
                    if event.code == _POLICY_VIOLATION:
                        raise _rejected(401, (event.reason or "").encode(), content.port)
                    if event.code == _TRY_AGAIN_LATER:
                        raise _rejected(503, (event.reason or "").encode(), content.port)
                    raise HubAbsentError
                if isinstance(event, RejectConnection):
                    status, headers = event.status_code, dict(event.headers)
                    if not headers.get(b"content-type", b"text/plain").startswith(b"text/plain"):
                        raise _no_hub(status, content.port)
                    if not _proves(headers, content, nonce):  # its words are nobody's that clients should read
                        raise _unproven(content.port, f"refused the connection ({status}), and")
                    if not event.has_body:
                        raise _rejected(status, b"", content.port)
                elif isinstance(event, RejectData):
                    refused.append(event.data)
                    if event.body_finished:
                        raise _rejected(status, b"".join(refused), content.port)
            if not data:
                raise HubAbsentError
    except (trio.BrokenResourceError, ConnectionClosedError, RemoteProtocolError) as error:
        raise HubAbsentError from error


def _authenticate(content: KeyFile, target: str) -> bytes:
    """The first message: the client token, which is not enough where a program acts for the person."""
    if target in PATHS_OF_PERSONS:
        return b'{"type":"authenticate","ticket":"%s"}' % make_ticket(content.key, PERSON).encode()
    return b'{"type":"authenticate","token":"%s"}' % content.clientToken.encode()


def _check_proof(headers: dict[bytes, bytes], content: KeyFile, nonce: str) -> None:
    if not _proves(headers, content, nonce):
        raise _unproven(content.port)


def _proves(headers: dict[bytes, bytes], content: KeyFile, nonce: str) -> bool:
    """Whether these are headers of a hub that holds the key."""
    key = decode(content.key)
    proof = headers.get(b"kapture-proof", b"")
    return key is not None and hmac.compare_digest(mac(key, CLIENT_LABEL, nonce).encode(), proof)


def _unproven(port: int, did: str = "") -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"The program on port {port} {f'{did} ' if did else ''}could not prove that it is the hub.",
        hint="Another program may have taken the port. Run `kapture doctor`.",
    )


def _no_hub(status: int, port: int) -> KaptureError:
    """Something else than a hub, which gives its reasons as plain text."""
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        f"The program on port {port} is not a Kapture hub: it answered with HTTP status {status}.",
        hint="Stop it, or set KAPTURE_PORT to another port for the hub and its clients.",
    )


_CODES = {400: ErrorCode.INVALID_PARAMS, 503: ErrorCode.QUEUE_FULL}


def _rejected(status: int, body: bytes, port: int) -> KaptureError:
    reason = body.decode("utf-8", "replace").strip()[:500]
    code = _CODES.get(status, ErrorCode.UNAUTHORIZED)
    return KaptureError(
        code, f"The hub on port {port} refused the connection ({status}): {reason or 'no reason given'}"
    )
