"""Who a request comes from, and which path each caller may use."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kapture.pairing.access import Caller
from kapture.server.admission import EXTENSION_ORIGIN, FurtherCallers, Refusal, identify_caller
from kapture.server.request_head import RequestHead
from kapture.server.server import route_table

PORT = 61822
TABLE = route_table(SimpleNamespace(), SimpleNamespace(serve_websocket=None, serve_http=None))  # type: ignore[arg-type]


def _head(
    target: str = "/", *, method: str = "GET", host: str | None = "127.0.0.1:61822", **headers: str
) -> RequestHead:
    fields = [] if host is None else [(b"host", host.encode("latin-1"))]
    fields += [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return RequestHead(method=method, target=target, headers=tuple(fields))


def refusal_of(head: RequestHead, *, upgrade: bool = False) -> Refusal | None:
    """Why this request is not served; None when it is."""
    caller = identify_caller(head, PORT)
    if isinstance(caller, Refusal):
        return caller
    route: Any = TABLE.websocket(head, caller) if upgrade else TABLE.request(head, caller)
    return route if isinstance(route, Refusal) else None


@pytest.mark.parametrize("host", ["127.0.0.1:61822", "localhost:61822", "[::1]:61822", "LocalHost:61822"])
def test_the_hubs_own_hosts_are_served(host: str) -> None:
    assert refusal_of(_head(host=host)) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example:61822",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:80",
        "127.0.0.1:61823",
        "127.0.0.1.evil.example:61822",
        "localhost.evil.example:61822",
        "127.0.0.1:61822.evil.example",
        "127.0.0.1:61822@evil.example",
        "0.0.0.0:61822",
        "[::]:61822",
        "127.0.0.2:61822",
        "127.0.0.1 :61822",
        "127.0.0.1:061822",
    ],
)
def test_any_other_host_is_refused(host: str | None) -> None:
    refusal = refusal_of(_head(host=host))
    assert refusal is not None
    assert refusal.status == 403


def test_two_hosts_are_refused() -> None:
    double = RequestHead(
        method="GET", target="/", headers=((b"host", b"127.0.0.1:61822"), (b"host", b"127.0.0.1:61822"))
    )
    assert refusal_of(double) is not None


@pytest.mark.parametrize("target", ["/", "/mcp", "/health"])
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://127.0.0.1:61822",
        "http://127.0.0.1:8000",
        "http://127.0.0.1",
        "http://localhost:61822.evil.example",
        "http://evil.example:61822",
        "null",
        "",
        "file://",
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        f"{EXTENSION_ORIGIN}.evil.example",
        f"{EXTENSION_ORIGIN}/",
        f"{EXTENSION_ORIGIN} http://evil.example",
    ],
)
def test_every_foreign_origin_is_refused(target: str, origin: str) -> None:
    refusal = refusal_of(_head(target, origin=origin))
    assert refusal is not None
    assert refusal.status == 403


OWN_PAGES = ("http://127.0.0.1:61822", "http://localhost:61822", "http://[::1]:61822", "HTTP://LOCALHOST:61822")


def test_every_caller_is_identified() -> None:
    assert identify_caller(_head(), PORT) is Caller.PROGRAM
    assert identify_caller(_head(origin=EXTENSION_ORIGIN), PORT) is Caller.EXTENSION
    for own in OWN_PAGES:
        assert identify_caller(_head(origin=own), PORT) is Caller.OWN_PAGE
    assert identify_caller(_head(sec_fetch_site="same-origin"), PORT) is Caller.OWN_PAGE
    assert identify_caller(_head(sec_fetch_site="none"), PORT) is Caller.PROGRAM


ORDINARY = {Caller.PROGRAM, Caller.EXTENSION, Caller.OWN_PAGE, Caller.LINK}
"""Who comes when the person has let in nobody else."""


@pytest.mark.parametrize(
    ("target", "upgrade", "callers"),
    [
        ("/", True, {Caller.PROGRAM, Caller.EXTENSION}),
        ("/mcp", True, {Caller.PROGRAM, Caller.OWN_PAGE}),
        ("/mcp?profile=chrome", False, {Caller.PROGRAM, Caller.OWN_PAGE}),
        ("/", False, ORDINARY),
        ("/health", False, ORDINARY),
        ("/console/app.js", False, ORDINARY),
    ],
)
def test_each_path_is_for_its_callers_only(target: str, upgrade: bool, callers: set[Caller]) -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    signs = {
        Caller.PROGRAM: {},
        Caller.EXTENSION: {"origin": EXTENSION_ORIGIN},
        Caller.OWN_PAGE: {"origin": OWN_PAGES[0]},
        Caller.LINK: link,
    }
    served = {
        caller for caller, headers in signs.items() if refusal_of(_head(target, **headers), upgrade=upgrade) is None
    }
    assert served == callers


@pytest.mark.parametrize(
    ("target", "upgrade"),
    [("/other", False), ("/mcp/x", False), ("/healthy", False), ("/consoles", False), ("/console", True), ("/x", True)],
)
def test_a_path_that_no_route_names_is_not_found(target: str, upgrade: bool) -> None:
    refusal = refusal_of(_head(target), upgrade=upgrade)
    assert refusal is not None
    assert refusal.status == 404


def test_a_foreign_origin_beside_a_good_one_is_refused() -> None:
    fields = (
        (b"host", b"127.0.0.1:61822"),
        (b"origin", EXTENSION_ORIGIN.encode()),
        (b"origin", b"http://evil.example"),
    )
    assert refusal_of(RequestHead(method="GET", target="/", headers=fields)) is not None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
def test_a_request_without_origin_that_another_page_caused_is_refused(site: str) -> None:
    assert (
        refusal_of(_head("/health", sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image")) is not None
    )
    assert refusal_of(_head("/mcp", method="POST", sec_fetch_site=site)) is not None
    assert (
        refusal_of(_head("/mcp", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document")) is not None
    )
    frame = _head("/console/", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe")
    assert refusal_of(frame) is not None


def test_a_person_may_follow_a_link_to_the_console() -> None:
    link = _head("/console/", sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document")
    assert refusal_of(link) is None
    assert refusal_of(_head("/console/", sec_fetch_site="none", sec_fetch_mode="navigate")) is None


@pytest.mark.parametrize("target", ["http://127.0.0.1:61822/", "*", "mcp"])
def test_a_target_that_is_no_path_is_refused(target: str) -> None:
    assert refusal_of(_head(target)) is not None


def test_only_an_origin_that_was_named_is_let_in() -> None:
    further = FurtherCallers(origins=frozenset({"https://tabs.example"}))
    assert identify_caller(_head(origin="https://tabs.example"), PORT, further) is Caller.NAMED_ORIGIN
    for other in ("https://tabs.example:8443", "http://tabs.example", "https://evil.example"):
        assert isinstance(identify_caller(_head(origin=other), PORT, further), Refusal)


def test_other_extensions_are_let_in_for_a_relay_only() -> None:
    origin = "chrome-extension://" + "a" * 32
    assert isinstance(identify_caller(_head(origin=origin), PORT), Refusal)
    relay = FurtherCallers(extensions=True)
    assert identify_caller(_head(origin=origin), PORT, relay) is Caller.OTHER_EXTENSION
    assert isinstance(identify_caller(_head(origin="https://evil.example"), PORT, relay), Refusal)
