"""Who gets in: the extension by its proof, clients by a token or a ticket, pages never."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
)

from kapture.hub.memory import HubMemory
from kapture.hub.records import Records
from kapture.pairing.proof import fresh
from kapture.pairing.ticket import CDP, make_ticket
from kapture.policy.audit import AuditLog, entries
from kapture.server.admission import EXTENSION_ORIGIN
from kapture.server.server import Server
from kapture.settings import Limits
from tests.unit.server.served import drained, register, served, status


async def test_refused_connections_and_new_keys_are_in_the_audit_log(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as audit, served(tmp_path, audit=audit) as there:
        await there.get("/mcp?token=hunter2", "Origin: http://evil.example/secret")
        await there.get("/mcp", "Authorization: Bearer hunter2")
        with pytest.raises(ConnectionRejected):
            async with there.open("/", [(b"Authorization", b"Bearer hunter2")]):
                pass
        async with there.open("/mcp") as client:
            await client.send_message('{"type":"authenticate","token":"hunter2"}')
            await drained(client)
        async with there.open("/") as tab:
            await tab.send_message(json.dumps({"type": "register", "tabId": "tab1"}))
            await drained(tab)
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


async def test_a_ticket_in_the_path_of_a_refused_request_is_not_in_the_audit_log(tmp_path: Path) -> None:
    async with AuditLog.open(tmp_path) as audit, served(tmp_path, audit=audit) as there:
        ticket = make_ticket(there.secrets.key, CDP)
        for path in (f"/cdp/{ticket}", f"/nothing/{there.token}", f"/cdp/{ticket}/json/version"):
            for header in ((b"Origin", b"http://evil.example"), (b"X-None", b"")):
                with suppress(ConnectionRejected):
                    async with there.open(path, [header]):
                        pass

    log = audit.path.read_text()
    assert f'"/cdp/({len(ticket)} characters)"' in log
    assert there.token not in log
    assert ticket not in log


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


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:8000", "chrome-extension://abc"])
async def test_a_page_cannot_connect_not_even_with_the_token(tmp_path: Path, origin: str) -> None:
    async with served(tmp_path) as there:
        for path in ("/", "/mcp"):
            with pytest.raises(ConnectionRejected) as refused:
                async with there.open(path, [*there.bearer(), (b"Origin", origin.encode())]):
                    pass
            assert refused.value.status_code == 403
        assert status(await there.get("/health", f"Origin: {origin}")) == 403


async def test_the_extension_is_challenged(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=[(b"Origin", EXTENSION_ORIGIN.encode())]) as socket:
        assert json.loads(await socket.get_message())["type"] == "challenge"


async def test_a_client_with_the_token_registers_a_tab(tmp_path: Path) -> None:
    async with served(tmp_path) as there, there.open(headers=there.bearer()) as socket:
        assert (await register(socket))["type"] == "registered"
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


@pytest.mark.parametrize("caller", ["extension", "client"])
async def test_a_message_without_proof_is_not_taken_into_memory_however_long(tmp_path: Path, caller: str) -> None:
    """What the hub does not read stays in the buffers of the system, which are far smaller."""
    announced, sent = 48 * 2**20, 0
    async with served(tmp_path, limits=Limits(proof_ms=500)) as there:
        lines = [f"GET {'/' if caller == 'extension' else '/mcp'} HTTP/1.1", f"Host: 127.0.0.1:{there.port}"]
        lines += [f"Origin: {EXTENSION_ORIGIN}"] if caller == "extension" else []
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Key: {'A' * 22}==", "", ""]
        async with await trio.open_tcp_stream("127.0.0.1", there.port) as stream:
            await stream.send_all("\r\n".join(lines).encode())
            assert b" 101 " in await stream.receive_some(65_536)
            with trio.fail_after(60), suppress(trio.BrokenResourceError):
                await stream.send_all(b"\x81\xff" + announced.to_bytes(8, "big") + bytes(4))  # masked text
                while sent < announced:
                    await stream.send_all(bytes(2**16))
                    sent += 2**16
    assert sent < announced // 2


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
        assert status(await there.get("/mcp")) == 401
        assert status(await there.get("/mcp", "Authorization: Bearer wrong")) == 401
        answer = await there.get("/mcp", f"Authorization: Bearer {there.token}")
        assert status(answer) == 200
        assert b'{"mcp":"GET"}' in answer


async def test_without_pairing_everybody_local_gets_in_but_pages_do_not(tmp_path: Path) -> None:
    async with served(tmp_path, no_pairing=True) as there:
        assert status(await there.get("/mcp")) == 200
        async with there.open() as socket:
            assert (await register(socket))["type"] == "registered"
        async with there.open("/mcp") as socket:
            await socket.send_message("hi")
            assert await socket.get_message() == "mcp: 'hi'"
        with pytest.raises(ConnectionRejected):
            async with there.open(headers=[(b"Origin", b"http://evil.example")]):
                pass
