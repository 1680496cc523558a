"""ASGI applications that are slow to import: made when the first request for them comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


def lazy_app(make: Callable[[], ASGIApp]) -> ASGIApp:
    """What `make` returns, which runs in a thread, since imports block."""
    app: ASGIApp | None = None

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal app
        if app is None:
            app = await trio.to_thread.run_sync(make)
        await app(scope, receive, send)

    return serve
