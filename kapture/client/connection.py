"""A light WebSocket connection to the hub's `/mcp`, for the bridge and the command line.

No MCP SDK, no trio-websocket and no wsproto here: they take long to import. The hub is found by its key file and proves
that it holds the key before anything is sent to it; it gets the client token in the first message after that, never in
the URL.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections import deque
from contextlib import suppress
from pathlib import Path

import attrs
import trio

from kapture.client.websocket_frames import (
    FrameError,
    FrameReader,
    Head,
    Opcode,
    Received,
    check_accepted,
    frame,
    make_key,
    read_head,
    upgrade_request,
)
from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import key_file
from kapture.pairing.key_file import KeyFile
from kapture.pairing.proof import CLIENT_LABEL, decode, mac

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_READ_BYTES = 256 * 1024
_HANDSHAKE_MS = 5_000
_CLOSE_MS = 500
_NEW_KEY_MS = 1_000
_POLICY_VIOLATION = 1008  # RFC 6455: how the hub ends a socket that it does not let in
_MAX_REASON_BYTES = 4 * 1024


class HubAbsentError(Exception):
    """No hub runs: there is no key file, or nothing listens on its port."""


class ConnectionClosedError(Exception):
    """The connection to the hub has ended."""


@attrs.define(eq=False)
class HubConnection:
    """One open connection. Sending and receiving may go on in two tasks at once."""

    version: str
    _stream: trio.SocketStream
    _reader: FrameReader = attrs.field(factory=lambda: FrameReader(MAX_MESSAGE_BYTES))
    _sending: trio.Lock = attrs.field(factory=trio.Lock)
    _received: deque[Received] = attrs.field(factory=deque)
    _closed: bool = False  # a close frame was sent

    async def send(self, message: bytes) -> None:
        """Send one text message (UTF-8); `ConnectionClosedError` when the hub has closed the connection."""
        try:
            await self._write(Opcode.TEXT, message)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosedError from error

    async def receive(self) -> bytes:
        """The next message; `ConnectionClosedError` when there is none to come."""
        try:
            while True:
                received = await self._next()
                if received.opcode is Opcode.PING:
                    await self._write(Opcode.PONG, received.payload)
                elif received.opcode is Opcode.CLOSE:
                    await self._close(received.payload[:2])
                    raise ConnectionClosedError
                elif received.opcode is not Opcode.PONG:
                    return received.payload
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise ConnectionClosedError from error

    async def first(self, data: bytes) -> Received:
        """The first message or close frame, of which these bytes have come already."""
        self._feed(data)
        while (received := await self._next()).opcode in (Opcode.PING, Opcode.PONG):
            pass
        return received

    async def _next(self) -> Received:
        while not self._received:
            data = await self._stream.receive_some(_READ_BYTES)
            if not data:
                raise ConnectionClosedError
            self._feed(data)
        return self._received.popleft()

    def _feed(self, data: bytes) -> None:
        try:
            for received in self._reader.feed(data):
                self._received.append(received)
        except FrameError as error:
            if not self._received:  # what came before is not lost
                raise ConnectionClosedError from error
            self._received.append(Received(Opcode.CLOSE, b""))

    async def _write(self, opcode: Opcode, payload: bytes) -> None:
        async with self._sending:
            await self._stream.send_all(frame(opcode, payload))

    async def _close(self, code: bytes) -> None:
        if not self._closed:
            self._closed = True
            await self._write(Opcode.CLOSE, code)

    async def aclose(self) -> None:
        """Close the WebSocket and the stream; never raises, also where the caller is cancelled."""
        with trio.CancelScope(shield=True):
            with (
                trio.move_on_after(_CLOSE_MS / 1000),
                suppress(trio.BrokenResourceError, trio.ClosedResourceError),
            ):
                await self._close((1000).to_bytes(2, "big"))
            await trio.aclose_forcefully(self._stream)


async def connect(home: Path, query: str = "", *, kind: str = "stdio", path: str = "/mcp") -> HubConnection:
    """Connect to a path of the hub whose key file is in `home`.

    `HubAbsentError` when no hub runs; `UNAUTHORIZED` when the program on the port is not the hub or refuses us;
    `INVALID_PARAMS` when the hub refuses the query.
    """
    known = _read_key_file(home)
    target = f"{path}?{query}" if query else path
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
    """A key file with other secrets: a hub listens for a moment before it has written its own. None if none comes."""
    with trio.move_on_after(_NEW_KEY_MS / 1000):
        while True:
            with suppress(HubAbsentError, KaptureError):
                current = _read_key_file(home)
                if current.key != known.key:
                    return current
            await trio.sleep(_NEW_KEY_MS / 1000 / 50)  # a file has no event
    return None


def _read_key_file(home: Path) -> KeyFile:
    if not (home / key_file.FILE_NAME).exists():
        raise HubAbsentError
    return key_file.read(home)


async def _open(port: int) -> trio.SocketStream:
    try:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
    except OSError as error:
        raise HubAbsentError from error
    stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
    return stream


async def _upgrade(stream: trio.SocketStream, content: KeyFile, target: str, kind: str) -> HubConnection:
    key = make_key()
    nonce = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    headers = {"Sec-WebSocket-Protocol": "mcp", "Kapture-Nonce": nonce, "Kapture-Client": kind}
    try:
        await stream.send_all(upgrade_request(f"127.0.0.1:{content.port}", target, key, headers))
        head = await _receive_head(stream)
        if head.status != 101:
            raise _rejected(head.status, await _receive_reason(stream, head), content.port)
        check_accepted(head, key)
        _check_proof(head, content, nonce)
        connection = HubConnection(content.version, stream)
        await connection.send(b'{"type":"authenticate","token":"%s"}' % content.clientToken.encode())
        first = await connection.first(head.rest)  # `authenticated`: the hub sends nothing before it
    except (trio.BrokenResourceError, ConnectionClosedError, FrameError) as error:
        raise HubAbsentError from error
    if first.opcode is not Opcode.CLOSE:
        return connection
    if first.close_code == _POLICY_VIOLATION:
        raise _rejected(401, first.close_reason, content.port)
    raise HubAbsentError


async def _receive_head(stream: trio.SocketStream) -> Head:
    received = b""
    while (head := read_head(received)) is None:
        data = await stream.receive_some(_READ_BYTES)
        if not data:
            raise HubAbsentError
        received += data
    return head


async def _receive_reason(stream: trio.SocketStream, head: Head) -> bytes:
    """The body of a refusal, which is one line of text."""
    reason, size = head.rest, head.headers.get(b"content-length", b"")
    wanted = min(int(size), _MAX_REASON_BYTES) if size.isdigit() else _MAX_REASON_BYTES
    while len(reason) < wanted and (data := await stream.receive_some(_READ_BYTES)):
        reason += data
    return reason


def _check_proof(head: Head, content: KeyFile, nonce: str) -> None:
    key = decode(content.key)
    proof = head.headers.get(b"kapture-proof", b"")
    if key is None or not hmac.compare_digest(mac(key, CLIENT_LABEL, nonce).encode(), proof):
        raise KaptureError(
            ErrorCode.UNAUTHORIZED,
            f"The program on port {content.port} could not prove that it is the hub.",
            hint="Another program may have taken the port. Run `kapture doctor`.",
        )


def _rejected(status: int, body: bytes, port: int) -> KaptureError:
    reason = body.decode("utf-8", "replace").strip()[:500]
    code = ErrorCode.INVALID_PARAMS if status == 400 else ErrorCode.UNAUTHORIZED
    return KaptureError(
        code, f"The hub on port {port} refused the connection ({status}): {reason or 'no reason given'}"
    )
