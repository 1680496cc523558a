"""MCP over a WebSocket, message by message."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.client.connection import ConnectionClosedError, HubConnection
from kapture.client.session_proof import SessionProof
from kapture.client.start import connected as connected_to_hub
from kapture.commands.core.answer import CallResult
from kapture.errors import InvalidParams
from kapture.mcp.options import Options
from kapture.mcp.resources import NOT_FOUND
from kapture.mcp.websocket import NoMessageError, message_of, serve_websocket
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.fake_hub_port import listening


def initialize(version: str = "2025-06-18", **capabilities: Any) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": {"name": "tester", "version": "1"},
    }


class Client:
    """A client that shows every message as it is."""

    def __init__(self, connection: HubConnection) -> None:
        self._connection = connection
        self._ids = 0

    async def send(self, method: str, params: Mapping[str, Any] | None = None, **fields: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, **fields}
        await self._connection.send(json.dumps(message if params is None else {**message, "params": params}).encode())

    async def reply(self, number: Any, **outcome: Any) -> None:
        await self._connection.send(json.dumps({"jsonrpc": "2.0", "id": number, **outcome}).encode())

    async def request(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        self._ids += 1
        await self.send(method, params or {}, id=self._ids)
        return self._ids

    async def next(self) -> dict[str, Any]:
        with trio.fail_after(20):
            message: dict[str, Any] = json.loads(await self._connection.receive())
        assert message.pop("jsonrpc") == "2.0"
        return message

    async def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        number = await self.request(method, params)
        answer = await self.next()
        assert answer["id"] == number
        return answer

    async def shake_hands(self, **capabilities: Any) -> None:
        await self.ask("initialize", initialize(**capabilities))
        await self.send("notifications/initialized")

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return await self.ask("tools/call", {"name": f"kapturemcp_{name}", "arguments": arguments})


@asynccontextmanager
async def connected(hub: FakeHub, home: Path) -> AsyncIterator[Client]:
    await trio.Path(home).mkdir(mode=0o700)
    async with listening(hub, home), connected_to_hub(home) as connection:
        yield Client(connection)


async def test_tools_are_listed_and_called_for_the_client_of_the_handshake(hub: FakeHub, tmp_path: Path) -> None:
    hub.connect_tab("t1")
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        listed = await client.ask("tools/list")
        assert "kapturemcp_snapshot" in {tool["name"] for tool in listed["result"]["tools"]}
        answer = await client.call("snapshot", tabId="t1")
        assert answer["result"]["content"][0]["type"] == "text"
        assert hub.calls[-1] == ("tester", "snapshot", {"tabId": "t1"})
        assert (await client.call("snapshot", tabId="t2"))["result"]["isError"] is True
        assert (await client.ask("ping"))["result"] == {}


async def test_a_cancelled_call_ends_its_command_and_is_not_answered(hub: FakeHub, tmp_path: Path) -> None:
    hub.connect_tab("t1")
    started = trio.Event()

    async def never(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        started.set()
        await trio.sleep_forever()
        raise AssertionError

    hub.behaviours["snapshot"] = never
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        number = await client.request("tools/call", {"name": "kapturemcp_snapshot", "arguments": {"tabId": "t1"}})
        await started.wait()
        await client.send("notifications/cancelled", {"requestId": number})
        assert (await client.ask("ping"))["result"] == {}
        assert hub.running == 0


async def test_progress_comes_only_to_those_who_asked(hub: FakeHub, tmp_path: Path) -> None:
    async def steps(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        await progress(1, 2, "half")
        return result("done")

    hub.connect_tab("t1")
    hub.behaviours["snapshot"] = steps
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        assert "result" in await client.call("snapshot", tabId="t1")
        params = {"name": "kapturemcp_snapshot", "arguments": {"tabId": "t1"}, "_meta": {"progressToken": "p"}}
        number = await client.request("tools/call", params)
        reported = {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
        assert await client.next() == {"method": "notifications/progress", "params": reported}
        assert (await client.next())["id"] == number


async def test_client_is_notified_of_each_event_once(hub: FakeHub, tmp_path: Path) -> None:
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        assert len((await client.ask("resources/list"))["result"]["resources"]) == 1
        await client.ask("logging/setLevel", {"level": "info"})
        hub.connect_tab("t1")
        log = {"level": "info", "logger": "kapture", "data": {"event": "tab_connected", "tabId": "t1"}}
        assert await client.next() == {"method": "notifications/resources/list_changed"}
        assert await client.next() == {"method": "notifications/message", "params": log}
        assert "result" in await client.call("snapshot", tabId="t1")
        assert (await client.ask("tools/call", {"arguments": {}}))["error"]["code"] == types.INVALID_PARAMS


async def test_tab_changes_are_sent_to_subscribers_only(hub: FakeHub, tmp_path: Path) -> None:
    hub.connect_tab("t1")
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        hub.emit("tab_changed", "t1")
        assert (await client.ask("resources/subscribe", {"uri": "kapture://tab/t1"}))["result"] == {}
        hub.emit("tab_changed", "t1")
        updated = {"method": "notifications/resources/updated", "params": {"uri": "kapture://tab/t1"}}
        assert await client.next() == updated
        assert (await client.ask("resources/unsubscribe", {"uri": "kapture://tab/t1"}))["result"] == {}
        hub.emit("tab_changed", "t1")
        assert (await client.ask("resources/subscribe", {"uri": "kapture://nothing"}))["error"]["code"] == NOT_FOUND
        hub.connect_tab("t2")
        assert await client.next() == {"method": "notifications/resources/list_changed"}


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        ({"result": {"action": "accept", "content": {"decision": "once"}}}, "once"),
        ({"result": {"action": "decline"}}, "deny"),
        ({"result": {"action": "cancel"}}, "None"),
        ({"error": {"code": -32601, "message": "What?"}}, "None"),
    ],
)
async def test_a_question_is_put_to_the_clients_person(
    hub: FakeHub, tmp_path: Path, outcome: Mapping[str, Any], verdict: str
) -> None:
    async def ask(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result(str(await client.elicit("May it?", "A click.")))

    hub.connect_tab("t1")
    hub.behaviours["snapshot"] = ask
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands(elicitation={})
        number = await client.request("tools/call", {"name": "kapturemcp_snapshot", "arguments": {"tabId": "t1"}})
        question = await client.next()
        assert question["method"] == "elicitation/create"
        assert question["params"]["message"] == "May it?\n\nA click."
        await client.reply(question["id"], **outcome)
        answer = await client.next()
        assert answer["id"] == number
        assert verdict in answer["result"]["content"][0]["text"]


async def test_question_of_cancelled_call_is_cancelled_by_its_id(hub: FakeHub, tmp_path: Path) -> None:
    async def ask(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result(str(await client.elicit("May it?", "A click.")))

    hub.connect_tab("t1")
    hub.behaviours["snapshot"] = ask
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands(elicitation={})
        number = await client.request("tools/call", {"name": "kapturemcp_snapshot", "arguments": {"tabId": "t1"}})
        question = await client.next()
        await client.send("notifications/cancelled", {"requestId": number})
        cancelled = await client.next()
        assert (cancelled["method"], cancelled["params"]["requestId"]) == ("notifications/cancelled", question["id"])


async def test_no_two_questions_have_the_same_id_even_of_two_hubs(hub: FakeHub, tmp_path: Path) -> None:
    async def ask(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result(str(await client.elicit("May it?", "A click.")))

    hub.connect_tab("t1")
    hub.behaviours["snapshot"] = ask
    ids = set()
    for name in ("one", "another"):
        async with connected(hub, tmp_path / name) as client:
            await client.shake_hands(elicitation={})
            for _ in range(2):
                await client.request("tools/call", {"name": "kapturemcp_snapshot", "arguments": {"tabId": "t1"}})
                ids.add((await client.next())["id"])
    assert len(ids) == 4


async def test_an_answer_that_is_no_json_ends_that_call_only(hub: FakeHub, tmp_path: Path) -> None:
    async def lone_surrogate(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("\ud800")

    hub.connect_tab("t1")
    hub.behaviours["snapshot"] = lone_surrogate
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        assert (await client.call("snapshot", tabId="t1"))["error"]["code"] == types.INTERNAL_ERROR
        assert (await client.ask("ping"))["result"] == {}


async def test_session_kept_under_a_name_needs_the_key(hub: FakeHub, tmp_path: Path) -> None:
    async def seen(query: str, proof: SessionProof | None) -> FakeClient:
        async with connected_to_hub(tmp_path, query, session=proof) as connection:
            await Client(connection).shake_hands()
            return hub.clients[-1]

    async with listening(hub, tmp_path):
        mine = await seen("keep=1", SessionProof("kapture call mine"))
        assert await seen("keep=1", SessionProof("kapture call mine")) is mine
        assert await seen("keep=1", SessionProof("guess")) is not mine
        with pytest.raises(ConnectionClosedError):
            await seen("keep=1", None)
        with pytest.raises(InvalidParams):
            await seen("keep=1&browser=work", SessionProof("kapture call mine"))


def test_a_hub_starts_without_what_is_slow_to_import() -> None:
    code = "import sys, kapture.cli.serve, kapture.server.server; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    slow = ("mcp", "mcp_types", "pydantic", "hypercorn", "starlette", "bs4", "markdownify", "cryptography", "keyring")
    assert [name for name in slow if name in loaded] == []


@pytest.mark.parametrize(
    ("fields", "answered"),
    [
        ({"id": 7, "params": "x"}, 7),
        ({"id": "a", "jsonrpc": "1.0"}, "a"),
        ({"id": None}, None),
        ({"id": 1.5}, None),
        ({"id": True}, None),
        ({"id": [1]}, None),
    ],
)
async def test_an_invalid_request_is_answered_with_its_id_so_that_nobody_waits_for_it(
    hub: FakeHub, tmp_path: Path, fields: dict[str, Any], answered: Any
) -> None:
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        await client.send("prompts/list", **fields)
        refusal = await client.next()
        assert (refusal["id"], refusal["error"]["code"]) == (answered, types.INVALID_REQUEST)


async def test_an_invalid_answer_is_not_taken_for_a_request(hub: FakeHub, tmp_path: Path) -> None:
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        await client.reply(1, result=5)
        assert (await client.next())["id"] is None


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"])
async def test_a_cursor_that_no_list_has_given_is_refused(hub: FakeHub, tmp_path: Path, method: str) -> None:
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        refusal = await client.ask(method, {"cursor": "2"})
        assert refusal["error"] == {"code": types.INVALID_PARAMS, "message": "There is no page '2': leave cursor out."}
        assert "result" in await client.ask(method, {})


async def test_a_client_whose_first_request_is_refused_can_begin_anew(hub: FakeHub, tmp_path: Path) -> None:
    async with connected(hub, tmp_path / "home") as client:
        assert (await client.ask("tools/list"))["error"]["code"] == types.INVALID_PARAMS
        assert (await client.ask("initialize", {}))["error"]["code"] == types.INVALID_PARAMS
        await client.shake_hands()
        assert "result" in await client.ask("tools/list")


ANSWER_BYTES = 1_000_000


class StuckSocket:
    """The hub's end of a client that sends what it is given and reads nothing until `reads` is set."""

    def __init__(self) -> None:
        self.sending, self._frames = trio.open_memory_channel[str](10_000)
        self.reads = trio.Event()
        self.begun = 0
        self.received: list[dict[str, Any]] = []

    def send(self, method: str, **fields: Any) -> None:
        self.sending.send_nowait(json.dumps({"jsonrpc": "2.0", "method": method, **fields}))

    async def get_message(self) -> str:
        return await self._frames.receive()

    async def send_message(self, message: str) -> None:
        self.begun += 1
        await self.reads.wait()
        self.received.append(json.loads(message))

    async def aclose(self, code: int = 1000, reason: str = "") -> None:
        pass


