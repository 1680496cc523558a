"""How clients authenticate at `/mcp`: by the client token as `Authorization: Bearer`, or in the first message.

A page cannot set headers on a WebSocket. So a WebSocket without that header is accepted, and its first message must be

    client → {"type": "authenticate", "token": "…"}     the client token, or the Console's session token
    client → {"type": "authenticate", "ticket": "…"}    the one-time ticket of `kapture console`
    hub    → {"type": "authenticated", "token"?}        after a ticket with a session token for reconnecting

MCP begins after this message. Where a program may do what no client may (`persons_websocket`), the first one must be

    program → {"type": "authenticate", "ticket": "…"}   a one-time ticket, made with the key
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.hub import Hub
from kapture.hub.sockets.handshake import Secrets
from kapture.hub.sockets.socket_end import close_socket
from kapture.server.admission import Caller
from kapture.server.connections import TooManyConnectionsError, current_connection
from kapture.server.request_head import head_of_request
from kapture.server.routes import ServeWebSocket, Upgrade
from kapture.settings import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

# Close codes of RFC 6455 and its registry.
_POLICY_VIOLATION = 1008
_TRY_AGAIN_LATER = 1013


def authenticated_websocket(
    hub: Hub, serve: Callable[[WebSocketRequest], Awaitable[None]], *, always: bool = False
) -> ServeWebSocket:
    """Wrap `serve` for clients that have authenticated. A token in the header has been checked before.

    `always`: even if the settings admit programs without a token.
    """

    async def serve_authenticated(upgrade: Upgrade) -> None:
        # A client that asks for a proof waits for it before sending its token, even if none is needed.
        wants_proof = upgrade.head.one(b"kapture-nonce") is not None
        open_port = hub.state.settings.no_pairing and not always
        needs_token = upgrade.caller is Caller.OWN_PAGE or wants_proof or not open_port
        if upgrade.head.bearer is not None or not needs_token:
            upgrade.connection.prove()
            await serve(upgrade.request)
        else:
            await serve(_authenticating(hub, upgrade, admit_client))

    return serve_authenticated


def persons_websocket(hub: Hub, serve: Callable[[WebSocketRequest], Awaitable[None]]) -> ServeWebSocket:
    """Wrap `serve` for programs of the person's own, such as `kapture launch`. They hold the key; a client does not."""

    async def serve_authenticated(upgrade: Upgrade) -> None:
        await serve(_authenticating(hub, upgrade, admit_person))

    return serve_authenticated


def _authenticating(hub: Hub, upgrade: Upgrade, admit: Admit) -> AuthenticatingRequest:
    def on_refused(problem: str) -> None:
        path, origin = upgrade.head.path, upgrade.head.one(b"origin")
        hub.state.records.connection_refused(f"MCP: {problem}.", path=path, origin=origin)

    return AuthenticatingRequest(
        upgrade.request,
        hub.state.pairing,
        hub.state.settings.limits,
        admit,
        on_authenticated=upgrade.connection.prove,
        on_refused=on_refused,
    )


