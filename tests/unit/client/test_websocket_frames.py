"""The bridge's end of a WebSocket understands wsproto, and is understood by it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Message, Ping, Pong, Request, TextMessage

from kapture.client.websocket_frames import (
    FrameError,
    FrameReader,
    Head,
    Opcode,
    Received,
    check_accepted,
    frame,
    make_key,
    read_head,
    upgrade_request,
)

MAX_BYTES = 200_000
KEY = make_key()


def server() -> tuple[WSConnection, bytes]:
    """A server that has accepted our request, and its answer."""
    connection = WSConnection(ConnectionType.SERVER)
    connection.receive_data(upgrade_request("127.0.0.1:61822", "/mcp?profile=minimal", KEY, {"Kapture-Client": "cli"}))
    [request] = connection.events()
    assert isinstance(request, Request)
    assert request.target == "/mcp?profile=minimal"
    assert (b"kapture-client", b"cli") in [(name.lower(), value) for name, value in request.extra_headers]
    return connection, connection.send(AcceptConnection(extra_headers=[(b"Kapture-Proof", b"abc")]))


def pieces(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def test_the_upgrade_is_what_a_server_accepts() -> None:
    _, answer = server()
    assert read_head(answer[:-1]) is None
    head = read_head(answer + b"rest")
    assert head is not None
    assert (head.status, head.headers[b"kapture-proof"], head.rest) == (101, b"abc", b"rest")
    check_accepted(head, KEY)


def test_a_server_that_did_not_read_the_key_is_not_believed() -> None:
    _, answer = server()
    head = read_head(answer)
    assert head is not None
    with pytest.raises(FrameError):
        check_accepted(head, make_key())
    with pytest.raises(FrameError):
        check_accepted(Head(101, {**head.headers, b"sec-websocket-extensions": b"permessage-deflate"}, b""), KEY)


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.2\r\n\r\n", b"HTTP/1.1 what\r\n\r\n", b"x" * 70_000])
def test_what_does_not_speak_http_is_refused(answer: bytes) -> None:
    with pytest.raises(FrameError):
        read_head(answer)


PAYLOADS = st.one_of(
    st.binary(max_size=300), st.sampled_from([bytes(125), bytes(126), bytes(65_535), bytes(65_536), bytes(100_000)])
)
MESSAGES = st.lists(st.one_of(st.text(max_size=200), PAYLOADS, st.binary(max_size=20).map(lambda it: Ping(payload=it))))
CUTS = st.lists(st.integers(0, 1_000_000), max_size=12)


@given(MESSAGES, st.integers(1, 3), CUTS)
def test_whatever_a_server_sends_is_received_however_it_is_cut(
    messages: list[Any], parts: int, cuts: list[int]
) -> None:
    connection, _ = server()
    sent, wanted = b"", []
    for message in messages:
        if isinstance(message, Ping):
            sent += connection.send(message)
            wanted.append(Received(Opcode.PING, bytes(message.payload)))
            continue
        kind = TextMessage if isinstance(message, str) else BytesMessage
        size = max(1, -(-len(message) // parts))
        fragments = [message[start : start + size] for start in range(0, len(message), size)] or [message]
        for index, fragment in enumerate(fragments):
            sent += connection.send(kind(data=fragment, message_finished=index == len(fragments) - 1))
        opcode = Opcode.TEXT if isinstance(message, str) else Opcode.BINARY
        wanted.append(Received(opcode, message.encode() if isinstance(message, str) else message))
    sent += connection.send(CloseConnection(code=1008, reason="no"))
    reader = FrameReader(MAX_BYTES)
    received = [one for piece in pieces(sent, cuts) for one in reader.feed(piece)]
    assert received[:-1] == wanted
    assert (received[-1].opcode, received[-1].close_code, received[-1].close_reason) == (Opcode.CLOSE, 1008, b"no")


@given(st.text(max_size=200) | st.sampled_from(["a" * size for size in (125, 126, 16_384, 65_535, 65_536, 100_001)]))
def test_a_server_receives_what_is_sent(text: str) -> None:
    connection, _ = server()
    connection.receive_data(
        frame(Opcode.PONG, b"p") + frame(Opcode.TEXT, text.encode()) + frame(Opcode.CLOSE, b"\3\350")
    )
    pong, *messages, close = connection.events()
    assert isinstance(pong, Pong)
    assert "".join(message.data for message in messages if isinstance(message, Message)) == text
    assert isinstance(close, CloseConnection)
    assert close.code == 1000


@pytest.mark.parametrize(
    "sent",
    [
        b"\xc1\x00",  # a reserved bit
        b"\x81\x80abcd",  # a mask
        b"\x83\x00",  # an opcode that does not exist
        b"\x80\x00",  # goes on with nothing
        b"\x01\x00\x81\x00",  # begins before the last has ended
        b"\x09\x00",  # a ping in parts
        b"\x89\x7e\x00\x7e",  # a ping of 126 bytes
        b"\x81\x7f" + (MAX_BYTES + 1).to_bytes(8, "big"),
        b"\x01\x7f" + MAX_BYTES.to_bytes(8, "big") + bytes(MAX_BYTES) + b"\x80\x01a",
    ],
)
def test_what_no_server_may_send_ends_the_connection(sent: bytes) -> None:
    with pytest.raises(FrameError):
        list(FrameReader(MAX_BYTES).feed(sent))