async def long_answer(client: FakeClient, arguments: Any, progress: Any) -> CallResult:
    return result("x" * ANSWER_BYTES)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "kapturemcp_status", "arguments": {}}),
        ("resources/read", {"uri": "kapture://tabs"}),
    ],
)
async def test_no_more_is_read_from_a_client_that_does_not_read(
    hub: FakeHub, method: str, params: dict[str, Any]
) -> None:
    hub.behaviours["status"] = hub.behaviours["list_tabs"] = long_answer
    socket = StuckSocket()
    socket.send("initialize", id=0, params=initialize())
    socket.send("notifications/initialized")
    for number in range(1, 201):
        socket.send(method, id=number, params=params)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        await hub.until(lambda: hub.clients)
        with trio.fail_after(60):
            while not hub.calls:
                await wait_all_tasks_blocked(0.01)
        await wait_all_tasks_blocked(0.1)
        assert len(hub.calls) < 10
        socket.reads.set()
        with trio.fail_after(60):
            while len(socket.received) < 201:
                await wait_all_tasks_blocked(0.01)
        nursery.cancel_scope.cancel()
    assert sorted(answer["id"] for answer in socket.received) == list(range(201))


async def test_cancelled_call_leaves_no_message_half_written_and_is_not_answered(hub: FakeHub) -> None:
    async def report(client: FakeClient, arguments: Any, progress: Any) -> CallResult:
        await progress(1, 2, "half of it")
        await trio.sleep_forever()
        raise AssertionError

    hub.behaviours["status"] = report
    socket = StuckSocket()
    socket.send("initialize", id=0, params=initialize())
    socket.send("notifications/initialized")
    call = {"name": "kapturemcp_status", "arguments": {}, "_meta": {"progressToken": 7}}
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        socket.send("tools/call", id=1, params=call)
        await wait_all_tasks_blocked()
        socket.send("notifications/cancelled", params={"requestId": 1})
        socket.send("ping", id=2)
        await wait_all_tasks_blocked()
        socket.reads.set()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert socket.begun == len(socket.received)
    assert [message.get("id", message.get("method")) for message in socket.received] == [0, 2]


