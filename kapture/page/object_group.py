"""Groups of CDP object handles, and releasing them."""

from __future__ import annotations

from contextlib import suppress
from itertools import count

from kapture.cdp import CdpSession
from kapture.errors import KaptureError

_NUMBERS = count(1)


def object_group(purpose: str) -> str:
    """The name of a group that nobody else uses.

    The frames of a process share one session, and so their groups: releasing one that another frame uses at the same
    time would take the handles that this frame is about to pass on.
    """
    return f"kapture-{purpose}-{next(_NUMBERS)}"


def release_group(session: CdpSession, group: str) -> None:
    """Release the handles of a group, without waiting for the reply, and even if it fails."""
    with suppress(KaptureError):  # the connection's buffer is full, or the connection has ended
        session.submit("Runtime.releaseObjectGroup", {"objectGroup": group})
