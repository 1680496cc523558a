"""A connection to the hub's `/mcp` and other paths, for the bridge and the command line.

The hub is found by its key file and proves that it holds the key before anything is sent to it; then it gets the client
token, or a one-time ticket, in the first message, never in the URL.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import attrs
import msgspec
import trio
from h11 import LocalProtocolError
from trio_websocket import ConnectionClosed, ConnectionRejected, WebSocketConnection, wrap_client_stream

from kapture.background import running_beside, single_error
from kapture.client.files import FilesHere
from kapture.client.session_proof import SessionProof, session_key
from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.pairing import key_file
from kapture.pairing.access import TICKET_PATHS
from kapture.pairing.key_file import KeyFile
from kapture.pairing.native_host import is_running
from kapture.pairing.proof import CLIENT_LABEL, decode, mac
from kapture.pairing.ticket import PERSON, make_ticket
from kapture.streams import TcpStream, WatchedStream
from kapture.wire.files import HEADER

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_HANDSHAKE_MS = 15_000  # a hub that starts on a busy machine answers its port before it has imported all it needs
_CLOSE_MS = 20  # to send the close frame: its answer may be far away, and is not needed
_NEW_KEY_MS = 1_000
_LOOK_S = 1.0
_REFUSALS = {1008: 401, 1013: 503}
"""Close codes by which the hub refuses a client, with the HTTP statuses that mean the same."""


class HubAbsentError(Exception):
    """No hub is running: there is no key file, or nothing listens on its port."""


class ConnectionClosedError(Exception):
    """The connection to the hub has ended."""


@attrs.frozen
class HubConnection:
    """One open connection. One task may send while another receives."""

    version: str
    _socket: WebSocketConnection
    _scope: trio.CancelScope
    _files: FilesHere | None = None

    async def send(self, message: bytes) -> None:
        """Send one text message (UTF-8); `ConnectionClosedError` if the hub has closed the connection."""
        if self._files is not None:
            self._files.sent(message)
        try:
            await self._socket.send_message(message.decode())
        except ConnectionClosed as error:
            raise ConnectionClosedError from error

    async def receive(self) -> bytes:
        """Wait for the next message; `ConnectionClosedError` if the connection ends."""
        try:
            while isinstance(frame := await self._socket.get_message(), bytes) and self._files is not None:
                self._files.take(frame)
        except (ConnectionClosed, trio.WouldBlock) as error:
            raise ConnectionClosedError from error
        message = frame.encode() if isinstance(frame, str) else frame
        if self._files is not None:
            self._files.received(message)
        return message

    async def aclose(self) -> None:
        """Close the WebSocket and the stream. Never raises, even when cancelled."""
        with trio.move_on_after(_CLOSE_MS / 1000, shield=True):
            await self._socket.aclose()
        self._scope.cancel()


async def connect(
    nursery: trio.Nursery,
    home: Path,
    query: str = "",
    *,
    kind: str = "stdio",
    path: str = "/mcp",
    session: SessionProof | None = None,
    first: Sequence[bytes] = (),
) -> HubConnection:
    """Connect to a path of the hub whose key file is in `home`. The nursery runs the task that reads until `aclose`.

    `session`: the client's proof of session, a secret with which it gets its tabs back in another connection. `first`:
    messages that are sent at once, without a round trip in which the hub admits us.

    `HubAbsentError` if no hub is running; `UNAUTHORIZED` if the program on the port is not the hub or refuses us;
    `INVALID_PARAMS` if the hub refuses the query.
    """
    known = _read_key_file(home)
    try:
        proof = None if session is None else session.with_key(known.key if known.shared else session_key(home))
        return await _connect(nursery, home, known, _Wanted(f"{path}?{query}" if query else path, kind, proof, first))
    except KaptureError as error:
        if known.shared or is_running(known.pid):
            raise
        raise HubAbsentError from error  # a hub that was killed left its key file, and another program has its port


@attrs.frozen
class _Wanted:
    """What is asked of the hub, and by whom."""

    target: str
    kind: str
    session: str | None = attrs.field(repr=False)
    first: Sequence[bytes]


async def _connect(nursery: trio.Nursery, home: Path, known: KeyFile, wanted: _Wanted) -> HubConnection:
    try:
        with trio.fail_after(_HANDSHAKE_MS / 1000):
            try:
                return await _connect_to(nursery, home, known, wanted)
            except Unauthorized:
                newer = await _newer_key_file(home, known)
                if newer is None:
                    raise
                return await _connect_to(nursery, home, newer, wanted)
    except trio.TooSlowError as error:
        raise KaptureError(
            ErrorCode.NO_BACKEND,
            f"The program on port {known.port} did not answer within {_HANDSHAKE_MS / 1000:g} s.",
            hint="Run `kapture doctor`.",
        ) from error


async def _connect_to(nursery: trio.Nursery, home: Path, content: KeyFile, wanted: _Wanted) -> HubConnection:
    stream = await _open(home, content)
    files = FilesHere(home) if content.shared else None
    connection: HubConnection = await nursery.start(_run, home, stream, content, wanted, files)
    return connection


async def _run(
    home: Path,
    stream: WatchedStream,
    content: KeyFile,
    wanted: _Wanted,
    files: FilesHere | None,
    *,
    task_status: trio.TaskStatus[HubConnection] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Open the WebSocket and read from it until it is closed."""
    headers = [] if files is None else [(HEADER.lower().encode(), b"1")]
    nonce = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
    try:
        with single_error():
            async with trio.open_nursery() as nursery:
                async with running_beside(stream.until_ended):
                    socket = await wrap_client_stream(
                        nursery,
                        stream,  # type: ignore[arg-type]  # any stream does
                        f"127.0.0.1:{content.port}",
                        wanted.target,
                        subprotocols=["mcp"],
                        extra_headers=[
                            (b"kapture-nonce", nonce.encode()),
                            (b"kapture-client", wanted.kind.encode()),
                            *headers,
                        ],
                        message_queue_size=0,
                        max_message_size=MAX_MESSAGE_BYTES,
                        receive_buffer_size=None,
                    )
                if not _proves(dict(socket.handshake_headers), content, nonce):
                    raise _unproven(content.port)
                await _authenticate(socket, content, wanted)
                if content.socket:
                    nursery.start_soon(_until_replaced, home, content.socket, stream)
                if files is not None:
                    nursery.start_soon(files.run, partial(_send_frame, socket))
                task_status.started(HubConnection(content.version, socket, nursery.cancel_scope, files))
    except ConnectionRejected as error:  # raised by the task that reads, as the next is
        raise _rejection(error, content, nonce) from error
    except (trio.BrokenResourceError, LocalProtocolError) as error:
        raise HubAbsentError from error
    finally:
        await trio.aclose_forcefully(stream)


