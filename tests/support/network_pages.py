"""A site whose pages make requests of every kind."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from tests.support.context import Tab
from tests.support.site import NO_ICON, Page, Site, serving

JSON = {"Content-Type": "application/json"}


OPEN = {"Access-Control-Allow-Origin": "*"}


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


PAGES: dict[str, Page | str] = {
    "/": f"{NO_ICON}<title>Home</title>",
    "/api": Page('{"a": 1}', headers={**JSON, **OPEN}),
    "/private": Page('{"secret": 1}', headers=JSON),
    "/large": Page("0123456789" * 10_000, headers={"Content-Type": "text/plain"}),
    "/pixel.png": Page(PIXEL, headers={"Content-Type": "image/png"}),
    "/old": Page(status=301, headers={"Location": "/older"}),
    "/older": Page(status=302, headers={"Location": "/api"}),
    "/cached": Page("kept", headers={"Content-Type": "text/plain", "Cache-Control": "max-age=600"}),
    "/events": Page("event: tick\ndata: one\n\ndata: two\n\n", headers={"Content-Type": "text/event-stream"}),
    "/inner": "<script>fetch('/api?inner').then(answer => answer.text()).then(text => document.title = text)</script>",
    "/worker.js": Page(
        "fetch('/api?worker').then(answer => answer.text())", headers={"Content-Type": "text/javascript"}
    ),
    "/sw.js": Page(
        "oninstall = () => { console.log('from sw'); skipWaiting() };"
        "onactivate = event => event.waitUntil(clients.claim());"
        "onfetch = event => { if (event.request.url.endsWith('/made')) event.respondWith(new Response('by worker')) }",
        headers={"Content-Type": "text/javascript"},
    ),
}


@contextmanager
def network_site() -> Iterator[Site]:
    """Serve the pages, and `/frames` with a frame of another site."""
    with serving(PAGES) as served:
        served.pages["/frames"] = f"<iframe src='{served.url('/inner', 'localhost')}'></iframe>"
        yield served


async def fetch(tab: Tab, url: str, options: str = "{}") -> str:
    """The response for the page: the text, or `failed`."""
    answer: str = await tab.page.evaluate(
        f"fetch({json.dumps(url)}, {options}).then(answer => answer.text()).catch(() => 'failed')"
    )
    return answer


async def ended(tab: Tab, url: str) -> dict[str, Any]:
    """The row of the newest request whose URL matches, once it has ended."""
    with trio.fail_after(30):
        while True:
            upcoming = tab.page.network.changed.upcoming
            for row in (await tab.data("network", url=url))["requests"]:
                if "ms" in row:
                    return dict(row)
            await upcoming.wait()


async def whole(tab: Tab, url: str, **options: Any) -> dict[str, Any]:
    """The newest request whose URL matches, with all its details, once it has ended."""
    return await tab.data("network_request", id=(await ended(tab, url))["id"], **options)
