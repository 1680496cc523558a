"""Streamable HTTP at `/mcp`, request by request: who is let in, sessions, resumption, limits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import trio

from kapture.pairing import key_file
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess

VERSION = "2025-11-25"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@asynccontextmanager
async def browserless(hub: HubProcess, **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    token = key_file.read(hub.home).clientToken
    given = {"Authorization": f"Bearer {token}", **ACCEPT, **headers}
    given = {name: value for name, value in given.items() if value}
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{hub.port}", headers=given, timeout=60) as http:
        yield http


async def post(http: httpx2.AsyncClient, message: Any, **headers: str) -> httpx2.Response:
    return await http.post("/mcp", content=json.dumps(message), headers=headers)


async def handshake(http: httpx2.AsyncClient) -> dict[str, str]:
    """The headers of a session's later requests."""
    answer = await post(http, INITIALIZE)
    assert answer.status_code == 200
    headers = {"Mcp-Session-Id": answer.headers["mcp-session-id"], "MCP-Protocol-Version": VERSION}
    accepted = await post(http, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    assert accepted.status_code == 202
    return headers


def events(text: str) -> list[tuple[str | None, Any]]:
    """`(id, message)` of each event with data that has come whole."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if fields.get("data"):
            found.append((fields.get("id"), json.loads(fields["data"])))
    return found


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
    ],
    ids=lambda value: str(value),
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_requests_without_token_from_pages_or_other_hosts_are_refused(
    hub: HubProcess, headers: dict[str, str], status: int, version: str
) -> None:
    async with browserless(hub, **headers) as http:
        for method in ("POST", "GET", "DELETE"):
            answer = await http.request(
                method,
                "/mcp",
                content=json.dumps(INITIALIZE) if method == "POST" else None,
                headers={"MCP-Protocol-Version": version},
            )
            assert answer.status_code in (status, 421), (method, answer.text)
            assert "mcp-session-id" not in answer.headers


async def test_a_token_in_the_query_is_no_token(hub: HubProcess) -> None:
    token = key_file.read(hub.home).clientToken
    async with browserless(hub, Authorization="") as http:
        answer = await http.post(f"/mcp?token={token}", content=json.dumps(INITIALIZE))
    assert answer.status_code in (400, 401)


async def test_a_session_is_known_by_its_id_until_it_is_deleted(hub: HubProcess) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with browserless(hub) as http:
        headers = await handshake(http)
        assert (await post(http, ping, **headers)).status_code == 200
        stranger = {**headers, "Mcp-Session-Id": "0" * 32}
        assert (await post(http, ping, **stranger)).status_code == 404
        assert (await http.delete("/mcp", headers=headers)).status_code == 200
        assert (await post(http, ping, **headers)).status_code == 404


async def test_a_broken_stream_is_resumed_where_it_broke(hub: HubProcess) -> None:
    async with browserless(hub) as http, remote_tab(hub, "resumed", lambda command, params: None) as tab:
        headers = await handshake(http)
        call = {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "tools/call",
            "params": {"name": "kapturemcp_click", "arguments": {"tabId": "resumed", "selector": "a"}},
        }
        async with http.stream("POST", "/mcp", content=json.dumps(call), headers=headers) as answer:
            last = None
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    last = line.removeprefix("id: ")
                    break
        assert last is not None
        await tab.until(lambda: tab.commands)
        # The connection is gone; the call goes on, and the tab answers only now.
        await tab.send(type="response", id=tab.ids[-1], success=True, result={"late": "answer"})
        resume = {**headers, "Last-Event-ID": last, "Accept": "text/event-stream"}
        answered: list[Any] = []
        with trio.fail_after(60):
            # The stream ends at once if the hub has not noticed yet that the first one broke, and keeps silent if the
            # answer came while it was opened: clients reconnect.
            while not answered:
                heard = ""
                with trio.move_on_after(5):
                    async with http.stream("GET", "/mcp", headers=resume) as again:
                        assert again.status_code == 200
                        async for text in again.aiter_text():
                            heard += text
                            answered = [message for _, message in events(heard) if message.get("id") == 7]
                            if answered:
                                break
    assert "late" in answered[0]["result"]["content"][0]["text"]


async def test_an_oversized_body_is_refused_and_the_hub_lives(hub: HubProcess) -> None:
    token = key_file.read(hub.home).clientToken
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {65 * 1024 * 1024}\r\n\r\n"
    )
    with trio.fail_after(30):
        async with await trio.open_tcp_stream("127.0.0.1", hub.port) as stream:
            await stream.send_all(head.encode())
            answer = await stream.receive_some(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")
    async with browserless(hub) as http:
        await handshake(http)


async def test_a_request_of_2026_stands_alone(hub: HubProcess) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "alone", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    async with browserless(hub) as http:
        answer = await post(http, message, **headers)
    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers
    body = answer.json() if answer.headers["content-type"].startswith("application/json") else events(answer.text)[0][1]
    assert any(tool["name"] == "kapturemcp_click" for tool in body["result"]["tools"])
