"""Bodies that the SDK would take for something else, and the body that is read twice."""

from __future__ import annotations

import json
from typing import Any

import pytest
import trio
from starlette.requests import ClientDisconnect

from kapture.mcp.http_body import read_body, too_long
from kapture.mcp.streamable_http import StreamableHttp
from tests.support.fake_hub import FakeHub
from tests.unit.mcp.test_streamable_http import INITIALIZE, PORT, request

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({**PING, "id": None}, "The id of a request must be a string or an integer."),
        ({**PING, "id": 1.5}, "The id of a request must be a string or an integer."),
        ({**PING, "id": True}, "The id of a request must be a string or an integer."),
        ({**PING, "id": {}}, "The id of a request must be a string or an integer."),
        ([PING, {**PING, "id": 2}], "Batches are not supported: send each message by itself."),
    ],
)
async def test_a_request_that_would_never_be_answered_is_refused(hub: FakeHub, message: Any, problem: str) -> None:
    app = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with app.run():
        session = (await request(app, INITIALIZE)).headers["mcp-session-id"]
        refused = await request(app, message, mcp_session_id=session)
        assert (refused.status, json.loads(refused.body)["error"]["message"]) == (400, problem)
        assert (await request(app, PING, mcp_session_id=session)).status == 200
        notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await request(app, notification, mcp_session_id=session)).status == 202


async def test_of_two_requests_with_one_id_the_second_is_refused_and_the_first_answered(hub: FakeHub) -> None:
    release = trio.Event()
    began = trio.Event()

    async def slow(client: Any, arguments: Any, progress: Any) -> Any:
        began.set()
        await release.wait()
        return await hub.call(client, "list_tabs", {})

    hub.behaviours["status"] = slow
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "kapturemcp_status"}}
    answers: list[Any] = []
    app = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with app.run():
        session = {"mcp_session_id": (await request(app, INITIALIZE)).headers["mcp-session-id"]}

        async def first() -> None:
            answers.append(await request(app, call, **session))

        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(first)
                await began.wait()
                for same in (7, "7"):
                    refused = await request(app, {**PING, "id": same}, **session)
                    assert refused.status == 400
                    assert "still being served" in json.loads(refused.body)["error"]["message"]
                assert (await request(app, {**PING, "id": 8}, **session)).status == 200
                release.set()
            assert b"list_tabs done" in answers[0].body
            assert (await request(app, {**PING, "id": 7}, **session)).status == 200


async def test_a_request_with_half_a_character_is_answered_under_its_id(hub: FakeHub) -> None:
    given: list[Any] = []

    async def evaluate(client: Any, arguments: Any, progress: Any) -> Any:
        given.append(arguments["code"])
        return await hub.call(client, "list_tabs", {})

    hub.behaviours["evaluate"] = evaluate
    app = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with app.run():
        session = (await request(app, INITIALIZE)).headers["mcp-session-id"]
        params = {"name": "kapturemcp_evaluate", "arguments": {"code": "'\ud83d' + '\U0001f600' + '\\ud83d'"}}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        answer = await request(app, call, mcp_session_id=session)
    assert answer.status == 200
    assert b'"id":7' in answer.body
    assert given == ["'\ufffd' + '\U0001f600' + '\\ud83d'"]


@pytest.mark.parametrize("body", [b'{"a": "\\ud83d\xff"}', b'{"a": "\xed\xa0\xbd"}'])
async def test_what_is_not_utf_8_is_left_as_it_is(body: bytes) -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": body}

    assert (await read_body(receive, 100))[0] == body


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("101", True), ("9" * 5_000, True), ("100", False), ("", False), ("-1", False), ("x", False)],
)
def test_a_body_that_is_declared_too_long_is_not_waited_for(declared: str, expected: bool) -> None:
    assert too_long(declared, 100) is expected


async def test_of_a_body_that_is_too_long_the_rest_is_left_to_be_read() -> None:
    chunks = [{"type": "http.request", "body": b"x" * 40, "more_body": number < 4} for number in range(5)]
    left = iter(chunks)

    async def receive() -> Any:
        return next(left)

    body, again = await read_body(receive, 100)
    assert len(body) == 120
    assert next(left) is chunks[3]
    assert [await again() for _ in range(4)] == [*chunks[:3], chunks[4]]


async def test_a_body_that_is_cut_off_is_given_to_nobody() -> None:
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return messages.pop(0)

    with pytest.raises(ClientDisconnect):
        await read_body(receive, 100)
