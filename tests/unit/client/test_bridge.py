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
from tests.unit.client.bridged import bridged, call, request, shake_hands

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
