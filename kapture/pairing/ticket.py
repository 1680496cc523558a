"""One-time tickets: they let the Console, a web page, in without ever giving it the client token.

Whoever can read `hub.json` can write a ticket, without asking the hub: `nonce.expiry.mac`, with the expiry in
whole Unix seconds. It is good for one minute and, as the hub remembers it, for one use.
"""

from __future__ import annotations

import time

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.proof import decode, fresh, mac, same

TICKET_LABEL = "kapture-console-v1"
LIFETIME_S = 60


def make_ticket(key: str, now: float | None = None) -> str:
    """A ticket made with the key of `hub.json`."""
    raw = decode(key)
    if raw is None:
        raise KaptureError(ErrorCode.UNAUTHORIZED, "The key is not 32 bytes in base64url.")
    nonce = fresh()
    expiry = str(int((time.time() if now is None else now) + LIFETIME_S))
    return f"{nonce}.{expiry}.{mac(raw, TICKET_LABEL, nonce, expiry)}"


def check_ticket(key: bytes, ticket: object, now: float) -> tuple[str, float]:
    """`(nonce, end)` of a ticket that is genuine and not too old; else `UNAUTHORIZED`."""
    parts = ticket.split(".") if isinstance(ticket, str) and len(ticket) < 200 and ticket.isascii() else []
    if len(parts) == 3:
        nonce, expiry, given = parts
        genuine = same(mac(key, TICKET_LABEL, nonce, expiry), given)
        if genuine and decode(nonce) is not None and expiry.isdigit() and now < int(expiry) <= now + LIFETIME_S + 1:
            return nonce, float(expiry)
    raise KaptureError(
        ErrorCode.UNAUTHORIZED,
        "This Console ticket is not valid, or it is older than a minute.",
        hint="Open the Console with `kapture console`.",
    )
