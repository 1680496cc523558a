"""A hub that restarts, or is not there: every request of the client is answered, and the client can go on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketRequest, wrap_server_stream

import kapture.commands.console  # noqa: F401  registers a command
from kapture.client import bridge as bridge_module
from kapture.client.connection import ConnectionClosedError, HubAbsentError
from kapture.commands.core.answer import CallResult
from kapture.pairing import Pairing
from tests.support.fake_hub import FakeClient, FakeHub
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

    async def once(nursery: trio.Nursery, home: Path, query: str = "") -> Any:
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
