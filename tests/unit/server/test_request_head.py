from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.server.request_head import EXTENSION_ORIGIN, Head, HeadReader, judge

PORT = 61822


def _head(target: str = "/", *, method: str = "GET", host: str | None = "127.0.0.1:61822", **headers: str) -> Head:
    fields = [] if host is None else [(b"host", host.encode("latin-1"))]
    fields += [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Head(method=method, target=target, headers=tuple(fields))


@pytest.mark.parametrize("host", ["127.0.0.1:61822", "localhost:61822", "[::1]:61822", "LocalHost:61822"])
def test_the_hubs_own_hosts_are_served(host: str) -> None:
    assert judge(_head(host=host), PORT) is None


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
    refusal = judge(_head(host=host), PORT)
    assert refusal is not None
    assert refusal.status == 403


def test_two_hosts_are_refused() -> None:
    double = Head(method="GET", target="/", headers=((b"host", b"127.0.0.1:61822"), (b"host", b"127.0.0.1:61822")))
    assert judge(double, PORT) is not None


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
    refusal = judge(_head(target, origin=origin), PORT)
    assert refusal is not None
    assert refusal.status == 403


def test_the_extension_may_and_the_hubs_own_page_only_where_it_belongs() -> None:
    assert judge(_head("/", origin=EXTENSION_ORIGIN), PORT) is None
    for own in ("http://127.0.0.1:61822", "http://localhost:61822", "http://[::1]:61822"):
        assert judge(_head("/mcp", origin=own), PORT) is None
        assert judge(_head("/console/app.js", origin=own), PORT) is None
        assert judge(_head("/", origin=own), PORT) is not None, "a page is no tab"


def test_a_foreign_origin_beside_a_good_one_is_refused() -> None:
    fields = (
        (b"host", b"127.0.0.1:61822"),
        (b"origin", EXTENSION_ORIGIN.encode()),
        (b"origin", b"http://evil.example"),
    )
    assert judge(Head(method="GET", target="/", headers=fields), PORT) is not None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something-new"])
def test_a_request_without_origin_that_another_page_caused_is_refused(site: str) -> None:
    assert (
        judge(_head("/health", sec_fetch_site=site, sec_fetch_mode="no-cors", sec_fetch_dest="image"), PORT) is not None
    )
    assert judge(_head("/mcp", method="POST", sec_fetch_site=site), PORT) is not None
    assert (
        judge(_head("/mcp", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="document"), PORT)
        is not None
    )
    frame = _head("/console/", sec_fetch_site=site, sec_fetch_mode="navigate", sec_fetch_dest="iframe")
    assert judge(frame, PORT) is not None


def test_a_person_may_follow_a_link_to_the_console() -> None:
    link = _head("/console/", sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document")
    assert judge(link, PORT) is None
    assert judge(_head("/console/", sec_fetch_site="none", sec_fetch_mode="navigate"), PORT) is None


@pytest.mark.parametrize("target", ["http://127.0.0.1:61822/", "*", "mcp"])
def test_a_target_that_is_no_path_is_refused(target: str) -> None:
    assert judge(_head(target), PORT) is not None


def test_a_head_is_read_however_it_is_cut() -> None:
    raw = b"GET /mcp?profile=chrome HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: bearer abc\r\n\r\nbody"
    for size in (1, 3, 1_000):
        reader = HeadReader(1_000)
        head = None
        for start in range(0, len(raw), size):
            head = reader.feed(raw[start : start + size]) or head
            if head is not None:
                break
        assert head is not None
        assert (head.path, head.query, head.bearer) == ("/mcp", "profile=chrome", "abc")
        assert raw.startswith(bytes(reader.received))


@pytest.mark.parametrize(
    "raw",
    [b"\x16\x03\x01\x02\x00\x01", b"hello\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n", b"GET / HTTP/9\r\n\r\n"],
)
def test_what_is_no_request_is_refused(raw: bytes) -> None:
    with pytest.raises(KaptureError, match="no HTTP request"):
        HeadReader(1_000).feed(raw)


def test_a_head_without_end_is_refused() -> None:
    reader = HeadReader(1_000)
    filler = b"X-Filler: " + b"x" * 50 + b"\r\n"
    assert reader.feed(b"GET / HTTP/1.1\r\n" + filler * 10) is None
    with pytest.raises(KaptureError, match=r"no HTTP request|too long"):
        reader.feed(filler * 10)


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_no_bytes_make_reading_fail_in_another_way(raw: bytes, host: bytes) -> None:
    reader = HeadReader(2_000)
    try:
        head = reader.feed(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n" + raw + b"\r\n\r\n")
    except KaptureError:
        return
    if head is not None and judge(head, PORT) is None:
        assert host.strip().lower() in (b"127.0.0.1:61822", b"localhost:61822", b"[::1]:61822")
