"""What `kapture doctor` finds."""

from __future__ import annotations

from typing import Literal

import attrs

from kapture.errors import KaptureError

State = Literal["ok", "note", "bad"]


@attrs.frozen(kw_only=True)
class Finding:
    """The result of one check. `bad` keeps Kapture from working, `note` may; `fix` is the next step."""

    what: str
    state: State
    detail: str
    fix: str = ""


def failed(what: str, error: KaptureError) -> Finding:
    """A check that ended with this error."""
    return Finding(what=what, state="bad", detail=error.message, fix=error.hint)
