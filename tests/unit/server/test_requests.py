"""A request that is answered before its body has come: the connection goes on, or the client is told that it ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.types import Message
from trio.testing import wait_all_tasks_blocked

from kapture.errors import KaptureError
from kapture.server.admission import Refusal, identify_caller
from kapture.server.connections import Connection, Connections, TooManyConnectionsError, current_connection
from kapture.server.http import awaiting_bodies
from kapture.server.request_head import RequestHeadReader
from kapture.settings import Limits
from tests.support.patience import PATIENCE_S, until
from tests.unit.server.served import served, status

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
def test_malformed_request_is_refused(raw: bytes) -> None:
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


# A request that is answered before its body has come: the connection goes on, or the client is told that it ends.


CLOSE = (b"connection", b"close")


async def answered(headers: list[tuple[bytes, bytes]], receive: Callable[[], Any]) -> list[tuple[bytes, bytes]]:
    """The headers of the answer of an application that reads nothing."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await awaiting_bodies(PlainTextResponse("refused", 401))(scope, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return list(sent[0]["headers"])


async def test_a_body_that_comes_after_a_refusal_is_no_next_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kapture.server.http._AWAITED_S", PATIENCE_S)
    async with served(tmp_path) as there:
        await there.get("/mcp")  # whose modules are imported when first needed
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nAuthorization: Bearer wrong\r\n"
        second = f"GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nConnection: close\r\n\r\n"
        chunks = (f"{head}Content-Length: 4\r\n\r\n".encode(), b"bo", b"dy", second.encode())
        answer = await there.raw(*chunks, pause=0.05)
    refused, _, rest = answer.partition(b"HTTP/1.1 404")
    assert status(refused) == 401
    assert rest


async def test_a_connection_that_is_refused_takes_the_rest_of_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kapture.server.listener._CLOSE_S", PATIENCE_S)
    async with served(tmp_path) as there:
        head = b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 4\r\n\r\n"
        for _ in range(3):
            assert status(await there.raw(head, b"bo", b"dy", pause=0.02)) in (403, 421)


@pytest.mark.parametrize("header", [(b"content-length", b"4"), (b"transfer-encoding", b"chunked")])
async def test_missing_body_is_answered_with_connection_close(header: tuple[bytes, bytes], autojump_clock: Any) -> None:
    assert CLOSE in await answered([header], trio.sleep_forever)


async def test_a_body_without_end_is_read_for_64_kb() -> None:
    parts = 0

    async def endless() -> Message:
        nonlocal parts
        await trio.lowlevel.checkpoint()
        parts += 1
        return {"type": "http.request", "body": b"x" * 1_024, "more_body": True}

    assert CLOSE in await answered([(b"transfer-encoding", b"chunked")], endless)
    assert parts <= 64


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"0")]])
async def test_a_request_without_a_body_is_answered_at_once(headers: list[tuple[bytes, bytes]]) -> None:
    async def nothing_more() -> Message:
        raise AssertionError("nothing is awaited")

    assert CLOSE not in await answered(headers, nothing_more)


@pytest.mark.parametrize(
    "sent",
    [
        (b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\nab"),
        (b"Transfer-Encoding: chunked\r\n\r\n", b"not a size\r\n"),
        (b"Content-Length: 5\r\n\r\n", b"ab"),
    ],
    ids=["in mid-chunk", "malformed", "too short"],
)
async def test_a_body_that_is_cut_off_ends_its_connection_and_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, sent: tuple[bytes, bytes]
) -> None:
    async with served(tmp_path) as there:
        head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nAuthorization: Bearer {there.token}\r\n"
        async with await trio.open_tcp_stream("127.0.0.1", there.port) as stream:
            for part in (head.encode(), *sent):
                await stream.send_all(part)
            await stream.send_eof()
            with trio.fail_after(PATIENCE_S):
                assert status(await stream.receive_some()) == 400
                while await stream.receive_some():
                    pass

        async def is_over() -> bool:
            return len(there.listener.connections) == 0

        await until(is_over, "the end of the connection")
        assert there.hub.state.records.counters.refused_connections == 1
        assert [record.getMessage() for record in caplog.records if record.exc_info] == []
        assert b"200" in await there.get("/mcp", f"Authorization: Bearer {there.token}")


