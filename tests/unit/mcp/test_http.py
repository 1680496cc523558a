"""How long a session over Streamable HTTP lives, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs
import pytest
import trio
from starlette.requests import ClientDisconnect

import kapture.commands  # noqa: F401  registers the commands
from kapture.mcp.http_body import read_body, too_long
from kapture.mcp.notifier import Notifier
from kapture.mcp.streamable_http import StreamableHttp
from tests.support.fake_hub import FakeHub

PORT = 61822
IDLE_MS = 60_000
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}},
}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@attrs.frozen
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


async def _at_once() -> None:
    await trio.lowlevel.checkpoint()


async def request(
    app: Any,
    message: Mapping[str, Any] | None,
    method: str = "POST",
    take: Callable[[], Awaitable[None]] = _at_once,
    /,
    **headers: str,
) -> Answer:
    """One request, straight to the ASGI application. `take` is awaited before a part of the answer is taken."""
    sent = {
        "host": f"127.0.0.1:{PORT}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    fields = {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "path": "/mcp",
        "raw_path": b"/mcp",
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT),
    }
    body = [{"type": "http.request", "body": json.dumps(message).encode() if message else b"", "more_body": False}]
    started: dict[str, Any] = {}
    received = bytearray()
    ended = trio.Event()

    async def receive() -> Any:
        if body:
            return body.pop()
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(part: Any) -> None:
        await take()
        if part["type"] == "http.response.start":
            started.update(part)
        else:
            received.extend(part.get("body", b""))
            if not part.get("more_body"):
                ended.set()

    await app(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in started["headers"]}
    return Answer(started["status"], found, bytes(received))


async def test_a_session_ends_when_it_has_served_nothing_for_its_idle_time(
    hub: FakeHub, autojump_clock: trio.testing.MockClock
) -> None:
    http = StreamableHttp(hub, port=PORT, idle_ms=IDLE_MS)  # type: ignore[arg-type]
    async with http.run():
        opened = await request(http, INITIALIZE)
        session = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        for _ in range(3):
            await trio.sleep(0.9 * IDLE_MS / 1_000)
            assert (await request(http, ping, **session)).status == 200, "each request starts the time anew"
        assert [client.name for client in hub.clients] == ["tester"]
        await trio.sleep(1.1 * IDLE_MS / 1_000)
        assert hub.clients == []
        gone = await request(http, ping, **session)
        assert (gone.status, b"new session" in gone.body) == (404, True)


@pytest.mark.parametrize("ended", [True, False])
async def test_initialize_starts_a_session_whatever_session_id_comes_with_it(hub: FakeHub, ended: bool) -> None:
    http = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with http.run():
        first = (await request(http, INITIALIZE)).headers["mcp-session-id"]
        if ended:
            assert (await request(http, None, "DELETE", mcp_session_id=first)).status == 200
        for old in (first, "never-was", ""):
            again = await request(http, INITIALIZE, mcp_session_id=old, mcp_protocol_version="2025-06-18")
            assert again.status == 200
            assert again.headers["mcp-session-id"] not in (old, first)


async def test_a_session_that_serves_a_long_call_is_not_idle(
    hub: FakeHub, autojump_clock: trio.testing.MockClock
) -> None:
    async def slow(client: Any, arguments: Any, progress: Any) -> Any:
        await trio.sleep(5 * IDLE_MS / 1_000)
        return await hub.call(client, "list_tabs", {})

    hub.behaviours["status"] = slow
    http = StreamableHttp(hub, port=PORT, idle_ms=IDLE_MS)  # type: ignore[arg-type]
    async with http.run():
        opened = await request(http, INITIALIZE)
        session = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kapturemcp_status"}}
        assert b"list_tabs done" in (await request(http, call, **session)).body


def _initialize(name: str) -> dict[str, Any]:
    return {**INITIALIZE, "params": {**INITIALIZE["params"], "clientInfo": {"name": name, "version": "1"}}}  # type: ignore[dict-item]


async def _is_there(http: StreamableHttp, opened: Answer) -> bool:
    session = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
    return (await request(http, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **session)).status == 200


@pytest.mark.parametrize("names", [["flood"], [f"flood{number}" for number in range(9)]], ids=["one", "many"])
async def test_a_client_with_many_sessions_keeps_no_other_client_out(
    hub: FakeHub, autojump_clock: trio.testing.MockClock, names: list[str]
) -> None:
    http = StreamableHttp(hub, port=PORT, idle_ms=IDLE_MS, max_sessions=8)  # type: ignore[arg-type]
    async with http.run():
        flood = []
        for number in range(12):
            flood.append(await request(http, _initialize(names[number % len(names)])))
            await trio.sleep(0.1)
        others = [await request(http, INITIALIZE)]
        await trio.sleep(0.1)
        for _ in range(3):
            flood.append(await request(http, _initialize(names[0])))
            await trio.sleep(0.1)
        assert {answer.status for answer in (*flood, *others)} == {200}
        assert await _is_there(http, others[0])
        assert await _is_there(http, flood[-1])
        assert not await _is_there(http, flood[0]), "the longest idle one goes first"
        assert len(hub.clients) == 8


async def test_a_session_with_a_running_call_is_the_last_to_go(
    hub: FakeHub, autojump_clock: trio.testing.MockClock
) -> None:
    async def slow(client: Any, arguments: Any, progress: Any) -> Any:
        await trio.sleep(IDLE_MS / 1_000)
        return await hub.call(client, "list_tabs", {})

    hub.behaviours["status"] = slow
    http = StreamableHttp(hub, port=PORT, max_sessions=4)  # type: ignore[arg-type]
    async with http.run(), trio.open_nursery() as nursery:
        opened = await request(http, INITIALIZE)
        session = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
        answers = []

        async def call() -> None:
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kapturemcp_status"}}
            answers.append(await request(http, message, **session))

        nursery.start_soon(call)
        await trio.sleep(1)
        for _ in range(6):
            await request(http, INITIALIZE)
    assert b"list_tabs done" in answers[0].body


async def test_clients_without_sessions_are_forgotten_when_idle(
    hub: FakeHub, autojump_clock: trio.testing.MockClock
) -> None:
    http = StreamableHttp(hub, port=PORT, idle_ms=IDLE_MS)  # type: ignore[arg-type]
    async with http.run():
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "kapturemcp_list_tabs", "arguments": {}, "_meta": ENVELOPE},
        }
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "kapturemcp_list_tabs"}
        answer = await request(http, call, **headers)
        assert answer.status == 200, answer.body
        assert [client.name for client in hub.clients] == ["modern"]
        await trio.sleep(1.1 * IDLE_MS / 1_000)
        assert hub.clients == []


async def test_a_session_ends_when_it_has_passed_on_what_it_has_accepted(
    hub: FakeHub, nursery: trio.Nursery, caplog: pytest.LogCaptureFixture
) -> None:
    http = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with http.run():
        opened = await request(http, INITIALIZE)
        session = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": "2025-06-18"}
        taken = trio.Event()
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        nursery.start_soon(lambda: request(http, initialized, "POST", taken.wait, **session))
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(lambda: request(http, None, "DELETE", **session))
        await trio.testing.wait_all_tasks_blocked()
        taken.set()
        await trio.testing.wait_all_tasks_blocked()
        assert (await request(http, initialized, **session)).status == 404
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_requests_end_when_their_session_fails(
    hub: FakeHub, nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    async def never(client: Any, arguments: Any, progress: Any) -> Any:
        await trio.sleep_forever()

    fails = trio.Event()

    async def run(notifier: Notifier) -> None:
        await fails.wait()
        raise ZeroDivisionError

    monkeypatch.setattr(Notifier, "run", run)
    hub.behaviours["status"] = never
    http = StreamableHttp(hub, port=PORT)  # type: ignore[arg-type]
    async with http.run():
        params: dict[str, Any] = {"name": "kapturemcp_status", "arguments": {}}
        if version == "2025-06-18":
            opened = await request(http, INITIALIZE)
            headers = {"mcp_session_id": opened.headers["mcp-session-id"], "mcp_protocol_version": version}
        else:
            params["_meta"] = ENVELOPE
            headers = {"mcp_protocol_version": version, "mcp_method": "tools/call", "mcp_name": "kapturemcp_status"}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        nursery.start_soon(_after_all_wait, fails)
        with trio.fail_after(30):
            answer = await request(http, call, **headers)
        assert b'"result"' not in answer.body
        assert hub.clients == []


async def _after_all_wait(event: trio.Event) -> None:
    await trio.testing.wait_all_tasks_blocked()
    event.set()


# Bodies that the SDK would take for something else, and the body that is read twice.


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


async def test_second_request_with_same_id_is_refused_and_first_is_answered(hub: FakeHub) -> None:
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
async def test_body_other_than_utf_8_is_left_unchanged(body: bytes) -> None:
    async def receive() -> Any:
        return {"type": "http.request", "body": body}

    assert (await read_body(receive, 100))[0] == body


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("101", True), ("9" * 5_000, True), ("100", False), ("", False), ("-1", False), ("x", False)],
)
def test_a_body_that_is_declared_too_long_is_not_waited_for(declared: str, expected: bool) -> None:
    assert too_long(declared, 100) is expected


async def test_rest_of_oversized_body_is_left_unread() -> None:
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
