"""A small web site on this machine, for tests that need addresses, statuses, redirects and slow answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import attrs

NO_ICON = "<link rel='icon' href='data:,'>"
"""In a page: its icon needs no request."""


@attrs.frozen
class Page:
    """One answer. `wait`: it is held back until this event is set."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = attrs.field(factory=dict)
    wait: threading.Event | None = None


@attrs.define
class Site:
    """The served pages, by path; a callable makes its page anew for each request. `requests` are the paths asked for.

    The browser asks for `/favicon.ico` at a moment of its own, for every page that names no icon (`NO_ICON`).
    """

    port: int
    pages: dict[str, Page | str | Callable[[str], Page]] = attrs.field(factory=dict)
    requests: list[str] = attrs.field(factory=list)
    cookies: dict[str, str] = attrs.field(factory=dict)
    """The `Cookie` header that last came with a path."""

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """An address of it. `localhost` as host is another site to the browser."""
        return f"http://{host}:{self.port}{path}"


class SiteServer(ThreadingHTTPServer):
    """A web server of this process, whose browser's connections wait until it comes to accept them."""

    request_queue_size = 128  # of the default, 5, what comes beyond is dropped, and tried again after a second or three


@contextmanager
def serving(pages: Mapping[str, Page | str | Callable[[str], Page]]) -> Iterator[Site]:
    """Serve on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            # A connection that is closed before all has been read is reset: the browser may not see the answer then.
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            site.requests.append(self.path)
            site.cookies[path] = self.headers.get("Cookie", "")
            found = site.pages.get(path, Page("<title>Nothing here</title><h1>404</h1>", 404))
            if callable(found):
                found = found(self.path)
            if isinstance(found, str):
                found = Page(found)
            if found.wait is not None:
                found.wait.wait(30)
            body = found.body.encode() if isinstance(found.body, str) else found.body
            try:
                self.send_response(found.status)
                headers = {"Content-Type": "text/html; charset=utf-8", **found.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                if found.status not in (204, 304):
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if found.status not in (204, 304):
                    self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                return  # the browser has turned away

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            return

    server = SiteServer(("127.0.0.1", 0), Handler)
    # A missing icon would be an error in the page's console.
    site = Site(server.server_address[1], {"/favicon.ico": Page(status=204), **pages})
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="test site")
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
