"""The bridge passes messages on between a client's pipes and the hub."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import kapture.commands.console  # noqa: F401  registers a command
from kapture.commands.core.answer import CallResult
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.fake_hub_port import listening
from tests.unit.client.bridged import INITIALIZE, INITIALIZED, bridged, call, request, shake_hands

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
