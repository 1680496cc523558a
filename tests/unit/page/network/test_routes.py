"""Whose requests are blocked and mocked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from kapture.cdp import CdpConnection, CdpSession, PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY
from kapture.page.network.routes import Routes
from tests.support.cdp_transports import EmptyTransport

OWNERS = {"A": ("https://shop.example/",), "C": ("https://bank.test/",), "": ("https://shop.example/", NOBODY)}


class Browser(EmptyTransport):
    """A tab of which `https://shop.example` is granted, and what is sent to it. Every request is mocked."""

    def __init__(self, sites: tuple[str, ...] = ("https://shop.example",)) -> None:
        self.sent: list[str] = []
        self.fulfilled: Mapping[str, Any] = {}
        self.sites = sites
        self.narrowed = False
        self.connection = CdpConnection(self)
        self.routes = Routes(self.owners, lambda url: url.startswith(self.sites))

    def owners(self, session: CdpSession, frame: str | None) -> tuple[str, ...]:
        return OWNERS[frame or ""]

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append(method)
        if method == MOCKED:
            self.fulfilled = params
        if session_id == "outside" or (self.narrowed and method == MOCKED):
            reply = PendingReply()
            reply.fail(KaptureError(ErrorCode.POLICY_DENIED, "The extension does not cover bank.test."))
            return reply
        return super().submit(method, params, session_id)

    async def request(
        self, url: str, frame: str, kind: str = "Script", *, cookie: str = "session=fixed", **headers: str
    ) -> str:
        """What becomes of it."""
        await self.routes.observe(self.connection.root)
        await self.routes.add("*", status=200, body=b"attack()", headers={"X-Own": "1", "Set-Cookie": cookie})
        return self.pause(url, frame, kind, **headers)

    def pause(self, url: str, frame: str, kind: str = "Script", **headers: str) -> str:
        """What becomes of another one."""
        request = {"url": url, "method": "GET", "headers": headers}
        paused = {"requestId": "1", "frameId": frame, "resourceType": kind, "request": request}
        self.connection.deliver("Fetch.requestPaused", paused, None)
        return self.sent[-1]


MOCKED, CONTINUED = "Fetch.fulfillRequest", "Fetch.continueRequest"


@pytest.mark.parametrize(
    ("url", "frame", "kind", "headers", "becomes"),
    [
        ("https://shop.example/api", "A", "XHR", {}, MOCKED),
        ("https://cdn.test/lib.js", "A", "Script", {"Referer": "https://shop.example/"}, MOCKED),
        ("https://shop.example/", "A", "Document", {}, MOCKED),
        ("https://shop.example/frame", "C", "Document", {"Referer": "https://bank.test/"}, MOCKED),
        ("https://bank.test/", "A", "Document", {}, CONTINUED),
        ("https://bank.test/own.js", "C", "Script", {}, CONTINUED),
        ("https://shop.example/lib.js", "C", "Script", {}, CONTINUED),
        ("https://shop.example/lib.js", "A", "Script", {"Referer": "https://bank.test/"}, CONTINUED),
        ("https://shop.example/lib.js", "A", "Script", {"origin": "https://bank.test"}, CONTINUED),
        (
            "https://fonts.test/a",
            "A",
            "Font",
            {"Referer": "https://cdn.test/a.css", "Origin": "https://shop.example"},
            MOCKED,
        ),
        (
            "https://shop.example/a",
            "A",
            "Font",
            {"Referer": "https://shop.example/", "Origin": "https://bank.test"},
            CONTINUED,
        ),
        ("https://shop.example/lib.js", "A", "Script", {"Referer": "https://bank.test/", "Origin": "null"}, CONTINUED),
        ("https://shop.example/lib.js", "", "Script", {}, CONTINUED),
    ],
)
async def test_only_requests_of_granted_documents_are_mocked(
    url: str, frame: str, kind: str, headers: dict[str, str], becomes: str
) -> None:
    browser = Browser()
    assert await browser.request(url, frame, kind, **headers) == becomes
    assert next(iter(browser.routes)).hits == (becomes == MOCKED)


@pytest.mark.parametrize(
    ("url", "cookie", "given"),
    [
        ("https://shop.example/api", "session=fixed", True),
        ("https://shop.example/api", "session=fixed; Domain=shop.example", True),
        ("https://shop.example/api", "session=fixed; domain = .example", False),
        ("https://bank.test/api", "session=fixed", False),
    ],
)
async def test_a_mocked_response_sets_cookies_of_granted_sites_only(url: str, cookie: str, given: bool) -> None:
    browser = Browser()
    assert await browser.request(url, "A", "XHR", cookie=cookie) == MOCKED
    names = [header["name"] for header in browser.fulfilled["responseHeaders"]]
    assert names == (["X-Own", "Set-Cookie"] if given else ["X-Own"])


async def test_requests_of_unknown_documents_are_mocked_when_every_site_is_granted() -> None:
    assert await Browser(("https://", EVERY_SITE)).request("https://bank.test/own.js", "") == MOCKED


async def test_a_frame_whose_process_the_extension_refuses_keeps_no_route_from_the_others() -> None:
    browser = Browser()
    await browser.routes.observe(browser.connection.session("outside"))
    assert await browser.request("https://shop.example/api", "A", "XHR") == MOCKED
    await browser.routes.observe(browser.connection.session("outside"))


async def test_routes_that_the_grant_no_longer_covers_end_at_once() -> None:
    browser = Browser()
    await browser.request("https://shop.example/api", "A", "XHR")
    browser.routes.end()
    assert browser.sent[-1] == "Fetch.disable"
    assert len(browser.routes) == 0


async def test_a_request_that_may_not_be_mocked_any_more_goes_on() -> None:
    browser = Browser()
    browser.narrowed = True  # the extension knows before the hub does
    assert await browser.request("https://shop.example/api", "A", "XHR") == CONTINUED


async def test_bodies_of_routes_are_limited_and_counted() -> None:
    routes = Browser().routes
    await routes.add("*/a", status=200, body=b"x" * 2**20)
    with pytest.raises(KaptureError, match="2 MiB"):
        await routes.add("*/b", status=200, body=b"x" * 2**20)
    assert (len(routes), routes.held_bytes >> 20) == (1, 1)
    await routes.remove()
    assert routes.held_bytes == 0
