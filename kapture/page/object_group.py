"""Groups of CDP object handles, for `Runtime.releaseObjectGroup`."""

from __future__ import annotations

from itertools import count

_NUMBERS = count(1)


def object_group(purpose: str) -> str:
    """The name of a group that nobody else uses.

    The frames of a process share one session, and so their groups: releasing one that another frame uses at the same
    time would take the handles that this frame is about to pass on.
    """
    return f"kapture-{purpose}-{next(_NUMBERS)}"
