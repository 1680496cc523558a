from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.server.admission import Refusal, identify_caller
from kapture.server.request_head import RequestHeadReader

PORT = 61822


def test_a_head_is_read_however_it_is_cut() -> None:
    raw = b"GET /mcp?profile=chrome HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAuthorization: bearer abc\r\n\r\nbody"
    for size in (1, 3, 1_000):
        reader = RequestHeadReader(1_000)
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
    with pytest.raises(KaptureError, match="Not an HTTP request"):
        RequestHeadReader(1_000).feed(raw)


def test_a_head_without_end_is_refused() -> None:
    reader = RequestHeadReader(1_000)
    filler = b"X-Filler: " + b"x" * 50 + b"\r\n"
    assert reader.feed(b"GET / HTTP/1.1\r\n" + filler * 10) is None
    with pytest.raises(KaptureError, match=r"Not an HTTP request|longer than"):
        reader.feed(filler * 10)


@given(st.binary(max_size=300), st.binary(max_size=40))
def test_no_bytes_make_reading_fail_in_another_way(raw: bytes, host: bytes) -> None:
    reader = RequestHeadReader(2_000)
    try:
        head = reader.feed(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n" + raw + b"\r\n\r\n")
    except KaptureError:
        return
    if head is not None and not isinstance(identify_caller(head, PORT), Refusal):
        assert host.strip().lower() in (b"127.0.0.1:61822", b"localhost:61822", b"[::1]:61822")
