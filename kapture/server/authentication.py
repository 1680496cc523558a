"""The gate of the port: what a request has shown, and whether `kapture.pairing.access` admits it for that.

The client token and a Console's session token come as `Authorization: Bearer`. A page cannot set headers on a
WebSocket. So where the table says so, one without that header is accepted, and its first message must be

    client → {"type": "authenticate", "token": "…"}     the client token, or the Console's session token
    client → {"type": "authenticate", "ticket": "…"}    a one-time ticket, made with the key, for this path
                                                        both with "session" beside them: see `kapture.hub.client`
    hub    → {"type": "authenticated", "token"?}        after a Console's ticket with its session token

The sockets of tabs prove the key in their own handshake (`kapture.hub.sockets`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest

from kapture.errors import ErrorCode, KaptureError, Unauthorized
from kapture.hub.sockets import Secrets, close_socket
from kapture.pairing.access import COLUMNS, Caller, Door, Who
from kapture.server.admission import Refusal
from kapture.server.connections import TooManyConnectionsError, current_connection
from kapture.server.request_head import RequestHead
from kapture.server.routes import Upgrade
from kapture.settings import Limits, Settings

# Close codes of RFC 6455 and its registry.
_POLICY_VIOLATION = 1008
_TRY_AGAIN_LATER = 1013


class Gate:
    """Admits requests to one port. `relay_allowed`: whether a request's target has the relay's token."""

    def __init__(
        self,
        secrets: Secrets,
        settings: Settings,
        on_refused: Callable[[Refusal, RequestHead], None],
        relay_allowed: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._secrets = secrets
        self._settings = settings
        self.on_refused = on_refused
        self._relay_allowed = relay_allowed

    def http(self, door: Door, head: RequestHead, caller: Caller) -> Refusal | None:
        """Why an HTTP request is refused; None if it is admitted."""
        if door.admits(Who.ANYBODY):
            return None
        who = self._by_header(head, caller)
        if (refusal := _refused_by_table(door, who)) is None:
            current_connection().prove()
        return refusal

    async def websocket(self, door: Door, upgrade: Upgrade, serve: Callable[[Upgrade], Awaitable[None]]) -> None:
        """Serve an upgrade request once it is admitted; refuse it, or close its socket, if it is not."""
        who = self._by_header(upgrade.head, upgrade.caller)
        if who in (Who.ANYBODY, Who.OPEN) and door.shown in ("path", "query"):
            who = self._by_target(door, upgrade.head)
        shown_later = door.shown in ("handshake", "first message") and who in (Who.ANYBODY, Who.OPEN)
        refusal = None if shown_later else _refused_by_table(door, who)
        if refusal is not None or isinstance(who, Refusal):
            assert refusal is not None  # noqa: S101  a refusal is none that is shown later
            self.on_refused(refusal, upgrade.head)
            headers = [(b"WWW-Authenticate", b'Bearer realm="kapture"')] if refusal.status == 401 else []
            await upgrade.request.reject(refusal.status, extra_headers=headers, body=f"{refusal.reason}\n".encode())
        elif door.shown == "handshake":
            await serve(upgrade.by(who))
        elif door.admits(who):
            upgrade.connection.prove()
            await serve(upgrade.by(who))
        else:
            await serve(upgrade.with_request(self._authenticating(door, upgrade)))

    def _by_header(self, head: RequestHead, caller: Caller) -> Who | Refusal:
        if head.bearer is not None:
            return self._secrets.holder(head.bearer) or Refusal(
                status=401,
                reason="This is not the hub's client token, which is new at each start of the hub: read it again from "
                "hub.json, or let the client start `kapture mcp`, which reads it by itself.",
            )
        # A client that asks for a proof waits for it before sending its token, even if none is needed.
        is_open = self._settings.no_pairing and caller is not Caller.OWN_PAGE and head.one(b"kapture-nonce") is None
        return Who.OPEN if is_open else Who.ANYBODY

    def _by_target(self, door: Door, head: RequestHead) -> Who | Refusal:
        if door.shown == "query":
            return Who.RELAY if self._relay_allowed(head.target) else Who.ANYBODY
        if not (ticket := head.path.removeprefix(door.path).removeprefix("/")):
            return Who.ANYBODY
        try:
            return spend(door, ticket, self._secrets)
        except Unauthorized as error:
            return Refusal(status=401, reason=error.explanation)

    def _authenticating(self, door: Door, upgrade: Upgrade) -> AuthenticatingRequest:
        def on_refused(problem: str) -> None:
            self.on_refused(Refusal(status=401, reason=f"{problem}."), upgrade.head)

        return AuthenticatingRequest(
            upgrade.request,
            self._secrets,
            self._settings.limits,
            door,
            on_authenticated=upgrade.connection.prove,
            on_refused=on_refused,
        )


def _refused_by_table(door: Door, who: Who | Refusal) -> Refusal | None:
    if isinstance(who, Refusal):
        return who
    if door.admits(who):
        return None
    if who in (Who.ANYBODY, Who.OPEN):
        also = ", or connect to the address of `kapture cdp`" if door is Door.CDP else ""
        needed = "the relay's token" if door is Door.RELAY else "the client token of hub.json as Authorization: Bearer"
        return Refusal(status=401, reason=f"Send {needed}{also}.")
    return Refusal(status=403, reason=f"This path is not for holders of: {COLUMNS[who]}.")


def spend(door: Door, ticket: str, secrets: Secrets) -> Who:
    """Use up a ticket for this door; who its holder is. `UNAUTHORIZED` if it is not valid here."""
    if (made := door.ticket) is None:
        raise _refused("no ticket is taken here")
    who, label = made
    secrets.spend_ticket(label, ticket)
    return who


class AuthenticatingRequest(WebSocketRequest):
    """An upgrade request whose `accept` returns once the client has authenticated; `ConnectionClosed` if it fails.

    `on_authenticated` or `on_refused` is called then, the latter with the problem.
    """

    def __init__(
        self,
        request: WebSocketRequest,
        secrets: Secrets,
        limits: Limits,
        door: Door,
        *,
        on_authenticated: Callable[[], None] = lambda: None,
        on_refused: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._request = request
        self._secrets = secrets
        self._limits = limits
        self._door = door
        self._on_authenticated = on_authenticated
        self._on_refused = on_refused
        self.who = Who.ANYBODY
        """Who it is, once it is accepted."""
        self.session: str | None = None
        """Its proof of session, if it has sent one."""

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
                self.who, self.session, answer = await authenticate(
                    socket, self._secrets, self._limits.unproven_message_bytes, self._door
                )
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
    session: str | None = None


async def authenticate(
    socket: WebSocketConnection, secrets: Secrets, max_bytes: int, door: Door
) -> tuple[Who, str | None, dict[str, str]]:
    """Check the first message; `UNAUTHORIZED` if the table does not admit its sender. Returns who that is, their proof
    of session if they have sent one, and the answer."""
    frame = await socket.get_message()
    if isinstance(frame, bytes) or len(frame) > max_bytes:
        raise _refused("the first message must be an authenticate message")
    try:
        message = msgspec.json.decode(frame, type=_Authenticate)
    except (msgspec.MsgspecError, RecursionError):
        raise _refused("send hub.json's client token as Authorization header, or in an authenticate message") from None
    if message.ticket is not None:
        who = spend(door, message.ticket, secrets)
        return (
            who,
            message.session,
            {"type": "authenticated", **({"token": secrets.open_session()} if who is Who.SESSION else {})},
        )
    if (holder := secrets.holder(message.token)) is None:
        raise _refused("the client token is wrong")
    if not door.admits(holder):
        raise _refused(f"this path is not for holders of: {COLUMNS[holder]}")
    return holder, message.session, {"type": "authenticated"}


def _refused(problem: str) -> KaptureError:
    return KaptureError(ErrorCode.UNAUTHORIZED, problem)
