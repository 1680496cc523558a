"""Sites of which a launched browser's one tab is granted one, for tests of what that keeps closed.

On one host, another port is another site to a grant, and the same site to the browser: its frames share the process.
`localhost` is another site to both.
"""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal, TypeAlias

import attrs
from mcp import Client

from tests.support.site import Page, SiteServer, serving
from tests.support.site import Site as WebSite
from tests.support.stack import HubProcess, call, hub_process, launch_process, mcp_client, refusal

Through: TypeAlias = Literal["extension", "pipe"]


@attrs.define
class Site:
    """A web server that remembers what it was asked for."""

    port: int
    asked: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url_of_another_process(self) -> str:
        """The same server, under a name that is another site to the browser."""
        return f"http://localhost:{self.port}"


def serve(pages: dict[str, str]) -> tuple[SiteServer, Site]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = pages.get(self.path.partition("?")[0], "<title>none</title>")
            if body.startswith("http"):
                self.send_response(302)
                self.send_header("location", body)
                self.end_headers()
                return
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html>" + body.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = SiteServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, Site(server.server_port, asked)


@attrs.frozen
class ThreeSites:
    """A, which is granted, holds frames of B (another port: the same process) and of C (another site).

    B and C know the secret, and C has given it to the browser in a cookie that no script can read.
    """

    a: WebSite
    b: WebSite
    c: WebSite
    secret: str = "the-words-of-another-site"

    @property
    def granted(self) -> Site:
        """As `granted` takes it."""
        return Site(self.a.port, [])


@contextmanager
def three_sites() -> Iterator[ThreeSites]:
    """Until the block ends."""
    with serving({}) as a, serving({}) as b, serving({}) as c:
        sites = ThreeSites(a, b, c)
        secret, elsewhere = sites.secret, c.url("/private", "localhost")
        session = {"Set-Cookie": f"session={secret}; HttpOnly; SameSite=Lax", "X-Secret": secret}
        readable = {**session, "Access-Control-Allow-Origin": a.url("").rstrip("/")}
        spoken = f"<title>{secret}</title><p id=secret>{secret}</p><script>window.secret = '{secret}'"
        asking = "console.log(secret); fetch('/api?' + secret); fetch('/gone?' + secret);"
        socket = f"new WebSocket('ws://127.0.0.1:{b.port}/socket?' + secret)"
        b.pages["/"] = f"{spoken}; setInterval(() => {{ {asking} {socket} }}, 300)</script>"
        b.pages["/api"] = Page(secret, headers={"X-Secret": secret})
        c.pages["/"] = Page(f"{spoken}</script>", headers=session)
        c.pages["/private"] = Page("what A may read", headers=readable)
        c.pages["/unread"] = Page(secret, headers=session)
        c.pages["/hop"] = Page("", 302, {**readable, "Location": f"{elsewhere}?{secret}"})
        a.pages["/"] = (
            f"<title>mine</title><h1>granted words</h1><iframe src='{b.url('/')}'></iframe>"
            f"<iframe src='{c.url('/', 'localhost')}'></iframe><input type=file>"
            f"<script>const secret = {json.dumps(secret.split('-'))}.join('-'), c = '{c.url('', 'localhost')}';"
            "setInterval(() => { for (const path of ['/private?' + secret, '/unread?' + secret, '/hop'])"
            " fetch(c + path).then((got) => got.text()).catch(() => 0); fetch('/own'); }, 300)</script>"
        )
        yield sites


@attrs.frozen
class Granted:
    """A launched browser whose one tab is granted one site, and a client."""

    client: Client
    tab: str
    hub: HubProcess

    async def call(self, tool: str, **arguments: Any) -> str:
        return await call(self.client, tool, tabId=self.tab, **arguments)

    async def refusal(self, tool: str, **arguments: Any) -> str:
        return await refusal(self.client, tool, tabId=self.tab, **arguments)


THROUGH: tuple[Through, ...] = ("extension", "pipe")
"""How the hub reaches the tab: where the extension checks too, and where nobody but the hub does."""

_TOOLSETS = "core,tabs,more,network,files,state,raw"


@attrs.frozen
class GrantedBrowser:
    """A launched browser whose one tab is granted one site, for several clients one after the other."""

    hub: HubProcess
    tab: str
    site: Site

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Granted]:
        """A client of its own; the tab shows the site's first page."""
        async with mcp_client(self.hub, "--toolsets", _TOOLSETS) as client:
            granted = Granted(client, self.tab, self.hub)
            await granted.call("navigate", url=f"{self.site.url}/")
            yield granted


@contextmanager
def granted_browser(
    home: Path, mine: Site, level: str = "interact", through: Through = "extension"
) -> Iterator[GrantedBrowser]:
    arguments = ["--sites", f"127.0.0.1:{mine.port}", "--level", level]
    if through == "extension":
        arguments.append("--with-extension")
    with hub_process(home) as hub, launch_process(hub, [f"{mine.url}/"], arguments) as launched:
        yield GrantedBrowser(hub, launched.rows[0]["tabId"], mine)


@asynccontextmanager
async def granted(
    tmp_path: Path, mine: Site, level: str = "interact", through: Through = "extension"
) -> AsyncIterator[Granted]:
    """For one test that changes more than the tab, or has a grant of its own."""
    with granted_browser(tmp_path / "home", mine, level, through) as browser:
        async with mcp_client(browser.hub, "--toolsets", _TOOLSETS) as client:
            yield Granted(client, browser.tab, browser.hub)