async def _send_frame(socket: WebSocketConnection, frame: bytes) -> None:
    with suppress(ConnectionClosed):  # which whoever receives is told
        await socket.send_message(frame)


async def _until_replaced(home: Path, socket: str, stream: WatchedStream) -> None:
    """Close the stream once there is another way to the hub. This one was lost then, which may not show for long: after
    a machine has slept or changed its network, nothing comes from it, not even its end."""
    while True:
        await trio.sleep(_LOOK_S)  # there is no event for a file that changes
        with suppress(KaptureError):
            if key_file.read(home).socket not in ("", socket):
                await trio.aclose_forcefully(stream)
                return


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
    if not key_file.exists(home):
        raise HubAbsentError
    return key_file.read(home)


async def _open(home: Path, content: KeyFile) -> WatchedStream:
    try:
        if content.socket:
            stream = await trio.open_unix_socket(home / content.socket)
        else:
            stream = await trio.open_tcp_stream(content.host or "127.0.0.1", content.port)
    except OSError as error:
        raise HubAbsentError from error
    return WatchedStream(TcpStream(stream))


async def _authenticate(socket: WebSocketConnection, content: KeyFile, wanted: _Wanted) -> None:
    """Send the client token, or a ticket where a program acts for the person, and wait for the hub's consent."""
    ticket = make_ticket(content.key, PERSON) if wanted.target in TICKET_PATHS else None
    proof = {"token": content.clientToken} if ticket is None else {"ticket": ticket}
    if wanted.session is not None:
        proof["session"] = wanted.session
    try:
        await socket.send_message(msgspec.json.encode({"type": "authenticate", **proof}).decode())
        for message in wanted.first:
            await socket.send_message(message.decode())
        await socket.get_message()  # `authenticated`: the hub sends nothing before it
    except ConnectionClosed as error:
        if error.reason is None or error.reason.code not in _REFUSALS:
            raise HubAbsentError from error
        raise _rejected(_REFUSALS[error.reason.code], error.reason.reason or "", content.port) from error


def _rejection(error: ConnectionRejected, content: KeyFile, nonce: str) -> KaptureError:
    headers = dict(error.headers)
    if not headers.get(b"content-type", b"text/plain").startswith(b"text/plain"):
        return _no_hub(error.status_code, content.port)
    if not _proves(headers, content, nonce):  # its words are nobody's that clients should read
        return _unproven(content.port, f"refused the connection ({error.status_code}), and")
    return _rejected(error.status_code, (error.body or b"").decode("utf-8", "replace"), content.port)


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


def _rejected(status: int, reason: str, port: int) -> KaptureError:
    reason = reason.strip()[:500]
    code = _CODES.get(status, ErrorCode.UNAUTHORIZED)
    return KaptureError(
        code, f"The hub on port {port} refused the connection ({status}): {reason or 'no reason given'}"
    )
