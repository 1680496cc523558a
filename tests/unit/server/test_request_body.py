"""A request that is answered before its body has come: the connection goes on, or the client is told that it ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.responses import PlainTextResponse
from starlette.types import Message

from kapture.server.http import awaiting_bodies
from tests.support.patience import PATIENCE_S, until
from tests.unit.server.served import served, status

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
async def test_where_the_body_does_not_come_the_answer_says_that_the_connection_ends(
    header: tuple[bytes, bytes], autojump_clock: Any
) -> None:
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
