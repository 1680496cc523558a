"""Polling until a condition holds, in a page and elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import trio

from kapture.cdp import CdpConnection, CdpError

PATIENCE_S = 30

NEVER = "new Promise((settle) => setTimeout(settle, 1e9))"
"""An expression: a promise that does not settle, but could. Where nothing could, it is collected, and the call ends."""


_T = TypeVar("_T")


async def until(look: Callable[[], Awaitable[_T | None]], what: str) -> _T:
    """Poll until there is a value, for browser states without an event."""
    with trio.move_on_after(PATIENCE_S):
        while True:
            with suppress(CdpError):  # the page is between two documents
                if found := await look():
                    return found
            await trio.sleep(0.05)
    raise AssertionError(f"{what} did not come within {PATIENCE_S} s")


async def evaluate(connection: CdpConnection, expression: str) -> Any:
    """The value of an expression in a target's page."""
    answer = await connection.root.send(
        "Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
    )
    assert "exceptionDetails" not in answer, answer["exceptionDetails"]
    return answer["result"].get("value")
