"""The hub's answer to a program of the person's whose request it does not fulfil, or no longer."""

from __future__ import annotations

from msgspec import Struct


class Failed(Struct, tag_field="type", tag="failed"):
    """Why; the socket is closed next."""

    code: str
    message: str
    hint: str = ""
