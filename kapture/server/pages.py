"""The pages that the hub serves: `/health`, and the Console below `/console`, with the views of `extension/ui/`."""

from __future__ import annotations

import os

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kapture import __version__
from kapture.package_files import extension_folder, test_app_folder

_SECURITY_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        b"connect-src 'self'; frame-ancestors 'none'; "
        b"base-uri 'none'; form-action 'none'; object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def pages() -> ASGIApp:
    """The ASGI application, which adds security headers to every response."""
    routes: list[Route | Mount] = [Route("/", _to_console), Route("/health", _health)]
    folder = test_app_folder()
    if folder.is_dir():
        routes += [Route("/console", _to_console), *_shared_views()]
        routes += [Mount("/console", StaticFiles(directory=folder, html=True))]
    app = Starlette(routes=routes)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        # With older versions Starlette watches for a disconnect while it sends a file, and cancels itself in the middle
        # of Hypercorn's closing of a connection that the client wants closed.
        newer = {**scope, "asgi": {"version": "3.0", "spec_version": "2.4"}}
        await app(newer, receive, _with_headers(send))

    return serve


def _shared_views() -> list[Route | Mount]:
    """The routes of the extension's views that the Console shares: `/console/ui/`."""
    ui = extension_folder() / "ui"

    async def tokens(request: Request) -> Response:
        return FileResponse(ui / "tokens.css")

    parts = [name for name in ("vendor", "components", "scenarios") if (ui / name).is_dir()]
    mounts = [Mount(f"/console/ui/{name}", StaticFiles(directory=ui / name)) for name in parts]
    return [Route("/console/ui/tokens.css", tokens), *mounts]


async def _health(request: Request) -> Response:
    return JSONResponse({"kapture": __version__, "pid": os.getpid()})


async def _to_console(request: Request) -> Response:
    return RedirectResponse("/console/")


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_SECURITY_HEADERS]}
        await send(message)

    return send_with_headers
