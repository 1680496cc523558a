"""Frames: what wsproto writes is read, what is written wsproto reads, and what is invalid is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType
from wsproto.connection import Connection
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, TextMessage

from kapture.websocket.frames import (
    BINARY,
    CLOSE,
    PING,
    TEXT,
    FrameError,
    FrameReader,
    close_payload,
    mask,
    read_close,
    read_text,
    write_frame,
)

LIMIT = 1_000_000
KEY = b"\x01\x80\x00\xff"
sizes = st.sampled_from([0, 1, 124, 125, 126, 127, 65_535, 65_536, 70_001])


def read_all(
    data: bytes, cuts: Sequence[int] = (), *, masked: bool = True, limit: int = LIMIT
) -> list[tuple[int, bytes]]:
    reader = FrameReader(masked=masked, max_message_bytes=limit)
    found: list[tuple[int, bytes]] = []
    for start, end in pairwise([0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]):
        reader.feed(data[start:end])
        while (frame := reader.next()) is not None:
            found.append(frame)
    return found


@given(
    messages=st.lists(
        st.one_of(sizes.map(lambda size: "ü" * size), sizes.map(bytes), st.text(), st.binary()), max_size=4
    ),
    cuts=st.lists(st.integers(0, 200_000), max_size=6),
    split=st.booleans(),
)
def test_messages_of_a_client_are_read_however_they_are_cut(
    messages: list[str | bytes], cuts: list[int], split: bool
) -> None:
    client = Connection(ConnectionType.CLIENT)
    data = b""
    for message in messages:
        event: type[TextMessage | BytesMessage] = TextMessage if isinstance(message, str) else BytesMessage
        if split:
            half = len(message) // 2
            data += client.send(event(data=message[:half], message_finished=False))  # type: ignore[arg-type]
            data += client.send(Ping(payload=b"between"))
            data += client.send(event(data=message[half:]))  # type: ignore[arg-type]
        else:
            data += client.send(event(data=message))  # type: ignore[arg-type]
    found = [frame for frame in read_all(data, cuts) if frame != (PING, b"between")]
    assert [read_text(payload) if opcode == TEXT else payload for opcode, payload in found] == messages
    assert [opcode for opcode, _ in found] == [TEXT if isinstance(m, str) else BINARY for m in messages]


@given(size=sizes, masked=st.booleans())
def test_wsproto_reads_what_is_written(size: int, masked: bool) -> None:
    other = Connection(ConnectionType.SERVER if masked else ConnectionType.CLIENT)
    other.receive_data(write_frame(TEXT, b"a" * size, key=KEY if masked else None))
    events: list[Event] = list(other.events())
    assert "".join(event.data for event in events if isinstance(event, TextMessage)) == "a" * size


@given(code=st.sampled_from([1000, 1001, 1003, 1007, 1011, 3000, 4001, 4999]), reason=st.text(max_size=80))
def test_close_codes_and_reasons_pass_both_ways(code: int, reason: str) -> None:
    client = Connection(ConnectionType.CLIENT)
    client.receive_data(write_frame(CLOSE, close_payload(code, reason)))
    [closed] = client.events()
    assert isinstance(closed, CloseConnection)
    assert closed.code == code
    assert reason.startswith(closed.reason or "")
    [(opcode, payload)] = read_all(client.send(closed.response()))
    assert (opcode, read_close(payload)) == (CLOSE, (code, closed.reason or ""))


@given(payload=st.binary(max_size=50), repeats=st.integers(1, 2_000))
def test_masking_twice_changes_nothing(payload: bytes, repeats: int) -> None:
    payload *= repeats
    assert mask(mask(payload, KEY), KEY) == payload
    assert mask(payload, KEY)[:50] == bytes(byte ^ KEY[at % 4] for at, byte in enumerate(payload[:50]))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"\x81\x05hello", 1002, id="not masked"),
        pytest.param(b"\xc1\x80" + KEY, 1002, id="reserved bit"),
        pytest.param(b"\x83\x80" + KEY, 1002, id="unknown opcode"),
        pytest.param(b"\x8b\x80" + KEY, 1002, id="unknown control opcode"),
        pytest.param(b"\x09\x80" + KEY, 1002, id="fragment of a ping"),
        pytest.param(b"\x89\xfe\x00\x7e" + KEY, 1002, id="long ping"),
        pytest.param(b"\x80\x80" + KEY, 1002, id="continuation of nothing"),
        pytest.param(b"\x01\x80" + KEY + b"\x81\x80" + KEY, 1002, id="message inside another"),
        pytest.param(b"\x81\xfe\x00\x7d" + KEY, 1002, id="two bytes for a short length"),
        pytest.param(b"\x81\xff\x00\x00\x00\x00\x00\x00\xff\xff" + KEY, 1002, id="eight bytes for a short length"),
        pytest.param(b"\x81\xff\x80" + bytes(6) + b"\x01" + KEY, 1002, id="negative length"),
        pytest.param(b"\x81\xff" + (LIMIT + 1).to_bytes(8, "big") + KEY, 1009, id="too large"),
    ],
)
def test_what_breaks_the_protocol_is_refused_with_its_code(data: bytes, code: int) -> None:
    with pytest.raises(FrameError) as refused:
        read_all(data)
    assert refused.value.code == code


def test_fragments_count_together_towards_the_limit() -> None:
    fragment = b"\x01\x8a" + KEY + bytes(10)
    more = b"\x00\x8a" + KEY + bytes(10)
    assert read_all(fragment + more, limit=20) == []
    with pytest.raises(FrameError) as refused:
        read_all(fragment + more + more, limit=29)
    assert refused.value.code == 1009


@pytest.mark.parametrize(
    "payload", [b"\x03", b"\x03\xe7", b"\x03\xec", b"\x03\xed", b"\x03\xee", b"\x07\xd0", b"\x13\x88"]
)
def test_invalid_close_codes_are_refused(payload: bytes) -> None:
    with pytest.raises(FrameError) as refused:
        read_close(payload)
    assert refused.value.code == 1002


def test_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(FrameError) as refused:
        read_text(b"\xff\xfe")
    assert refused.value.code == 1007
