"""The bridge passes messages on between a client's pipes and the hub."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketRequest, wrap_server_stream

import kapture.commands.console  # noqa: F401  registers a command
from kapture.client import bridge as bridge_module
from kapture.client.client_state import ClientState
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.commands.core.answer import CallResult
from kapture.pairing import Pairing
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.fake_hub_port import listening
from tests.unit.client.bridged import (
    INITIALIZE,
    INITIALIZED,
    bridged,
    bridged_after_restart,
    call,
    request,
    shake_hands,
)

pytestmark = pytest.mark.usefixtures("no_hub_starts")


async def test_a_client_is_served_through_the_bridge(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home):
        hub.connect_tab("t1")
        async with bridged(home) as stdio:
            answer = await shake_hands(stdio)
            assert answer["id"] == 0
            assert answer["result"]["protocolVersion"] == "2025-06-18"
            await stdio.say(call("a", tabId="t1") + b"\r\n")
            assert (await stdio.hear_json())["id"] == "a"
            assert [(c.name, c.kind) for c in hub.clients] == [("tester", "stdio")]
        await hub.until(lambda: not hub.clients)


async def test_a_large_message_passes_both_ways(home: Path, hub: FakeHub) -> None:
    text = "é" * 1_000_000

    async def echo(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result(arguments["text"], untrusted=False)

    hub.behaviours["logs"] = echo
    hub.connect_tab("t1")
    async with listening(hub, home), bridged(home) as stdio:
        await shake_hands(stdio)
        message = call(1, tabId="t1", text=text) + b"\n"
        for start in range(0, len(message), 1_000_000):
            await stdio.say(message[start : start + 1_000_000])
        answer = await stdio.hear_json()
    assert answer["result"]["content"][0]["text"] == text


async def test_a_line_that_is_no_message_gets_an_error_and_harms_nothing(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home), bridged(home) as stdio:
        await shake_hands(stdio)
        await stdio.say(b"\xff\xfe\n\n  \n{]\n[1]\n")
        codes = [(await stdio.hear_json())["error"]["code"] for _ in range(3)]
        assert codes == [-32700, -32700, -32600]
        await stdio.say(request(5, "ping") + b"\n")
        assert (await stdio.hear_json())["id"] == 5


# A hub that restarts, or is not there: every request of the client is answered, and the client can go on.


async def test_requests_in_flight_at_a_restart_are_answered_and_the_client_continues(home: Path, hub: FakeHub) -> None:
    started = trio.Event()

    async def hang(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        started.set()
        await trio.sleep_forever()
        raise AssertionError

    hub.behaviours["logs"] = hang
    hub.connect_tab("t1")
    async with bridged_after_restart(home, hub) as (stdio, restart):
        await shake_hands(stdio)
        await stdio.say(call("lost", tabId="t1") + b"\n")
        await started.wait()
        later = await restart()
        lost = await stdio.hear_json()
        assert lost["id"] == "lost"
        assert "restarted" in lost["error"]["message"]
        changed = {(await stdio.hear_json())["method"] for _ in range(2)}
        assert changed == {"notifications/tools/list_changed", "notifications/resources/list_changed"}
        later.connect_tab("t1")
        await stdio.say(call("next", tabId="t1") + b"\n")
        while (answer := await stdio.hear_json()).get("id") != "next":
            assert "method" in answer
        assert "result" in answer
        assert [client.name for client in later.clients] == ["tester"]


async def test_a_new_hub_gets_the_log_level_and_subscriptions(home: Path, hub: FakeHub) -> None:
    async with bridged_after_restart(home, hub) as (stdio, restart):
        await shake_hands(stdio)
        await stdio.say(request(1, "logging/setLevel", level="info") + b"\n")
        await stdio.say(request(2, "resources/subscribe", uri="kapture://tab/a") + b"\n")
        await stdio.say(request(3, "resources/subscribe", uri="kapture://tab/b") + b"\n")
        await stdio.say(request(4, "resources/unsubscribe", uri="kapture://tab/a") + b"\n")
        assert {(await stdio.hear_json())["id"] for _ in range(4)} == {1, 2, 3, 4}
        later = await restart()
        for _ in range(2):
            assert "list_changed" in (await stdio.hear_json())["method"]
        await later.until(lambda: later.listeners)
        await stdio.say(request(5, "ping") + b"\n")
        assert (await stdio.hear_json())["id"] == 5
        later.connect_tab("a")
        later.connect_tab("b")
        heard: list[dict[str, Any]] = []
        while sum(message["method"] == "notifications/message" for message in heard) < 2:
            heard.append(await stdio.hear_json())
    updated = [m["params"]["uri"] for m in heard if m["method"] == "notifications/resources/updated"]
    levels = [m["params"]["level"] for m in heard if m["method"] == "notifications/message"]
    assert updated == ["kapture://tab/b"]
    assert levels == ["info", "info"]


async def test_a_handshake_that_the_restart_interrupted_is_made_again(home: Path, hub: FakeHub) -> None:
    pairing = Pairing(home)
    heard = trio.Event()

    async def die_on_the_first_message(stream: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            request: WebSocketRequest = await wrap_server_stream(nursery, stream)
            nonce = dict(request.headers)[b"kapture-nonce"].decode()
            socket = await request.accept(extra_headers=[(b"Kapture-Proof", pairing.client_proof(nonce).encode())])
            await socket.get_message()
            await socket.send_message('{"type":"authenticated"}')
            await socket.get_message()
            nursery.cancel_scope.cancel()
        await trio.aclose_forcefully(stream)
        heard.set()

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        pairing.write_key_file(listeners[0].socket.getsockname()[1])
        nursery.start_soon(trio.serve_listeners, die_on_the_first_message, listeners)
        async with bridged(home) as stdio:
            await stdio.say(INITIALIZE + b"\n" + INITIALIZED + b"\n")
            await heard.wait()
            async with listening(hub, home):
                answer = await stdio.hear_json()
                assert (answer["id"], answer["result"]["serverInfo"]["name"]) == (0, "kapture")
                await stdio.say(request(1, "ping") + b"\n")
                assert (await stdio.hear_json())["id"] == 1
        nursery.cancel_scope.cancel()


async def test_without_a_hub_the_client_gets_the_reason_and_may_try_again(home: Path, hub: FakeHub) -> None:
    async with bridged(home) as stdio:
        await stdio.say(INITIALIZE + b"\n")
        refused = await stdio.hear_json()
        assert refused["id"] == 0
        assert "kapture doctor" in refused["error"]["message"]
        async with listening(hub, home):
            await stdio.say(INITIALIZE + b"\n" + INITIALIZED + b"\n")
            while "result" not in (answer := await stdio.hear_json()):
                assert answer["error"]["code"] == -32000  # the line that it was told about by is answered too
                await stdio.say(INITIALIZE + b"\n")
            stdio.close()


class _LastWords:
    """A connection to a hub that answers a call, and is lost in the same moment to whoever sends."""

    def __init__(self) -> None:
        self._sent: list[bytes] = []
        self._answered = trio.Event()

    async def send(self, line: bytes) -> None:
        self._sent.append(line)
        if len(self._sent) == 2:
            self._answered.set()
            raise ConnectionClosedError

    async def receive(self) -> bytes:
        await self._answered.wait()
        self._answered = trio.Event()
        return b'{"jsonrpc":"2.0","id":1,"result":{}}'

    async def aclose(self) -> None:
        pass


async def test_an_answer_that_arrives_as_the_hub_is_lost_reaches_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections = iter([_LastWords()])

    async def once(nursery: trio.Nursery, home: Path, query: str, session: str) -> Any:
        for connection in connections:
            return connection
        raise HubAbsentError

    monkeypatch.setattr(bridge_module, "connect_or_start", once)
    monkeypatch.setattr(bridge_module, "connect", once)
    async with bridged(tmp_path) as stdio:
        await stdio.say(call(1) + b"\n" + call(2) + b"\n")
        heard = [await stdio.hear_json() for _ in range(2)]
    assert [message["id"] for message in heard] == [1, 2]
    assert "result" in heard[0]
    assert "error" in heard[1]


# What outlives a hub, message by message.


def message(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


INITIALIZE_CLIENT_STATE = message(id=0, method="initialize", params={})
INITIALIZED_CLIENT_STATE = message(method="notifications/initialized")


def connected() -> ClientState:
    state = ClientState()
    state.from_client(INITIALIZE_CLIENT_STATE)
    state.from_hub(message(id=0, result={}))
    state.from_client(INITIALIZED_CLIENT_STATE)
    return state


def test_an_unanswered_request_is_answered_with_an_error_when_the_hub_is_lost() -> None:
    state = connected()
    state.from_client(message(id=1, method="tools/call", params={}))
    state.from_client(message(id=2, method="tools/call", params={}))
    state.from_hub(message(id=1, result={}))
    lost = [json.loads(one) for one in state.hub_lost()]
    assert [one["id"] for one in lost] == [2]
    assert "restarted during tools/call" in lost[0]["error"]["message"]
    assert state.waiting == ()


def test_a_lost_handshake_is_repeated_three_times_and_then_an_error() -> None:
    state = ClientState()
    state.from_client(INITIALIZE_CLIENT_STATE)
    for _ in range(3):
        assert list(state.hub_lost()) == []
        assert state.handshake == INITIALIZE_CLIENT_STATE
        assert state.handshake_waits
    (error,) = state.hub_lost()
    assert json.loads(error)["id"] == 0
    assert state.handshake is None


def test_questions_of_a_lost_hub_are_cancelled_and_their_answers_reach_no_other() -> None:
    state = connected()
    state.from_hub(message(id="q", method="elicitation/create", params={}))
    (cancelled,) = (json.loads(one) for one in state.hub_lost())
    assert cancelled["params"]["requestId"] == "q"
    assert not state.from_client(message(id="q", result={}))
    assert state.from_client(message(id="q", result={})), "the id may be used again by the next hub"


def test_a_new_hub_gets_the_settings_and_the_client_none_of_its_answers_to_them() -> None:
    state = connected()
    level = message(id=1, method="logging/setLevel", params={"level": "info"})
    kept = message(id=2, method="resources/subscribe", params={"uri": "kapture://tab/a"})
    dropped = message(id=3, method="resources/subscribe", params={"uri": "kapture://tab/b"})
    for line in (level, kept, dropped):
        state.from_client(line)
    state.from_client(message(id=4, method="resources/unsubscribe", params={"uri": "kapture://tab/b"}))
    for number in (1, 2, 3, 4):
        assert state.from_hub(message(id=number, result={}))
    list(state.hub_lost())
    assert list(state.replay()) == [INITIALIZED_CLIENT_STATE, level, kept]
    assert not state.from_hub(message(id=1, result={}))
    assert not state.from_hub(message(id=2, result={}))
    assert state.from_hub(message(id=2, result={})), "a second answer is not one to a repeated request"
