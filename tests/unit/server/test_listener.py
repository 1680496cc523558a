"""The port itself, with raw sockets: who gets in, who is refused, and what no connection can do to another."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
import trio
from starlette.responses import JSONResponse
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    WebSocketConnection,
    WebSocketRequest,
    open_websocket_url,
)

from kapture.hub import Hub
from kapture.hub.memory import HubMemory
from kapture.hub.records import Records
from kapture.pairing import KeyFile, Pairing, key_file
from kapture.pairing.proof import fresh
from kapture.pairing.ticket import make_ticket
from kapture.policy import Policy
from kapture.policy.audit import AuditLog
from kapture.policy.audit_reader import entries
from kapture.server.admission import EXTENSION_ORIGIN
from kapture.server.listener import Listener, open_port, port_of
from kapture.server.server import Server, make_listener, route_table
from kapture.settings import Limits, Settings
from tests.unit.hub.simulated import test_commands


@attrs.frozen
class Served:
    hub: Hub
    listener: Listener
    pairing: Pairing
    port: int
    seen: list[str]

    @property
    def secrets(self) -> KeyFile:
        return key_file.read(self.pairing.home)

    @property
    def token(self) -> str:
        return self.secrets.clientToken

    def bearer(self) -> list[tuple[bytes, bytes]]:
        return [(b"Authorization", f"Bearer {self.token}".encode())]

    def open(self, path: str = "/", headers: Sequence[tuple[bytes, bytes]] = ()) -> Any:
        return open_websocket_url(
            f"ws://127.0.0.1:{self.port}{path}", extra_headers=list(headers), max_message_size=64 * 2**20
        )

    async def raw(self, *chunks: bytes, pause: float = 0) -> bytes:
        """Send these bytes on one connection; all that comes back."""
        received = b""
        with trio.fail_after(20):
            async with await trio.open_tcp_stream("127.0.0.1", self.port) as stream:
                try:
                    for chunk in chunks:
                        await stream.send_all(chunk)
                        await trio.sleep(pause)
                    while data := await stream.receive_some(65_536):
                        received += data
                except trio.BrokenResourceError:
                    pass
        return received

    async def get(self, path: str, *headers: str, host: str | None = None) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", "Connection: close", *headers]
        return await self.raw("\r\n".join([*lines, "", ""]).encode())


@asynccontextmanager
async def served(
    home: Path, *, limits: Limits | None = None, audit: AuditLog | None = None, **more: Any
) -> AsyncIterator[Served]:
    listeners = await open_port(0)
    settings = Settings(home=home, port=port_of(listeners), limits=limits or Limits(), **more)
    pairing = Pairing(home)
    seen: list[str] = []

    async def on_mcp(request: WebSocketRequest) -> None:
        socket = await request.accept()
        seen.append(request.path)
        try:
            while True:
                await socket.send_message(f"mcp: {await socket.get_message()!r}")
        except ConnectionClosed:
            return

    async def http(scope: Any, receive: Any, send: Any) -> None:
        await JSONResponse({"mcp": scope["method"]})(scope, receive, send)

    with test_commands():
        async with (
            Hub.open(settings, pairing=pairing, policy=Policy(home=home), audit=audit) as hub,
            trio.open_nursery() as nursery,
        ):
            mcp: Any = SimpleNamespace(serve_websocket=on_mcp, serve_http=http)
            listener = make_listener(hub, route_table(hub, mcp), port=hub.state.settings.port)
            nursery.start_soon(listener.serve, listeners)
            pairing.write_key_file(settings.port)
            yield Served(hub, listener, pairing, settings.port, seen)
            nursery.cancel_scope.cancel()


def _status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


async def _register(socket: WebSocketConnection, tab_id: str = "tab1") -> dict[str, Any]:
    await socket.send_message(json.dumps({"type": "register", "tabId": tab_id}))
    answer: dict[str, Any] = json.loads(await socket.get_message())
    return answer


async def test_health_names_the_hub_and_nothing_secret(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/health")
        assert _status(answer) == 200
        health = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert set(health) == {"kapture", "pid"}
        for secret in (there.token, there.secrets.key):
            assert secret.encode() not in answer


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
            assert _status(await there.get("/health", host=host)) == 403
            upgrade = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {_key()}")
            answer = await there.get("/", *upgrade, f"Authorization: Bearer {there.token}", host=host)
            assert _status(answer) == 403
        assert there.hub.status()["counters"]["refusedConnections"] == 6


async def test_refused_connections_and_new_keys_are_in_the_audit_log(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as audit, served(tmp_path, audit=audit) as there:
        await there.get("/mcp?token=hunter2", "Origin: http://evil.example/secret")
        await there.get("/mcp", "Authorization: Bearer hunter2")
        with pytest.raises(ConnectionRejected):
            async with there.open("/", [(b"Authorization", b"Bearer hunter2")]):
                pass
        async with there.open("/mcp") as client:
            await client.send_message('{"type":"authenticate","token":"hunter2"}')
            await _drained(client)
        async with there.open("/") as tab:
            await tab.send_message(json.dumps({"type": "register", "tabId": "tab1"}))
            await _drained(tab)
        Server(there.hub, there.pairing, there.listener).rotate_key()
    logged = [entry for entry in entries(tmp_path) if entry["event"] in ("connect", "rotate-key")]
    assert [(entry["event"], entry["outcome"]) for entry in logged] == [
        *[("connect", "denied")] * 5,
        ("rotate-key", "ok"),
    ]
    assert [entry.get("path") for entry in logged[:5]] == ["/mcp", "/mcp", "/", "/mcp", None]
    assert logged[0]["site"] == "http://evil.example"
    assert all(entry["reason"] for entry in logged[:5])
    assert "hunter2" not in audit.path.read_text()
    assert "secret" not in audit.path.read_text()


async def test_a_flood_of_refused_connections_does_not_wash_out_the_audit_log(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with AuditLog.open(tmp_path) as audit:
        records = Records(audit, HubMemory(Limits()))
        for _ in range(1_000):
            records.connection_refused("no")
        await trio.sleep(61)
        records.connection_refused("no")
    logged = list(entries(tmp_path))
    assert len(logged) == 61
    assert logged[-1]["unrecorded"] == 940
    assert records.counters.refused_connections == 1_001


def _key() -> str:
    return base64.b64encode(b"0123456789abcdef").decode()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8000", "chrome-extension://abc"])
async def test_a_page_cannot_connect_not_even_with_the_token(tmp_path: Path, origin: str) -> None:
    async with served(tmp_path) as there:
        for path in ("/", "/mcp"):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open(path, [*there.bearer(), (b"Origin", origin.encode())]):
                    pass
            assert refused.value.status_code == 403
        assert _status(await there.get("/health", f"Origin: {origin}")) == 403


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


async def test_the_extension_is_challenged(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=[(b"Origin", EXTENSION_ORIGIN.encode())]) as socket:
        assert json.loads(await socket.get_message())["type"] == "challenge"


async def test_a_client_with_the_token_registers_a_tab(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as socket:
        assert (await _register(socket))["type"] == "registered"
        assert list(there.hub.tabs) == ["tab1"]


async def test_a_wrong_token_is_refused_before_the_upgrade(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        for path in ("/", "/mcp"):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open(path, [(b"Authorization", b"Bearer nonsense")]):
                    pass
            assert refused.value.status_code == 401


async def test_a_client_can_make_sure_of_the_hub(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        nonce = fresh()
        async with there.open(headers=[*there.bearer(), (b"Kapture-Nonce", nonce.encode())]) as socket:
            headers = dict(socket.handshake_headers)
            assert headers[b"kapture-proof"].decode() == there.pairing.client_proof(nonce)
        with pytest.raises(ConnectionRejected) as refused:
            async with there.open(headers=[*there.bearer(), (b"Kapture-Nonce", b"short")]):
                pass
        assert refused.value.status_code == 400


async def test_mcp_sockets_need_the_token_in_header_or_first_message(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        async with there.open("/mcp?profile=x", there.bearer()) as socket:
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        assert there.seen == ["/mcp?profile=x"]
        async with there.open("/mcp") as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "token": there.token}))
            assert json.loads(await socket.get_message()) == {"type": "authenticated"}
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        for first in ('{"jsonrpc":"2.0","method":"initialize","id":1}', '{"type":"authenticate","token":"wrong"}', "{"):
            async with there.open("/mcp") as socket:
                await socket.send_message(first)
                with pytest.raises(ConnectionClosed) as closed:
                    await socket.get_message()
                assert closed.value.reason is not None
                assert closed.value.reason.code == 1008
        assert len(there.seen) == 2


async def test_the_consoles_ticket_is_good_once_and_gives_a_session_token(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        own = [(b"Origin", f"http://127.0.0.1:{there.port}".encode())]
        ticket = make_ticket(there.secrets.key)
        async with there.open("/mcp", own) as socket:
            await socket.send_message(json.dumps({"type": "authenticate", "ticket": ticket}))
            token = json.loads(await socket.get_message())["token"]
        for message, code in (({"ticket": ticket}, 1008), ({"token": token}, None)):
            async with there.open("/mcp", own) as socket:
                await socket.send_message(json.dumps({"type": "authenticate", **message}))
                if code is None:
                    assert json.loads(await socket.get_message()) == {"type": "authenticated"}
                else:
                    with pytest.raises(ConnectionClosed):
                        await socket.get_message()


async def test_mcp_over_http_needs_the_token(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert _status(await there.get("/mcp")) == 401
        assert _status(await there.get("/mcp", "Authorization: Bearer wrong")) == 401
        answer = await there.get("/mcp", f"Authorization: Bearer {there.token}")
        assert _status(answer) == 200
        assert b'{"mcp":"GET"}' in answer


async def test_without_pairing_everybody_local_gets_in_but_pages_do_not(tmp_path: Path) -> None:
    async with served(tmp_path, no_pairing=True) as there:
        assert _status(await there.get("/mcp")) == 200
        async with there.open() as socket:
            assert (await _register(socket))["type"] == "registered"
        async with there.open("/mcp") as socket:
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        with pytest.raises(ConnectionRejected):
            async with there.open(headers=[(b"Origin", b"http://evil.example")]):
                pass


@pytest.mark.parametrize("path", ["/other", "/mcp/x", "/console"])
async def test_websockets_are_served_at_two_paths_only(tmp_path: Path, path: str) -> None:
    async with served(tmp_path) as there:
        with pytest.raises(ConnectionRejected) as refused:
            async with there.open(path, there.bearer()):
                pass
        assert refused.value.status_code == 404


async def test_other_upgrades_are_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert _status(await there.get("/health", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")) == 400
        assert b"200" not in await there.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")


async def test_a_slow_head_is_given_up(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(head_ms=300)) as there:
        answer = await there.raw(b"GET /health HTTP/1.1\r\n", b"X: 1\r\n", b"X: 2\r\n", pause=0.15)
        assert _status(answer) == 408


async def test_an_endless_head_is_given_up(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(head_bytes=5_000)) as there:
        filler = b"X-Filler: " + b"x" * 1_000 + b"\r\n"
        answer = await there.raw(b"GET /health HTTP/1.1\r\n" + filler * 10)
        assert _status(answer) == 400


async def test_a_broken_websocket_handshake_ends_only_itself(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(head_ms=300)) as there:
        answer = await there.get("/", "Upgrade: websocket", f"Authorization: Bearer {there.token}")
        assert not answer.startswith(b"HTTP/1.1 101")
        assert _status(await there.get("/health")) == 200


async def test_bad_frames_end_only_their_own_socket(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as good:
        await _register(good)
        upgrade = (
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {_key()}\r\nAuthorization: Bearer {there.token}\r\n\r\n"
        )
        for frame in (b"\xff" * 20, b"\x81\x82\0\0\0\0\xff\xfe", b"\x81\x05hello", b"\xc1\x80\0\0\0\0"):
            assert b"101" in await there.raw(upgrade.encode(), frame, pause=0.05)
        assert list(there.hub.tabs) == ["tab1"]


async def test_a_message_above_the_limit_closes_that_socket(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(message_bytes=100_000)) as there:
        async with there.open(headers=there.bearer()) as socket:
            await _register(socket)
            await socket.send_message("x" * 100_001)
            with pytest.raises(ConnectionClosed) as closed:
                await socket.get_message()
            assert closed.value.reason is not None
            assert closed.value.reason.code == 1009
        assert _status(await there.get("/health")) == 200


async def test_large_messages_pass_whole(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as socket, trio.open_nursery() as nursery:
        await _register(socket)
        big = "é" * 3_000_000

        async def answer() -> None:
            while (asked := json.loads(await socket.get_message()))["type"] != "command":
                pass
            reply = {"type": "response", "id": asked["id"], "success": True, "result": asked["params"]["word"]}
            await socket.send_message(json.dumps(reply, ensure_ascii=False))

        nursery.start_soon(answer)
        with there.hub.client(name="t", kind="cli") as client:
            result = await there.hub.call(client, "t_echo", {"tabId": "tab1", "word": big})
        assert result.text == big


async def test_dropping_every_connection_spares_none(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        async with there.open(headers=there.bearer()) as tab, there.open("/mcp", there.bearer()) as client:
            await _register(tab)
            old = there.token
            there.pairing.rotate()
            there.listener.drop_all()
            for socket in (tab, client):
                await _drained(socket)
        with pytest.raises(ConnectionRejected):
            async with there.open(headers=[(b"Authorization", f"Bearer {old}".encode())]):
                pass


async def test_idle_connections_without_the_key_do_not_keep_a_new_one_out(tmp_path: Path) -> None:
    limits = Limits(connections=8, unproven_connections=4)
    async with served(tmp_path, limits=limits) as there, AsyncExitStack() as stack:
        request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\n\r\n".encode()
        tab = await stack.enter_async_context(there.open(headers=there.bearer()))
        assert (await _register(tab))["type"] == "registered"
        kept = []
        for _ in range(12):
            stream = await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", there.port))
            await stream.send_all(request)
            assert b"200" in await stream.receive_some(65_536)
            kept.append(stream)
        assert len(there.listener.connections) == 1 + limits.unproven_connections
        for stream in kept[:8]:
            assert await _closed(stream), "the oldest made room"
        assert _status(await there.get("/health")) == 200
        async with there.open("/mcp", there.bearer()) as client:
            await client.send_message("hi")
            assert await client.get_message() == "mcp: 'hi'"
        await tab.ping()


async def test_who_comes_when_every_connection_is_in_use_is_told_the_limit(tmp_path: Path) -> None:
    async with served(tmp_path, limits=Limits(connections=2)) as there, AsyncExitStack() as stack:
        for tab_id in ("tab1", "tab2"):
            tab = await stack.enter_async_context(there.open(headers=there.bearer()))
            assert (await _register(tab, tab_id))["type"] == "registered"
        message = "The hub has 2 connections, as many as max_connections allows."
        third = await stack.enter_async_context(there.open(headers=there.bearer()))
        refused = await _register(third, "tab3")
        assert (refused["type"], refused["code"], refused["message"]) == ("refused", "QUEUE_FULL", message)
        assert "--max-connections 4" in refused["hint"]
        answer = await there.get("/mcp", f"Authorization: Bearer {there.token}")
        assert _status(answer) == 503
        assert message.encode() in answer
        with pytest.raises(ConnectionRejected) as rejected:
            await stack.enter_async_context(there.open("/mcp", there.bearer()))
        assert rejected.value.status_code == 503
        assert rejected.value.body is not None
        assert message.encode() in rejected.value.body
        client = await stack.enter_async_context(there.open("/mcp"))
        await client.send_message(json.dumps({"type": "authenticate", "token": there.token}))
        await _drained(client)
        assert client.closed is not None
        assert (client.closed.code, client.closed.reason) == (1013, message)


async def test_a_tab_too_many_is_told_the_limit(tmp_path: Path) -> None:
    async with (
        served(tmp_path, limits=Limits(tabs=2)) as there,
        there.open(headers=there.bearer()) as first,
        there.open(headers=there.bearer()) as second,
        there.open(headers=there.bearer()) as third,
    ):
        assert (await _register(first, "tab1"))["type"] == "registered"
        assert (await _register(second, "tab2"))["type"] == "registered"
        refused = await _register(third, "tab3")
        assert (refused["type"], refused["code"]) == ("refused", "QUEUE_FULL")
        assert refused["message"] == "The hub has 2 tabs, as many as max_tabs allows."
        assert "KAPTURE_MAX_TABS=4" in refused["hint"]


async def _closed(stream: trio.SocketStream) -> bool:
    """Whether the hub closes this connection; waits for it."""
    with trio.fail_after(10):
        try:
            while await stream.receive_some(65_536):
                pass
        except trio.BrokenResourceError:
            pass
        return True


async def _drained(socket: WebSocketConnection) -> None:
    """Return when the hub has closed this socket."""
    with trio.fail_after(5):
        try:
            while True:
                await socket.get_message()
        except ConnectionClosed:
            return


async def test_a_taken_port_is_an_error_on_either_address(tmp_path: Path) -> None:
    first, *holder = await open_port(0)
    port = port_of([first])
    await first.aclose()
    with pytest.raises(OSError, match="in use"):
        await open_port(port)
    free = await trio.open_tcp_listeners(port, host="127.0.0.1")
    for listener in (*holder, *free):
        await listener.aclose()


async def test_the_console_is_served_with_a_strict_content_policy(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        answer = await there.get("/console/demo/")
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';" in head
        assert b"frame-ancestors 'none'" in head
        assert b"x-content-type-options: nosniff" in head
        assert _status(await there.get("/console/../../pyproject.toml")) in (404, 400)
        assert _status(await there.get("/console/%2e%2e/%2e%2e/pyproject.toml")) == 404


async def test_the_console_has_the_shared_views_and_nothing_else_of_the_extension(tmp_path: Path) -> None:
    async with served(tmp_path) as there:
        assert _status(await there.get("/console/ui/tokens.css")) == 200
        assert _status(await there.get("/console/ui/options.html")) == 404
        assert _status(await there.get("/console/ui/components/../options.html")) in (404, 400)
        assert _status(await there.get("/console/manifest.json")) == 404


async def test_only_the_console_itself_gets_its_live_stream(tmp_path: Path) -> None:
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
    async with served(tmp_path) as there:
        lines = ["GET /console/live HTTP/1.1", f"Host: 127.0.0.1:{there.port}", "Connection: Upgrade", *upgrade, "", ""]
        assert _status(await there.raw("\r\n".join(lines).encode())) == 403
