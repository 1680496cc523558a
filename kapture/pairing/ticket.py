"""One-time tickets, for clients that cannot be given the client token or cannot send it as a header, and for programs
that may do more than a client.

Each is for one purpose: the Console, a web page (`CONSOLE`), a connection of a CDP client (`CDP`), or a program of the
person's own (`PERSON`), which may have the hub start a browser, share it, and change its key.
Whoever can read `hub.json` can make a ticket, without asking the hub: `nonce.expiry.mac`, with the expiry in whole
Unix seconds. It is valid for one minute and, as the hub remembers it, for one use.
"""

from __future__ import annotations

import time

from kapture.errors import ErrorCode, KaptureError
from kapture.pairing.proof import decode, fresh, mac, same

CONSOLE = "kapture-console-v1"
CDP = "kapture-cdp-v1"
PERSON = "kapture-person-v1"
LIFETIME_S = 60

BROWSERS_PATH = "/browsers"
RELEASE_PATH = "/release"
GRANTS_PATH = "/grants"
SHARE_PATH = "/share"
ROTATE_KEY_PATH = "/rotate-key"

RENEW = {
    CONSOLE: "Open the Console with `kapture console`.",
    CDP: "Get a new address with `kapture cdp`.",
    PERSON: "Run the command again.",
}
"""How to get another ticket, by label."""


def make_ticket(key: str, label: str = CONSOLE, now: float | None = None) -> str:
    """Make a ticket with the key of `hub.json`, for the purpose of the label."""
    raw = decode(key)
    if raw is None:
        raise KaptureError(ErrorCode.UNAUTHORIZED, "The key is not 32 bytes in base64url.")
    nonce = fresh()
    expiry = str(int((time.time() if now is None else now) + LIFETIME_S))
    return f"{nonce}.{expiry}.{mac(raw, label, nonce, expiry)}"


def check_ticket(key: bytes, label: str, ticket: object, now: float) -> tuple[str, float]:
    """`(nonce, expiry)` of a genuine ticket that has not expired; `UNAUTHORIZED` for any other."""
    parts = ticket.split(".") if isinstance(ticket, str) and len(ticket) < 200 and ticket.isascii() else []
    if len(parts) == 3:
        nonce, expiry, given = parts
        genuine = same(mac(key, label, nonce, expiry), given)
        if genuine and decode(nonce) is not None and expiry.isdigit() and now < int(expiry) <= now + LIFETIME_S + 1:
            return nonce, float(expiry)
    raise KaptureError(
        ErrorCode.UNAUTHORIZED,
        "This ticket is not valid, or it is older than a minute.",
        hint=RENEW[label],
    )
