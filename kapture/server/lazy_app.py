"""ASGI applications that are slow to import: made for the first request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def lazy_app(make: Callable[[], ASGIApp]) -> ASGIApp:
    """An application that calls `make`, in a thread because imports block, when the first request comes."""
    app: ASGIApp | None = None

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal app
        if app is None:
            app = await trio.to_thread.run_sync(make)
        await app(scope, receive, send)

    return serve
