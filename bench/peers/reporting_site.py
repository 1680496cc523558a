"""A web site whose pages report what happened in them, so that effects can be checked in any browser.

A page reports over a WebSocket, and only when asked, after a block of calls. With an HTTP request for each effect, MCP
servers that wait for the page's requests would wait for that too, and the measured times would be wrong.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import attrs
import msgspec
import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest, serve_websocket

from bench.timing import SideFailedError
from kapture.changed import Changed

REPORT_S = 30.0
_MAX_BYTES = 1024 * 1024
_WORD = "<p class=word>at first</p>"
_REPORTER = """<script>
sessionStorage.visits = Number(sessionStorage.visits || 0) + 1;
const socket = new WebSocket('ws://127.0.0.1:PORT/' + location.search);
socket.onmessage = ({ data }) => {
  const { word } = JSON.parse(data);
  for (const place of document.querySelectorAll('.word')) place.textContent = word || place.textContent;
  const fields = [...document.querySelectorAll('input, select')].filter((field) => field.id);
  socket.send(JSON.stringify({
    visits: Number(sessionStorage.visits),
    clicks: window.clicks ?? 0,
    evaluated: window.evaluated ?? 0,
    over: window.over ?? '',
    values: Object.fromEntries(fields.map((field) => [field.id, field.value])),
  }));
  sessionStorage.visits = window.clicks = window.evaluated = 0;
  window.over = '';
  for (const field of fields) field.tagName === 'SELECT' ? field.selectedIndex = 0 : field.value = '';
};
</script>"""


class Report(msgspec.Struct):
    """Events in a page since its last report. `over`: the id of the element that the pointer last moved over.

    `visits`: how many pages the tab has loaded. The page resets everything, its fields too, after reporting.
    """

    visits: int
    clicks: int
    evaluated: int
    over: str
    values: dict[str, str]


@attrs.define(eq=False)
class _Page:
    """A connected page. `reports` ends when the page is closed."""

    socket: WebSocketConnection
    visit: int
    reports: trio.MemoryReceiveChannel[str | bytes]


class ReportingSite:
    """The running site. Tabs are named by the caller; an address contains the name of the tab that opens it."""

    def __init__(self) -> None:
        self.port = 0
        self._visits: dict[str, int] = {}
        self._pages: dict[str, _Page] = {}
        self._changed = Changed()

    def address(self, path: str, tab: str) -> str:
        """A new address for this tab to open next."""
        self._visits[tab] = self._visits.get(tab, 0) + 1
        return f"http://127.0.0.1:{self.port}{path}?tab={tab}&visit={self._visits[tab]}"

    async def ask(self, tab: str, word: str = "") -> Report:
        """Get the report of the tab's current page, and have the page show this word from now on.

        `SideFailedError` if the tab has not opened its latest address, or has not reported, within 30 s.
        """
        with trio.move_on_after(REPORT_S):
            while True:
                upcoming = self._changed.upcoming
                page = self._pages.get(tab)
                if page is not None and page.visit == self._visits.get(tab):
                    try:
                        await page.socket.send_message(msgspec.json.encode({"word": word}).decode())
                        return msgspec.json.decode(await page.reports.receive(), type=Report)
                    except (ConnectionClosed, trio.EndOfChannel):
                        if self._pages[tab] is page:
                            del self._pages[tab]  # it was closed in the meantime
                        continue
                await upcoming.wait()
        raise SideFailedError(f"no report from the page within {REPORT_S:.0f} s: the browser did not open it")

    async def serve(self, request: WebSocketRequest) -> None:
        """Accept the connection of a page, and receive its reports until it is closed."""
        with suppress(ConnectionClosed):  # also during the handshake, if the tab opens another page at once
            await self._receive(request)

    async def _receive(self, request: WebSocketRequest) -> None:
        named = parse_qs(urlsplit(request.path).query)
        tab, visit = named.get("tab", [""])[0], named.get("visit", [""])[0]
        if tab not in self._visits or not visit.isdigit() or int(visit) > self._visits[tab]:
            await request.reject(404)
            return
        passed, reports = trio.open_memory_channel[str | bytes](1)
        page = _Page(await request.accept(), int(visit), reports)
        known = self._pages.get(tab)
        if known is None or known.visit <= page.visit:
            self._pages[tab] = page
            self._changed.notify()
        with passed:
            while True:
                await passed.send(await page.socket.get_message())


@asynccontextmanager
async def reporting_site(pages: Mapping[str, str]) -> AsyncIterator[ReportingSite]:
    """Serve these pages, given by path, on loopback ports for the duration of the block."""
    site = ReportingSite()
    async with trio.open_nursery() as nursery:
        serve = functools.partial(serve_websocket, max_message_size=_MAX_BYTES)
        server = await nursery.start(serve, site.serve, "127.0.0.1", 0, None)
        with _serving({path: _reporting(page, server.port) for path, page in pages.items()}) as site.port:
            yield site
        nursery.cancel_scope.cancel()


def _reporting(page: str, port: int) -> bytes:
    """Add the reporting script to a page, and the word at its beginning and end."""
    head, _, body = page.partition("</title>")
    return f"{head}</title>{_WORD}{body}{_WORD}{_REPORTER.replace('PORT', str(port))}".encode()


class PageServer(ThreadingHTTPServer):
    """A web server of this process, whose browser's connections wait until it comes to accept them."""

    request_queue_size = 128  # of the default, 5, what comes beyond is dropped, and tried again after a second or three


@contextmanager
def _serving(pages: Mapping[str, bytes]) -> Iterator[int]:
    """Serve the pages in a thread; yields the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(urlsplit(self.path).path)
            with suppress(BrokenPipeError, ConnectionResetError):  # the browser closed the connection
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing: the terminal shows the results."""

    with PageServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
