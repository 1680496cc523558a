"""Names the call in progress in everything sent for it, if a person has allowed something for this call alone: the
extension lets only that call through on the strength of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_call: ContextVar[str | None] = ContextVar("kapture_call_allowed_once", default=None)


@contextmanager
def sending_for(call: str | None) -> Iterator[None]:
    """Mark what this task and its children send in the block as sent for this call; None: for no such call."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)


def call_allowed_once() -> str | None:
    """The name of the call that the current task sends for; None if there is no such call."""
    return _call.get()