async def test_half_a_character_in_a_call_is_a_replacement_character(hub: FakeHub) -> None:
    socket = StuckSocket()
    socket.reads.set()
    socket.send("initialize", id=0, params=initialize())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve_websocket, hub, socket, Options())  # type: ignore[arg-type]
        socket.send("tools/call", id=1, params={"name": "kapturemcp_status", "arguments": {"cut": "a\ud83d"}})
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert [message["id"] for message in socket.received] == [0, 1]
    assert [arguments for _client, _name, arguments in hub.calls] == [{"cut": "a\ufffd"}]


@pytest.mark.parametrize(
    ("frame", "code", "what"),
    [
        (b"{}", types.PARSE_ERROR, "binary"),
        ("", types.PARSE_ERROR, "not JSON"),
        ("[" * 100_000, types.PARSE_ERROR, "not JSON"),
        ('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', types.PARSE_ERROR, "not JSON"),
        ("[]", types.INVALID_REQUEST, "Batches"),
        ("7", types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1}', types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', types.INVALID_REQUEST, "not a JSON-RPC 2.0 message"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', types.INVALID_REQUEST, "string or an integer"),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', types.INVALID_REQUEST, "string or an integer"),
    ],
)
def test_malformed_message_is_refused_with_reason(frame: str | bytes, code: int, what: str) -> None:
    with pytest.raises(NoMessageError, match=what) as refused:
        message_of(frame)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":"ping"}', types.JSONRPCRequest),
        ('{"jsonrpc":"2.0","method":"x","params":{"a":1}}', types.JSONRPCNotification),
        ('{"jsonrpc":"2.0","id":"a","result":{}}', types.JSONRPCResponse),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', types.JSONRPCError),
    ],
)
def test_a_message_is_what_it_says(frame: str, kind: type) -> None:
    assert isinstance(message_of(frame), kind)


def test_malformed_messages_take_no_more_memory_than_one() -> None:
    members = ",".join(f'"k{number}":[]' for number in range(20_000))
    peaks = []
    for frame in (f'{{"jsonrpc":"2.0","id":1,"result":{{{members}}}}}', f"{{{members}}}"):
        tracemalloc.start()
        try:
            message_of(frame)
        except NoMessageError:
            pass
        finally:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
