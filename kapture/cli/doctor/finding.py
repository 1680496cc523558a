"""Results of the checks of `kapture doctor`."""

from __future__ import annotations

from typing import Literal

import attrs

from kapture.errors import KaptureError

State = Literal["ok", "note", "bad"]


@attrs.frozen(kw_only=True)
class Finding:
    """The result of one check. `bad` prevents Kapture from working, `note` may; `fix` is the next step."""

    what: str
    state: State
    detail: str
    fix: str = ""


def failed(what: str, error: KaptureError) -> Finding:
    """The finding for a check that failed with this error."""
    return Finding(what=what, state="bad", detail=error.message, fix=error.hint)
