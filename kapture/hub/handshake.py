"""What is said on a tab's socket before it is registered: the mutual proof, or a token. No I/O here."""

from __future__ import annotations

from typing import Protocol

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import HubProof
from kapture.wire import messages
from kapture.wire.codec import Reason, protocol_error


class Secrets(Protocol):
    """What is asked of `kapture.pairing.Pairing`."""

    def tab_proof(self) -> HubProof:
        """The hub's side of the proof for one new socket."""

    def client_allowed(self, token: str | None) -> bool:
        """Whether this is the client token."""

    def client_proof(self, nonce: str) -> str:
        """What shows a client that this is the hub."""

    def redeem_ticket(self, ticket: str) -> str:
        """A session token for a Console's one-time ticket."""


@attrs.frozen(kw_only=True)
class Peer:
    """What the upgrade request said about who is there."""

    extension: bool = False  # came with our extension's Origin
    token: bool = False  # came with the client token


@attrs.frozen(kw_only=True)
class Admittance:
    """A tab may register. `kind` says how it proved itself: `extension`, `key`, `token` or `open`."""

    register: messages.Register
    kind: str


class Greeting:
    """The hub's side, from the upgrade to `register`. `open_port`: callers without an Origin need no proof."""

    def __init__(self, peer: Peer, secrets: Secrets, *, open_port: bool) -> None:
        self._extension = peer.extension
        self._secrets = secrets
        self._kind = "token" if peer.token else "open" if open_port else ""
        self._proof: HubProof | None = None

    def opening(self) -> messages.Challenge | None:
        """What the hub says first. Clients of the first specification on an open port are not challenged."""
        if self._kind and not self._extension:
            return None
        self._proof = self._secrets.tab_proof()
        return messages.Challenge(nonce=self._proof.challenge())

    def take(self, message: messages.FromTab) -> messages.FromHub | Admittance | None:
        """What to answer, or the tab's admittance.

        `UNAUTHORIZED` ends the socket; `PROTOCOL_ERROR` is a message out of order.
        """
        match message:
            case messages.TabProof() if self._proof is not None:
                mac = self._proof.verify(message.nonce, message.mac)
                self._kind = "extension" if self._extension else "key"
                return messages.HubProof(mac=mac)
            case messages.Authenticate():
                if not self._secrets.client_allowed(message.token):
                    raise _unauthorized("The token is wrong.")
                self._kind = "token"
                return None
            case messages.Register():
                if not self._kind:
                    raise _unauthorized("Nothing is taken before the proof.")
                return Admittance(register=message, kind=self._kind)
            case messages.Ping():
                return messages.Pong(ts=message.ts)
            case messages.Pong():
                return None
        raise protocol_error(Reason.OUT_OF_ORDER, "This message has no meaning before `registered`.")


def _unauthorized(message: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        message,
        hint="Prove the key, or send the client token, of the hub.json that this hub wrote.",
    )
