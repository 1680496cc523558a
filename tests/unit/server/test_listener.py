"""The port itself, with raw sockets: who gets in, who is refused, and what no connection can do to another."""

from __future__ import annotations

import base64
import errno
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import attrs
import mcp_types as types
import pytest
import trio
from mcp.shared.exceptions import MCPError
from trio.testing import MockClock
from trio_websocket import ConnectionClosed, ConnectionRejected

from kapture.cli.serve import serve
from kapture.mcp import session
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import Options
from kapture.mcp.profiles import Profile, profile_of
from kapture.mcp.progress import Reporter
from kapture.mcp.tool import PlannedCall, Tool
from kapture.server.listener import PatientListener, open_port, port_of
from kapture.settings import Limits, Settings
from tests.support.forked import ForkedProcess
from tests.support.mcp_transports import ERAS, TRANSPORTS, connect
from tests.support.stack import HubProcess, text_of
from tests.unit.server.served import drained, register, served, status


async def test_only_loopback_is_listened_on(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        addresses = {sock[4][0] for sock in _listening(there.port)}
        assert addresses <= {"127.0.0.1", "::1"}
        assert "127.0.0.1" in addresses


def _listening(port: int) -> list[Any]:
    found = []
    for name, family in (("tcp", 4), ("tcp6", 6)):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            address, hexport = fields[1].split(":")
            if int(hexport, 16) == port and fields[3] == "0A":
                ip = "127.0.0.1" if address == "0100007F" else "::1" if address.endswith("01000000") else address
                found.append((family, None, None, None, (ip, port)))
    return found


async def test_a_forged_host_is_refused_before_anything_else(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        for host in ("evil.example", f"evil.example:{there.port}", "127.0.0.1:1"):
            assert status(await there.get("/health", host=host)) == 403
            upgrade = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {_key()}")
            answer = await there.get("/", *upgrade, f"Authorization: Bearer {there.token}", host=host)
            assert status(answer) == 403
        assert there.hub.status()["counters"]["refusedConnections"] == 6


def _key() -> str:
    return base64.b64encode(b"0123456789abcdef").decode()


async def test_a_later_request_on_a_kept_connection_is_judged_as_the_first(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        good = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n"
        evil = good + "Origin: http://evil.example\r\n"
        rebound = f"GET /health HTTP/1.1\r\nHost: evil.example:{there.port}\r\n"
        closing = "Connection: close\r\n\r\n"
        first = await there.raw(f"{good}\r\n".encode(), f"{evil}{closing}".encode(), pause=0.1)
        second = await there.raw(f"{good}\r\n".encode(), f"{rebound}{closing}".encode(), pause=0.1)
        pipelined = await there.raw(f"{good}\r\n{evil}{closing}".encode())
        for answer in (first, second, pipelined):
            assert answer.count(b"HTTP/1.1 200") == 1
            assert answer.count(b"HTTP/1.1 403") == 1


@pytest.mark.parametrize("path", ["/other", "/mcp/x", "/console"])
async def test_websockets_are_served_at_two_paths_only(tmp_path: Path, path: str) -> None:
    async with served(tmp_path) as there:
        with pytest.raises(ConnectionRejected) as refused:
            async with there.open(path, there.bearer()):
                pass
        assert refused.value.status_code == 404


async def test_other_upgrades_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert status(await there.get("/health", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")) == 400
        assert b"200" not in await there.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")


@pytest.mark.parametrize("later", ["GET /health HTTP/1.1\r\nUpgrade: h2c", "PRI * HTTP/2.0"])
async def test_no_later_request_makes_a_connection_http_2(tmp_path: Path, later: str) -> None:
    async with served(tmp_path) as there:
        host = f"Host: 127.0.0.1:{there.port}\r\nConnection: close\r\n\r\n"
        first = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n\r\n"
        answer = await there.raw(f"{first}{later}\r\n{host}".encode())
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1 ") == 2
        assert b" 101 " not in answer
        assert b"\0" not in answer


async def test_data_after_last_request_is_not_a_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Hypercorn refuses it while it ends the connection."""
    async with served(tmp_path) as there:
        last = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nConnection: close\r\n\r\n"
        for _ in range(20):
            await there.raw(f"{last}SM\r\n\r\n".encode())
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_a_slow_head_is_given_up(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(head_ms=300)) as there:
        answer = await there.raw(b"GET /health HTTP/1.1\r\n", b"X: 1\r\n", b"X: 2\r\n", pause=0.15)
        assert status(answer) == 408


async def test_an_endless_head_is_given_up(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(head_bytes=5_000)) as there:
        filler = b"X-Filler: " + b"x" * 1_000 + b"\r\n"
        answer = await there.raw(b"GET /health HTTP/1.1\r\n" + filler * 10)
        assert status(answer) == 400


@pytest.mark.parametrize(
    "header", [b"", b"Sec-WebSocket-Protocol: \xff", b"Sec-WebSocket-Extensions: \xff", b"Connection: \xff"]
)
async def test_broken_websocket_handshake_is_refused_and_ends_only_itself(
    tmp_path: Path, header: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(tmp_path, limits=Limits(head_ms=300)) as there:
        head = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nUpgrade: websocket\r\n"
            f"Authorization: Bearer {there.token}\r\nSec-WebSocket-Version: 13\r\n"
        )
        key = f"Sec-WebSocket-Key: {_key()}\r\n".encode() if header else b""
        assert status(await there.raw(head.encode() + key + header + b"\r\n\r\n")) == 400
        assert status(await there.get("/health")) == 200
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_ping_after_the_close_frame_of_the_hub_is_no_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with served(tmp_path) as there:
        upgrade = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {_key()}\r\nAuthorization: Bearer {there.token}\r\n\r\n"
        )
        refused = b'\x81\xb0\0\0\0\0{"type":"register","tabId":"tab1","protocol":99}'
        answer = await there.raw(upgrade.encode(), refused, b"\x89\x80\0\0\0\0", pause=0.1)
        assert b"refused" in answer
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


async def test_bad_frames_end_only_their_own_socket(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as good:
        await register(good)
        upgrade = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {_key()}\r\nAuthorization: Bearer {there.token}\r\n\r\n"
        )
        for frame in (b"\xff" * 20, b"\x81\x82\0\0\0\0\xff\xfe", b"\x81\x05hello", b"\xc1\x80\0\0\0\0"):
            assert b"101" in await there.raw(upgrade.encode(), frame, pause=0.05)
        assert list(there.hub.tabs) == ["tab1"]


@pytest.mark.parametrize(
    "frame", [pytest.param(b"\x8a\x80\0\0\0\0", id="pongs"), pytest.param(b"\0\x80\0\0\0\0", id="empty parts")]
)
async def test_flood_of_frames_without_a_message_leaves_others_their_turn(tmp_path: Path, frame: bytes) -> None:
    async with (
        served(tmp_path) as there,
        await trio.open_tcp_stream("127.0.0.1", there.port) as stream,
        trio.open_nursery() as nursery,
    ):

        async def flood() -> None:
            while True:
                await stream.send_all(frame * 10_000)

        upgrade = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {_key()}\r\nAuthorization: Bearer {there.token}\r\n\r\n"
        )
        registers = b'\x81\xa2\0\0\0\0{"type":"register","tabId":"tab1"}'
        await stream.send_all(upgrade.encode())
        assert status(bytes(await stream.receive_some())) == 101
        await stream.send_all(registers + b"\x01\x80\0\0\0\0")
        assert b"registered" in await stream.receive_some()
        nursery.start_soon(flood)
        for _ in range(3):
            assert status(await there.get("/health")) == 200
        assert list(there.hub.tabs) == ["tab1"]
        nursery.cancel_scope.cancel()


async def test_a_message_above_the_limit_closes_that_socket(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(message_bytes=100_000)) as there:
        async with there.open(headers=there.bearer()) as socket:
            await register(socket)
            await socket.send_message("x" * 100_001)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.get_message()
            assert closed.value.reason is not None
            assert closed.value.reason.code == 1009
        assert status(await there.get("/health")) == 200


async def test_dropping_every_connection_spares_none(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        async with there.open(headers=there.bearer()) as tab, there.open("/mcp", there.bearer()) as client:
            await register(tab)
            old = there.token
            there.pairing.rotate()
            there.listener.drop_all()
            for socket in (tab, client):
                await drained(socket)
        with pytest.raises(ConnectionRejected):
            async with there.open(headers=[(b"Authorization", f"Bearer {old}".encode())]):
                pass


async def test_idle_connections_without_the_key_do_not_keep_a_new_one_out(tmp_path: Path) -> None:
    limits = Limits(connections=8, unproven_connections=4)
    async with served(tmp_path, limits=limits) as there, AsyncExitStack() as stack:
        request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n\r\n".encode()
        tab = await stack.enter_async_context(there.open(headers=there.bearer()))
        assert (await register(tab))["type"] == "registered"
        kept = []
        for _ in range(12):
            stream = await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", there.port))
            await stream.send_all(request)
            assert b"200" in await stream.receive_some(65_536)
            kept.append(stream)
        assert len(there.listener.connections) == 1 + limits.unproven_connections
        for stream in kept[:8]:
            assert await _closed(stream), "the oldest made room"
        assert status(await there.get("/health")) == 200
        async with there.open("/mcp", there.bearer()) as client:
            await client.send_message("hi")
            assert await client.get_message() == "mcp: 'hi'"
        await tab.ping()


async def test_connection_above_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(connections=2)) as there, AsyncExitStack() as stack:
        for tab_id in ("tab1", "tab2"):
            tab = await stack.enter_async_context(there.open(headers=there.bearer()))
            assert (await register(tab, tab_id))["type"] == "registered"
        message = "The hub has 2 connections, as many as max_connections allows."
        third = await stack.enter_async_context(there.open(headers=there.bearer()))
        refused = await register(third, "tab3")
        assert (refused["type"], refused["code"], refused["message"]) == ("refused", "QUEUE_FULL", message)
        assert "--max-connections 4" in refused["hint"]
        answer = await there.get("/mcp", f"Authorization: Bearer {there.token}")
        assert status(answer) == 503
        assert message.encode() in answer
        with pytest.raises(ConnectionRejected) as rejected:
            await stack.enter_async_context(there.open("/mcp", there.bearer()))
        assert rejected.value.status_code == 503
        assert rejected.value.body is not None
        assert message.encode() in rejected.value.body
        client = await stack.enter_async_context(there.open("/mcp"))
        await client.send_message(json.dumps({"type": "authenticate", "token": there.token}))
        await drained(client)
        assert client.closed is not None
        assert (client.closed.code, client.closed.reason) == (1013, message)


async def test_a_tab_too_many_is_told_the_limit(tmp_path: Path) -> None:
    async with (
        served(tmp_path, limits=Limits(tabs=2)) as there,
        there.open(headers=there.bearer()) as first,
        there.open(headers=there.bearer()) as second,
        there.open(headers=there.bearer()) as third,
    ):
        assert (await register(first, "tab1"))["type"] == "registered"
        assert (await register(second, "tab2"))["type"] == "registered"
        refused = await register(third, "tab3")
        assert (refused["type"], refused["code"]) == ("refused", "QUEUE_FULL")
        assert refused["message"] == "The hub has 2 tabs, as many as max_tabs allows."
        assert "KAPTURE_MAX_TABS=4" in refused["hint"]


async def _closed(stream: trio.SocketStream) -> bool:
    """Whether the hub closes this connection; waits for it."""
    with trio.fail_after(30):
        try:
            while await stream.receive_some(65_536):
                pass
        except trio.BrokenResourceError:
            pass
        return True


async def test_a_taken_port_is_an_error_on_either_address(tmp_path: Path) -> None:
    first, *holder = await open_port(0)
    port = port_of([first])
    await first.aclose()
    with pytest.raises(OSError, match="in use"):
        await open_port(port)
    free = await trio.open_tcp_listeners(port, host="127.0.0.1")
    for listener in (*holder, *free):
        await listener.aclose()


# A system that has no room for another connection is waited for, and does not fill the log.


class FullListener(trio.abc.Listener[trio.SocketStream]):
    """Fails with `number` until `room_at`."""

    def __init__(self, number: int, room_at: float) -> None:
        self.number = number
        self.room_at = room_at
        self.stream = trio.SocketStream(trio.socket.socket())

    async def accept(self) -> trio.SocketStream:
        await trio.lowlevel.checkpoint()
        if trio.current_time() < self.room_at:
            raise OSError(self.number, "")
        return self.stream

    async def aclose(self) -> None:
        await self.stream.aclose()


async def test_a_system_without_room_is_waited_for_and_told_of_in_few_lines(
    autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with FullListener(errno.EMFILE, trio.current_time() + 25) as full:
        assert await PatientListener(full).accept() is full.stream
    assert [record.exc_info for record in caplog.records] == [None] * 3
    assert {record.getMessage() for record in caplog.records} == {
        "No room for another connection: Too many open files. Raise `ulimit -n`, or close some."
    }


# A mistake of ours in one MCP call ends that call: not its session, and never the hub. On every transport.


SECRET = "what the formatter was about to show"


def _raise(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError(SECRET)


def _status(arguments: Mapping[str, Any]) -> PlannedCall:
    return PlannedCall(command="status", arguments={})


def _with_broken_tools(options: Options) -> Profile:
    profile = profile_of(options)
    status = profile.tool("kapturemcp_status")
    broken: tuple[Tool, ...] = (
        attrs.evolve(status, name="broken_show", plan=_status, show=_raise, output=None),
        attrs.evolve(status, name="broken_plan", plan=_raise, output=None),
    )
    return attrs.evolve(profile, tools=(*profile.tools, *broken))


@asynccontextmanager
async def running_hub(home: Path) -> AsyncIterator[HubProcess]:
    """A hub in this process, so that its tools can be broken."""
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve, Settings(home=home, port=0, idle_exit_ms=0))
        process = cast("ForkedProcess", SimpleNamespace(pid=os.getpid()))
        yield HubProcess(home, port, process)
        nursery.cancel_scope.cancel()


async def _answer_form(context: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="decline")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("forms", [False, True], ids=["plain", "with forms"])
async def test_a_tool_that_fails_by_a_bug_ends_its_own_call_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str, era: str, forms: bool
) -> None:
    monkeypatch.setattr(session, "profile_of", _with_broken_tools)
    monkeypatch.setattr(Reporter, "pulse", trio.sleep_forever)
    options: dict[str, Any] = {"mode": era, **({"elicitation_callback": _answer_form} if forms else {})}
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub:
            async with connect(transport, hub, **options) as client:
                for tool in ("broken_show", "broken_plan"):
                    answer = await client.call_tool(tool, {})
                    assert answer.is_error
                    assert f"{tool} failed because of a bug in Kapture (ZeroDivisionError)." in text_of(answer)
                    assert SECRET not in text_of(answer)
                again = await client.call_tool("kapturemcp_list_tabs", {})
                assert not again.is_error, "the session goes on"
            async with connect("websocket", hub) as other:
                assert not (await other.call_tool("kapturemcp_list_tabs", {})).is_error, "the hub goes on"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_progress_that_cannot_be_sent_does_not_undo_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, transport: str, era: str
) -> None:
    async def pulse(reporter: Reporter) -> None:
        await reporter(1, 2, "half")

    async def note(progress: float, total: float | None, message: str | None) -> None:
        return

    monkeypatch.setattr("mcp.server.session.ServerSession.report_progress", _raise)
    monkeypatch.setattr(Reporter, "pulse", pulse)
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub, connect(transport, hub, mode=era) as client:
            for _ in range(2):
                answer = await client.call_tool("kapturemcp_status", {}, progress_callback=note)
                assert not answer.is_error
                assert "hub" in text_of(answer)


@pytest.mark.parametrize("era", ERAS)
async def test_an_http_session_that_fails_by_a_bug_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, era: str
) -> None:
    """The watcher of the hub for the first session fails at the first event, when the next client comes."""
    run = Notifier.run
    notifiers: list[Notifier] = []

    async def run_or_fail(notifier: Notifier) -> None:
        notifiers.append(notifier)
        if len(notifiers) > 1:
            await run(notifier)
        monkeypatch.setattr(notifier, "_notify", _raise)
        await run(notifier)

    monkeypatch.setattr(Notifier, "run", run_or_fail)
    with trio.fail_after(60):
        async with running_hub(tmp_path / "home") as hub:
            with suppress(MCPError, ExceptionGroup):
                async with connect("http", hub, mode=era) as client:
                    await client.call_tool("kapturemcp_list_tabs", {})
                    async with connect("websocket", hub):
                        await client.call_tool("kapturemcp_list_tabs", {})
            async with connect("http", hub, mode=era) as client:
                assert not (await client.call_tool("kapturemcp_list_tabs", {})).is_error
