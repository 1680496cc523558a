"""The handshake on a tab's socket, from the upgrade to `register`: the mutual proof, or a token. No I/O here."""

from __future__ import annotations

from typing import Protocol

import attrs

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
        """Who has this token; None if it is none."""

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
                if not 0 <= message.protocol <= messages.PROTOCOL_VERSION:
                    raise _unsupported(message.protocol)
                return HandshakeResult(register=message, kind=self._who.value)
            case messages.Ping():
                return messages.Pong(ts=message.ts)
            case messages.Pong():
                return None
        raise protocol_error(Reason.OUT_OF_ORDER, "This message has no meaning before `registered`.")


def _unsupported(version: int) -> KaptureError:
    return InvalidParams(
        ErrorCode.INVALID_PARAMS,
        f"The tab speaks version {version} of the protocol; this hub speaks {messages.PROTOCOL_VERSION}.",
        hint="Update Kapture, so that the hub and the extension have the same version.",
    )


def _unauthorized(message: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        message,
        hint="Prove the key, or send the client token, of the hub.json that this hub wrote.",
    )
