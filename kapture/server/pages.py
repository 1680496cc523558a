"""The pages that the hub serves: `/health`, and the Console below `/console`, with the views of `extension/ui/`."""

from __future__ import annotations

import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kapture import __version__
from kapture.package_files import extension_folder, test_app_folder
from kapture.server.console_page import console_page


def _policy(*style_sources: str) -> str:
    styles = " ".join(("'self'", *style_sources))
    return (
        f"default-src 'none'; script-src 'self'; style-src {styles}; "
        "img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'; object-src 'none'"
    )


_POLICY = b"content-security-policy"
_SECURITY_HEADERS = (
    (_POLICY, _policy().encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


def pages() -> ASGIApp:
    """The ASGI application, which adds security headers to every response. It reads files: made in a thread."""
    routes: list[Route | Mount] = [Route("/", _to_console), Route("/health", _health)]
    folder, ui = test_app_folder(), extension_folder() / "ui"
    if folder.is_dir():
        routes += [Route("/console", _to_console), _console(folder, ui), *_shared_views(ui)]
        routes += [Mount("/console", StaticFiles(directory=folder, html=True))]
    app = Starlette(routes=routes)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        # With older versions Starlette watches for a disconnect while it sends a file, and cancels itself in the middle
        # of Hypercorn's closing of a connection that the client wants closed.
        newer = {**scope, "asgi": {"version": "3.0", "spec_version": "2.4"}}
        await app(newer, receive, _with_headers(send))

    return serve


def _console(folder: Path, ui: Path) -> Route:
    """The Console's page, as it was when the first page was asked for."""
    page = console_page(folder / "index.html", lambda url: (ui.parent if url.startswith("ui/") else folder) / url)
    policy = _policy(*page.style_sources)

    async def console(request: Request) -> Response:
        return HTMLResponse(page.html, headers={_POLICY.decode(): policy})

    return Route("/console/", console)


def _shared_views(ui: Path) -> list[Route | Mount]:
    """The routes of the extension's views that the Console shares: `/console/ui/`."""

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
            own = list(message.get("headers", ()))
            named = {name for name, _value in own}
            message = {
                **message,
                "headers": [*own, *(header for header in _SECURITY_HEADERS if header[0] not in named)],
            }
        await send(message)

    return send_with_headers
