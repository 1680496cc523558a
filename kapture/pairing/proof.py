"""The mutual proof: both ends of a socket show that they hold the key, without sending it.

No I/O here. The hub speaks first:

    hub → challenge {nonce}        HubProof.challenge()
    tab → proof {nonce, mac}       TabProof.answer()
    hub → proof {mac}              HubProof.verify()
    tab   trusts the hub now       TabProof.verify()

The two MACs are computed over differently labelled texts, so that a reflected MAC proves nothing, and over both nonces,
so that a replayed one proves nothing. Keys, nonces and MACs are 32 bytes; as text they are base64url without padding,
in its canonical form.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

from kapture.errors import ErrorCode, KaptureError

SIZE_BYTES = 32
TAB_LABEL = "kapture-tab-v1"
HUB_LABEL = "kapture-hub-v1"
CLIENT_LABEL = "kapture-client-v1"
PROOF_DEADLINE_MS = 5_000


def encode(data: bytes) -> str:
    """Encode in base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: object) -> bytes | None:
    """The 32 bytes that this text encodes; None if it is not their canonical encoding."""
    if not isinstance(text, str) or len(text) != 43 or not text.isascii():
        return None
    try:
        data = base64.b64decode(text + "=", altchars=b"-_", validate=True)
    except binascii.Error:
        return None
    return data if encode(data) == text else None


def fresh() -> str:
    """A new nonce, key or token: 256 random bits, as text."""
    return encode(secrets.token_bytes(SIZE_BYTES))


def mac(key: bytes, *parts: str) -> str:
    """HMAC-SHA-256 over the parts, joined by line feeds."""
    return encode(hmac.digest(key, "\n".join(parts).encode("ascii"), hashlib.sha256))


def answer_client(key: str, nonce: str) -> str:
    """The MAC with which to answer a client's `Kapture-Nonce`; `UNAUTHORIZED` for an invalid nonce."""
    raw = decode(key)
    assert raw is not None  # noqa: S101  made by fresh()
    if decode(nonce) is None:
        raise KaptureError(ErrorCode.UNAUTHORIZED, "Kapture-Nonce must be 32 bytes in base64url.")
    return mac(raw, CLIENT_LABEL, nonce)


def same(expected: str, given: object) -> bool:
    """Compare two secrets in constant time."""
    if not isinstance(given, str):
        return False
    digests = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (expected, given))
    return hmac.compare_digest(*digests)


def _unproven(message: str) -> KaptureError:
    return KaptureError(
        ErrorCode.UNAUTHORIZED,
        message,
        hint="Pair again: the hub makes a new key each time it starts.",
    )


class HubProof:
    """The hub's side of one socket's proof, for one attempt."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._nonce: str | None = None
        self._spent = False

    def challenge(self) -> str:
        """The nonce to send first; a new one for each call, and only the last one is valid."""
        self._nonce = fresh()
        return self._nonce

    def verify(self, tab_nonce: object, tab_mac: object) -> str:
        """The MAC to answer with if the tab holds the key; `UNAUTHORIZED` if it does not."""
        nonce, self._nonce = self._nonce, None
        spent, self._spent = self._spent, True
        if nonce is None or spent:
            raise _unproven("A proof was sent that the hub did not ask for.")
        if decode(tab_nonce) is None or tab_nonce == nonce:
            raise _unproven("The proof's nonce is not 32 fresh bytes.")
        assert isinstance(tab_nonce, str)  # noqa: S101  decode() said so
        if not same(mac(self._key, TAB_LABEL, nonce, tab_nonce), tab_mac):
            raise _unproven("The proof is wrong: it was made with another key.")
        return mac(self._key, HUB_LABEL, tab_nonce, nonce)


class TabProof:
    """The tab's side of one socket's proof."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._expected: str | None = None

    def answer(self, hub_nonce: object) -> tuple[str, str]:
        """`(nonce, mac)` with which to answer the hub's challenge."""
        if decode(hub_nonce) is None:
            raise _unproven("The hub's challenge is not a nonce.")
        assert isinstance(hub_nonce, str)  # noqa: S101  decode() said so
        nonce = fresh()
        self._expected = mac(self._key, HUB_LABEL, nonce, hub_nonce)
        return nonce, mac(self._key, TAB_LABEL, hub_nonce, nonce)

    def verify(self, hub_mac: object) -> None:
        """Check the hub's MAC; `UNAUTHORIZED` if it is wrong, and nothing more may be sent to that program."""
        expected, self._expected = self._expected, None
        if expected is None or not same(expected, hub_mac):
            raise _unproven("What listens on the hub's port does not hold the key: it is not the hub.")