def authenticated_app(hub: Hub, app: ASGIApp) -> ASGIApp:
    """Wrap `app`: requests with the client token are passed on, others get 401."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        head = head_of_request(scope["method"], scope["path"], b"", scope["headers"])
        if hub.state.settings.no_pairing or hub.state.pairing.client_allowed(head.bearer):
            current_connection().prove()
            await app(scope, receive, send)
        else:
            hub.state.records.connection_refused(
                "MCP: no valid client token.", path=head.path, origin=head.one(b"origin")
            )
            await _unauthorized()(scope, receive, send)

    return serve


def _unauthorized() -> ASGIApp:
    from starlette.responses import JSONResponse

    message = "UNAUTHORIZED: send the client token of hub.json as Authorization: Bearer."
    answer = {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": message}}
    return JSONResponse(answer, 401, headers={"WWW-Authenticate": 'Bearer realm="kapture"'})


class AuthenticatingRequest(WebSocketRequest):
    """An upgrade request whose `accept` returns once the client has authenticated; `ConnectionClosed` if it fails.

    `on_authenticated` or `on_refused` is called then, the latter with the problem.
    """

    def __init__(
        self,
        request: WebSocketRequest,
        secrets: Secrets,
        limits: Limits,
        admit: Admit,
        *,
        on_authenticated: Callable[[], None] = lambda: None,
        on_refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._request = request
        self._secrets = secrets
        self._limits = limits
        self._admit = admit
        self._on_authenticated = on_authenticated
        self._on_refused = on_refused

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """The request's headers."""
        return self._request.headers

    @property
    def path(self) -> str:
        """The request's path."""
        return self._request.path

    @property
    def proposed_subprotocols(self) -> tuple[str, ...]:
        """The request's subprotocols."""
        return self._request.proposed_subprotocols

    async def accept(
        self, *, subprotocol: str | None = None, extra_headers: list[tuple[bytes, bytes]] | None = None
    ) -> WebSocketConnection:
        """Accept the socket, and wait for its first message."""
        socket = await self._request.accept(subprotocol=subprotocol, extra_headers=extra_headers)
        code, problem = _POLICY_VIOLATION, f"no token within {self._limits.proof_ms / 1_000:g} s"
        try:
            with trio.fail_after(self._limits.proof_ms / 1_000):
                answer = await authenticate(socket, self._secrets, self._limits.unproven_message_bytes, self._admit)
                self._on_authenticated()
                await socket.send_message(msgspec.json.encode(answer).decode())
                return socket
        except trio.TooSlowError:
            pass
        except TooManyConnectionsError as error:
            code, problem = _TRY_AGAIN_LATER, error.message
        except Unauthorized as error:
            problem = error.message
        self._on_refused(problem)
        await close_socket(socket, code, problem[:100])
        raise ConnectionClosed(socket.closed)

    async def reject(
        self,
        status_code: int,
        *,
        extra_headers: list[tuple[bytes, bytes]] | None = None,
        body: bytes | None = None,
    ) -> None:
        """Refuse the upgrade."""
        await self._request.reject(status_code, extra_headers=extra_headers, body=body)


class _Authenticate(msgspec.Struct, tag_field="type", tag="authenticate"):
    token: str | None = None
    ticket: str | None = None


Admit: TypeAlias = Callable[[_Authenticate, Secrets], dict[str, str]]
"""Returns the answer to the first message if it admits the client, else raises `UNAUTHORIZED`."""


def admit_client(message: _Authenticate, secrets: Secrets) -> dict[str, str]:
    """Admit who holds the client token, a session token, or the ticket of a Console."""
    if message.ticket is not None:
        return {"type": "authenticated", "token": secrets.redeem_ticket(message.ticket)}
    if not secrets.client_allowed(message.token):
        raise _refused("the client token is wrong")
    return {"type": "authenticated"}


def admit_person(message: _Authenticate, secrets: Secrets) -> dict[str, str]:
    """Admit who can make a ticket with the key."""
    if message.ticket is None:
        raise _refused("this path needs a ticket that is made with the key")
    secrets.spend_persons_ticket(message.ticket)
    return {"type": "authenticated"}


async def authenticate(socket: WebSocketConnection, secrets: Secrets, max_bytes: int, admit: Admit) -> dict[str, str]:
    """Check the first message; returns the answer to it if the client is authenticated, else raises `UNAUTHORIZED`."""
    frame = await socket.get_message()
    if isinstance(frame, bytes) or len(frame) > max_bytes:
        raise _refused("the first message must be an authenticate message")
    try:
        message = msgspec.json.decode(frame, type=_Authenticate)
    except (msgspec.MsgspecError, RecursionError):
        raise _refused("send hub.json's client token as Authorization header, or in an authenticate message") from None
    return admit(message, secrets)


def _refused(problem: str) -> KaptureError:
    return KaptureError(ErrorCode.UNAUTHORIZED, problem)
