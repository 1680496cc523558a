"""The call in progress, where a person has allowed something for it alone: what is sent for it names it, so that the
extension lets nothing else through on the strength of that answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_call: ContextVar[str | None] = ContextVar("kapture_call_allowed_once", default=None)


@contextmanager
def sending_for(call: str | None) -> Iterator[None]:
    """What is sent in this block, by this task and those it starts, is sent for this call; None: for no such call."""
    token = _call.set(call)
    try:
        yield
    finally:
        _call.reset(token)


def call_allowed_once() -> str | None:
    """The name of that call, if there is one."""
    return _call.get()
