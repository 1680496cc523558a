"""Clients of the handshake era on a WebSocket: what is answered without the SDK, and what it answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
import trio
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from kapture.client.connection import HubConnection
from kapture.client.start import connected as connected_to_hub
from kapture.commands.core.result import CallResult
from kapture.mcp.options import Options
from kapture.mcp.resources import NOT_FOUND
from kapture.mcp.session import open_session
from kapture.mcp.session_without_sdk import VERSIONS
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


async def answer_of_sdk(hub: FakeHub, params: Mapping[str, Any]) -> dict[str, Any]:
    to_server, from_client = anyio.create_memory_object_stream[Any](0)
    to_client, from_server = anyio.create_memory_object_stream[Any](0)
    async with open_session(hub, Options(), "websocket") as session, trio.open_nursery() as nursery:  # type: ignore[arg-type]
        options = session.server.create_initialization_options()
        nursery.start_soon(session.server.run, from_client, to_client, options)
        request = types.JSONRPCRequest(jsonrpc="2.0", id=1, method="initialize", params=dict(params))
        await to_server.send(SessionMessage(request))
        answer: dict[str, Any] = (await from_server.receive()).message.result
        nursery.cancel_scope.cancel()
    return answer


@pytest.mark.parametrize("version", [*VERSIONS, "1999-01-01"])
async def test_a_handshake_is_answered_as_the_sdk_answers_it(hub: FakeHub, tmp_path: Path, version: str) -> None:
    async with connected(hub, tmp_path / "home") as client:
        answer = await client.ask("initialize", initialize(version))
    assert answer["result"] == await answer_of_sdk(hub, initialize(version))


def test_every_version_with_a_handshake_is_known() -> None:
    assert set(VERSIONS) == set(HANDSHAKE_PROTOCOL_VERSIONS)


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


async def test_the_sdk_answers_the_rest_and_nobody_is_notified_twice(hub: FakeHub, tmp_path: Path) -> None:
    async with connected(hub, tmp_path / "home") as client:
        await client.shake_hands()
        assert len((await client.ask("resources/list"))["result"]["resources"]) == 1
        assert len(hub.clients) == 1, "the SDK serves the same client"
        await client.ask("logging/setLevel", {"level": "info"})
        hub.connect_tab("t1")
        log = {"level": "info", "logger": "kapture", "data": {"event": "tab_connected", "tabId": "t1"}}
        assert await client.next() == {"method": "notifications/resources/list_changed"}
        assert await client.next() == {"method": "notifications/message", "params": log}
        assert "result" in await client.call("snapshot", tabId="t1")
        assert (await client.ask("tools/call", {"arguments": {}}))["error"]["code"] == types.INVALID_PARAMS


async def test_what_a_tab_shows_is_news_for_subscribers_only(hub: FakeHub, tmp_path: Path) -> None:
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
        assert (await client.ask("tools/list"))["error"]["code"] == types.INVALID_REQUEST
        assert (await client.ask("initialize", {}))["error"]["code"] == types.INVALID_PARAMS
        await client.shake_hands()
        assert "result" in await client.ask("tools/list")