# How many connections there may be, and which one goes when there are too many.


LIMITS = Limits(connections=3, unproven_connections=2, unproven_idle_ms=5_000)


class Port:
    """Connections that stay open until they are closed from either side."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.connections = Connections(LIMITS)
        self.ended: list[str] = []
        self._nursery = nursery

    async def connect(self, name: str, *, proven: bool = False, serving: bool = False) -> Connection:
        connection: Connection = await self._nursery.start(self._serve, name)
        if proven:
            connection.prove()
        if serving:
            self._nursery.start_soon(self._request, connection)
        await wait_all_tasks_blocked()
        return connection

    async def _serve(self, name: str, *, task_status: trio.TaskStatus[Connection]) -> None:
        with self.connections.open() as connection:
            task_status.started(connection)
            await trio.sleep_forever()
        self.ended.append(name)

    async def _request(self, connection: Connection) -> None:
        with connection.serving():
            await trio.sleep_forever()


async def test_a_new_unproven_connection_replaces_the_oldest(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c", "d"):
            await port.connect(name)
        assert port.ended == ["a", "b"]
        assert len(port.connections) == 2
        nursery.cancel_scope.cancel()


async def test_no_number_of_unproven_connections_ends_a_proven_one(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("client", proven=True)
        for number in range(20):
            await port.connect(f"{number}")
        await port.connect("another client", proven=True)
        assert {"client", "another client"}.isdisjoint(port.ended)
        nursery.cancel_scope.cancel()


async def test_an_unproven_connection_that_serves_nothing_for_5_s_ends(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        idle, client = await port.connect("idle"), await port.connect("client")
        with idle.serving(), client.serving():
            await trio.sleep(60)  # a request may take longer
        client.prove()
        await trio.sleep(4.9)
        assert port.ended == []
        await trio.sleep(0.2)
        assert port.ended == ["idle"]
        await trio.sleep(3_600)
        assert port.ended == ["idle"], "a proven one may be idle"
        nursery.cancel_scope.cancel()


async def test_the_newest_proven_connection_gets_in_in_the_place_of_an_idle_one(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("busy", proven=True, serving=True)
        for name in ("b", "c", "d"):
            await port.connect(name, proven=True)
        assert port.ended == ["b"]
        nursery.cancel_scope.cancel()


async def test_a_proven_connection_too_many_ends_when_none_is_idle(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c"):
            await port.connect(name, proven=True, serving=True)
        more = await port.connect("d")
        with pytest.raises(TooManyConnectionsError) as failure:
            more.prove()
        assert failure.value.message == "The hub has 3 connections, as many as max_connections allows."
        assert "--max-connections" in failure.value.hint
        assert "KAPTURE_MAX_CONNECTIONS" in failure.value.hint
        assert port.ended == [], "it is told first"
        await trio.sleep(2)
        assert port.ended == ["d"]
        nursery.cancel_scope.cancel()


async def test_a_connection_too_many_that_asks_again_is_refused_again_and_counted(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        for name in ("a", "b", "c"):
            await port.connect(name, proven=True, serving=True)
        more = await port.connect("d")
        for _ in range(2):  # two requests over one connection
            with more.serving(), pytest.raises(TooManyConnectionsError):
                more.prove()
        assert not more.proven
        assert len(port.connections) == 4
        await trio.sleep(6)
        assert port.ended == ["d"]
        nursery.cancel_scope.cancel()


async def test_closing_all_spares_none(autojump_clock: trio.testing.MockClock) -> None:
    async with trio.open_nursery() as nursery:
        port = Port(nursery)
        await port.connect("a", proven=True, serving=True)
        await port.connect("b")
        port.connections.close_all()
        await wait_all_tasks_blocked()
        assert sorted(port.ended) == ["a", "b"]
        assert len(port.connections) == 0
        nursery.cancel_scope.cancel()


async def test_the_tasks_of_a_connection_know_it() -> None:
    connections = Connections(LIMITS)
    seen: list[Connection] = []
    with ExitStack() as stack:
        connection = stack.enter_context(connections.open())
        async with trio.open_nursery() as nursery:

            async def task() -> None:
                seen.append(current_connection())

            nursery.start_soon(task)
    assert seen == [connection]
