"""A site whose pages report what happened in them: an action's effect is known whatever browser shows the page.

Reports come over a WebSocket when they are asked for, after a block of calls. A request for each effect would be
waited for by servers that wait until the page is quiet, and so be part of what is timed.
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

from kapture.changed import Changed
from kapture.measure.timing import SideFailedError

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
    """What happened in a page since it was last asked, which empties its fields. `over`: the id of what the pointer has
    moved over last."""

    visits: int
    clicks: int
    evaluated: int
    over: str
    values: dict[str, str]


@attrs.define(eq=False)
class _Page:
    """A page that has connected; its reports end when it is closed."""

    socket: WebSocketConnection
    visit: int
    reports: trio.MemoryReceiveChannel[str | bytes]


class ReportingSite:
    """The site, while it is served. A tab has a name of our own, which is in the addresses that it opens."""

    def __init__(self) -> None:
        self.port = 0
        self._visits: dict[str, int] = {}
        self._pages: dict[str, _Page] = {}
        self._changed = Changed()

    def address(self, path: str, tab: str) -> str:
        """An address that is new each time, for a tab to open next."""
        self._visits[tab] = self._visits.get(tab, 0) + 1
        return f"http://127.0.0.1:{self.port}{path}?tab={tab}&visit={self._visits[tab]}"

    async def ask(self, tab: str, word: str = "") -> Report:
        """What happened in the tab's newest page, which shows this word from now on.

        `SideFailedError` when the tab does not open its latest address, or does not answer, within 30 s.
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
                            del self._pages[tab]  # it was closed meanwhile
                        continue
                await upcoming.wait()
        raise SideFailedError(f"no report from the page within {REPORT_S:.0f} s: the browser did not open it")

    async def accept(self, request: WebSocketRequest) -> None:
        """Keep the connection of a page, and pass on what it reports."""
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
        with passed, suppress(ConnectionClosed):
            while True:
                await passed.send(await page.socket.get_message())


@asynccontextmanager
async def reporting_site(pages: Mapping[str, str]) -> AsyncIterator[ReportingSite]:
    """Serve these pages, by path, on ports of this machine until the end of the block."""
    site = ReportingSite()
    async with trio.open_nursery() as nursery:
        serve = functools.partial(serve_websocket, max_message_size=_MAX_BYTES)
        server = await nursery.start(serve, site.accept, "127.0.0.1", 0, None)
        with _serving({path: _reporting(page, server.port) for path, page in pages.items()}) as site.port:
            yield site
        nursery.cancel_scope.cancel()


def _reporting(page: str, port: int) -> bytes:
    """The page with the word at its begin and its end, and the script that reports."""
    head, _, body = page.partition("</title>")
    return f"{head}</title>{_WORD}{body}{_WORD}{_REPORTER.replace('PORT', str(port))}".encode()


@contextmanager
def _serving(pages: Mapping[str, bytes]) -> Iterator[int]:
    """The port of the pages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(urlsplit(self.path).path)
            with suppress(BrokenPipeError, ConnectionResetError):  # the browser has gone elsewhere
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the terminal is the table's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
