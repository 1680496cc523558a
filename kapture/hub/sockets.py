"""Common parts of the hub's sockets: the mutual proof at the beginning, a heartbeat, a limit on bad messages, and an
end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import attrs
import trio

from kapture.errors import ErrorCode, InvalidParams, KaptureError
from kapture.pairing import HubProof
from kapture.pairing.access import Door, Who
from kapture.wire import extension_messages, messages
from kapture.wire.codec import Reason, protocol_error


class Secrets(Protocol):
    """The part of `kapture.pairing.Pairing` that the hub needs."""

    def tab_proof(self) -> HubProof:
        """The hub's side of the mutual proof, for one new socket."""

    def holder(self, token: str | None) -> Who | None:
        """Return the holder of this token; None if it is invalid."""

    def client_proof(self, nonce: str) -> str:
        """The proof with which the hub identifies itself to a client."""

    def spend_ticket(self, label: str, ticket: str) -> None:
        """Use up a one-time ticket with this label; `UNAUTHORIZED` if it is invalid or used."""

    def open_session(self) -> str:
        """A new session token, for a Console whose ticket was spent."""


@attrs.frozen(kw_only=True)
class Credentials:
    """The credentials in the upgrade request of a tab's socket."""

    extension: bool = False  # the Origin is Kapture's extension
    token: bool = False  # it carried the client token


@attrs.frozen(kw_only=True)
class HandshakeResult:
    """The tab or extension may register. `kind` says how it authenticated: `extension`, `key`, `token` or `open`."""

    register: messages.Register | extension_messages.RegisterBrowser
    kind: str
    protocol: int  # the version that both ends speak


class Handshake:
    """The hub's side of the handshake. `open_port`: callers without an Origin need no proof."""

    def __init__(self, credentials: Credentials, secrets: Secrets, *, open_port: bool) -> None:
        self._extension = credentials.extension
        self._secrets = secrets
        self._who = Who.CLIENT if credentials.token else Who.OPEN if open_port else Who.ANYBODY
        self._proof: HubProof | None = None

    def challenge(self) -> messages.Challenge | None:
        """The hub's first message. Clients of the first specification on an open port are not challenged."""
        if self._who is not Who.ANYBODY and not self._extension:
            return None
        self._proof = self._secrets.tab_proof()
        return messages.Challenge(nonce=self._proof.challenge())

    def receive(self, message: messages.FromTab) -> messages.FromHub | HandshakeResult | None:
        """Process a message: returns the answer to send, if any, or the result.

        Raises `Unauthorized`, after which the socket is closed, or `ProtocolError` for a message out of order.
        """
        match message:
            case messages.TabProof() if self._proof is not None:
                mac = self._proof.verify(message.nonce, message.mac)
                self._who = Who.EXTENSION if self._extension else Who.KEY
                return messages.HubProof(mac=mac)
            case messages.Authenticate():
                if self._secrets.holder(message.token) is not Who.CLIENT:
                    raise _unauthorized("The client token is wrong.")
                self._who = Who.CLIENT
                return None
            case messages.Register() | extension_messages.RegisterBrowser():
                is_tab = isinstance(message, messages.Register)
                if not (Door.TAB if is_tab else Door.BROWSER).admits(self._who):
                    raise _unauthorized(
                        "The tab sent `register` before its proof."
                        if is_tab
                        else "An extension proves that it holds the key; the client token is not enough."
                    )
                agreed = messages.agreed_version(message.protocol, message.oldest_protocol)
                if agreed is None:
                    raise _unsupported(message.protocol)
                return HandshakeResult(register=message, kind=self._who.value, protocol=agreed)
            case messages.Ping():
                return messages.Pong(ts=message.ts)
            case messages.Pong():
                return None
        raise protocol_error(Reason.OUT_OF_ORDER, "This message has no meaning before `registered`.")


def _unsupported(version: int) -> KaptureError:
    newer = version > messages.PROTOCOL_VERSION
    return InvalidParams(
        ErrorCode.INVALID_PARAMS,
        f"The tab speaks version {version} of the wire protocol; "
        f"this hub speaks {messages.OLDEST_PROTOCOL} to {messages.PROTOCOL_VERSION}.",
        hint="Update Kapture on this computer, then run `kapture stop`: the extension is newer than the hub."
        if newer
        else "Update the extension: run `kapture setup`, then press its Reload button. The hub is newer.",
    )


def _unauthorized(message: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        message,
        hint="Prove the key, or send the client token, of the hub.json that this hub wrote.",
    )


class Heartbeat:
    """The heartbeat of one socket. Any message from the tab counts as a sign of life, not only `pong`."""

    def __init__(self, interval_ms: float, missed_limit: int, ping: Callable[[], object]) -> None:
        self._interval_s = interval_ms / 1_000
        self._missed_limit = missed_limit
        self._ping = ping
        self._heard = True

    def heard(self) -> None:
        """Note that a message has come from the tab."""
        self._heard = True

    async def run(self) -> int:
        """Ping until the tab has missed too many heartbeats in a row. Returns how many it missed."""
        missed = -1  # no ping has been sent yet
        while True:
            self._heard = False
            await trio.sleep(self._interval_s)
            missed = 0 if self._heard else missed + 1
            if missed >= self._missed_limit:
                return missed
            self._ping()


class RateLimit:
    """Allows `count` events within any `window_ms` milliseconds."""

    def __init__(self, count: int, window_ms: float) -> None:
        self._count = count
        self._window_s = window_ms / 1_000
        self._times: deque[float] = deque(maxlen=count + 1)

    def exceeded(self) -> bool:
        """Count an event that happens now. Returns whether there have been too many."""
        now = trio.current_time()
        self._times.append(now)
        return len(self._times) > self._count and now - self._times[0] <= self._window_s


class Closable(Protocol):
    """A WebSocket."""

    async def aclose(self, code: int = ..., reason: str = ...) -> Any:
        """Send a close frame, and wait for the other end's."""


@attrs.frozen(kw_only=True)
class SocketEnd:
    """`code` 0: still open."""

    code: int = 0
    reason: str = ""
    by_tab: bool = False

    def __str__(self) -> str:
        return f"its socket closed with code {self.code}" if self.by_tab else self.reason or "the hub stopped"


async def close_socket(
    socket: Closable, code: int = 1000, reason: str = "", *, seconds: float = 1.0, shield: bool = False
) -> None:
    """Send a close frame, and wait `seconds` at most for the other end's.

    A program that has stopped, or reads nothing, never answers one. `shield`: although the task is cancelled.
    """
    with trio.move_on_after(seconds, shield=shield):
        await socket.aclose(code, reason)
