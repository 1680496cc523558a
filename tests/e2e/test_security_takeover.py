"""A grant that is taken back, and a tab's id that another browser wants."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketConnection, open_websocket_url

from kapture.client.mcp_client import open_client
from kapture.pairing import TabProof, key_file
from kapture.pairing.proof import decode
from tests.support.stack import HubProcess, hub_process

pytestmark = pytest.mark.e2e


async def connect(hub: HubProcess, socket_: WebSocketConnection, grant: dict[str, Any]) -> None:
    proof = TabProof(decode(key_file.read(hub.home).key) or b"")
    nonce, mac = proof.answer(json.loads(await socket_.get_message())["nonce"])
    await socket_.send_message(json.dumps({"type": "proof", "nonce": nonce, "mac": mac}))
    proof.verify(json.loads(await socket_.get_message())["mac"])
    url = "https://example.com/"
    await socket_.send_message(json.dumps({"type": "register", "tabId": "handmade", "url": url, "grant": grant}))
    assert json.loads(await socket_.get_message())["type"] == "registered"


async def next_of(socket_: WebSocketConnection, *kinds: str) -> dict[str, Any]:
    with trio.fail_after(30):
        while True:
            message: dict[str, Any] = json.loads(await socket_.get_message())
            if message["type"] == "ping":
                await socket_.send_message(json.dumps({"type": "pong", "ts": message.get("ts", 0)}))
            if message["type"] in kinds:
                return message


@pytest.mark.parametrize(
    "narrower",
    [{"sites": ["example.com"], "level": "read"}, {"sites": ["other.test"], "level": "full"}, None],
    ids=["level", "site", "revoked"],
)
async def test_a_grant_that_is_taken_back_stops_the_command_that_runs(
    tmp_path: Path, narrower: dict[str, Any] | None
) -> None:
    with hub_process(tmp_path / "home") as hub:
        async with (
            open_websocket_url(f"ws://127.0.0.1:{hub.port}/") as socket_,
            open_client(hub.home, name="t") as client,
        ):
            await connect(hub, socket_, {"sites": ["example.com"], "level": "interact"})
            async with trio.open_nursery() as nursery:
                results: list[dict[str, Any]] = []

                async def click() -> None:
                    results.append(await client.call("kapturemcp_click", {"tabId": "handmade", "selector": "a"}))

                nursery.start_soon(click)
                command = await next_of(socket_, "command")
                change = {"type": "event", "event": "grant", "grant": narrower}
                await socket_.send_message(json.dumps(change))
                cancel = await next_of(socket_, "cancel")
                assert cancel["id"] == command["id"]
            assert results[0]["isError"]
            assert "POLICY_DENIED" in json.dumps(results[0])
            # And the next one does not reach the tab at all.
            again = await client.call("kapturemcp_click", {"tabId": "handmade", "selector": "a"})
            assert "POLICY_DENIED" in json.dumps(again)


async def test_a_tab_is_not_taken_over_by_another_browser(tmp_path: Path) -> None:
    with hub_process(tmp_path / "home") as hub:
        url = f"ws://127.0.0.1:{hub.port}/"
        async with AsyncExitStack() as stack:
            first = await stack.enter_async_context(open_websocket_url(url))
            await connect(hub, first, {"sites": ["*"], "level": "read"})
            second = await stack.enter_async_context(open_websocket_url(url))  # which has 5 s for its proof
            proof = TabProof(decode(key_file.read(hub.home).key) or b"")
            nonce, mac = proof.answer((await next_of(second, "challenge"))["nonce"])
            await second.send_message(json.dumps({"type": "proof", "nonce": nonce, "mac": mac}))
            await next_of(second, "proof")
            claim = {"type": "register", "tabId": "handmade", "browser": {"name": "Other", "instance": "guessed"}}
            await second.send_message(json.dumps(claim))
            assert (await next_of(second, "refused", "registered"))["type"] == "refused"
            async with open_client(hub.home, "structured=1", name="t") as client:
                assert [row["tabId"] for row in await client.tabs()] == ["handmade"]
                status = json.dumps(await client.call("kapturemcp_status", {}))
                assert "handmade" in status
