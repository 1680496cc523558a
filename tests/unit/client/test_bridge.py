from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketRequest, wrap_server_stream

import kapture.commands.console  # noqa: F401  registers a command
from kapture.client import bridge as bridge_module
from kapture.client.bridge import Bridge
from kapture.client.connection import HubAbsentError, connect
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.pairing import Pairing
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.fake_hub_port import Stdio, listening

INITIALIZE = (
    b'{ "jsonrpc":"2.0", "id":0, "method":"initialize", "params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"tester","version":"1"}} }'
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def request(request_id: Any, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


def call(request_id: Any, **arguments: Any) -> bytes:
    return request(request_id, "tools/call", name="kapturemcp_logs", arguments=arguments)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def _never_start_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(home: Path, query: str = "") -> Any:
        try:
            return await connect(home, query)
        except HubAbsentError as error:
            raise KaptureError(ErrorCode.NO_BACKEND, "The hub ended at once.", hint="Run kapture doctor.") from error

    monkeypatch.setattr(bridge_module, "connect_or_start", refuse)


@asynccontextmanager
async def bridged(home: Path) -> AsyncIterator[Stdio]:
    stdio = Stdio()
    left = trio.Event()

    async def run() -> None:
        await Bridge(home, "", stdio).run()
        left.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        yield stdio
        stdio.close()
        with trio.fail_after(30):
            await left.wait()  # by itself, because its client has closed its end


async def shake_hands(stdio: Stdio) -> Any:
    await stdio.say(INITIALIZE + b"\n" + INITIALIZED + b"\n")
    return await stdio.hear_json()


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


async def test_a_message_may_come_in_pieces_and_two_in_one(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home), bridged(home) as stdio:
        for byte in INITIALIZE[:20]:
            await stdio.say(bytes([byte]))
        await stdio.say(INITIALIZE[20:] + b"\n" + INITIALIZED + b"\n" + request(1, "ping") + b"\n" + request(2, "ping"))
        await stdio.say(b"\n")
        assert {(await stdio.hear_json())["id"] for _ in range(3)} == {0, 1, 2}


async def test_lines_that_come_while_the_hub_is_connected_to_keep_their_order(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home), bridged(home) as stdio:
        lines = [INITIALIZE, INITIALIZED, *(request(number, "ping") for number in range(1, 31))]
        await stdio.say(b"\n".join(lines) + b"\n")
        assert [(await stdio.hear_json())["id"] for _ in range(31)] == list(range(31))


async def test_a_large_message_passes_both_ways(home: Path, hub: FakeHub) -> None:
    text = "é" * 5_000_000

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


async def test_a_program_that_squats_on_the_port_receives_nothing_from_the_client(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home, prove=False):
        with pytest.raises(KaptureError) as error:
            await connect(home)
    assert error.value.code is ErrorCode.UNAUTHORIZED
    assert hub.clients == []


async def test_a_query_that_the_hub_refuses_is_an_error(home: Path, hub: FakeHub) -> None:
    async with listening(hub, home):
        with pytest.raises(KaptureError) as error:
            await connect(home, "profile=maximal")
    assert error.value.code is ErrorCode.INVALID_PARAMS
    assert "maximal" in str(error.value)


@asynccontextmanager
async def bridged_after_restart(home: Path, hub: FakeHub) -> AsyncIterator[Any]:
    """A bridge, its client's pipes, and a function that puts a new hub in the place of the old one."""
    async with trio.open_nursery() as nursery:
        end = trio.Event()

        async def run_hub(
            hub: FakeHub, ended: trio.Event, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
        ) -> None:
            async with listening(hub, home):
                task_status.started()
                await ended.wait()

        await nursery.start(run_hub, hub, end)

        async def restart() -> FakeHub:
            end.set()
            await hub.until(lambda: not hub.clients)
            later = FakeHub()
            await nursery.start(run_hub, later, trio.Event())
            return later

        async with bridged(home) as stdio:
            yield stdio, restart
        nursery.cancel_scope.cancel()
