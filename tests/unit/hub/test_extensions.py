"""The extension's own socket: the hub knows the browser, and can ask its person for a tab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.errors import ErrorCode
from kapture.hub.extensions import Extension, TabAnswer
from kapture.wire import extension_messages
from tests.unit.hub.simulated import SimulatedTab, World, world

BROWSER = {"name": "Chromium", "version": "156", "extension": "0.1.0", "instance": "s3cr3t"}


async def connect(hub: World, *, launched: bool = False, **browser: Any) -> SimulatedTab:
    """An extension without a tab."""
    socket = await hub.connect_proven()
    about = {"browser": BROWSER | browser, "capabilities": ["tab_request"], "launched": launched}
    await socket.send(type="register_browser", protocol=1, **about)
    assert (await socket.receive("browser_registered"))["heartbeatMs"] > 0
    return socket


def only(hub: World) -> Extension:
    """The one extension that is connected."""
    (extension,) = hub.hub.state.extensions.connected.values()
    return extension


def request() -> extension_messages.TabRequest:
    return extension_messages.TabRequest(
        id="", reason="To compare prices.", expires_ms=1_000, url="https://shop.example/"
    )


async def test_a_browser_without_tabs_is_known_while_its_extension_is_connected(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        assert hub.hub.status()["browsers"] == [
            {
                "name": "Chromium",
                "version": "156",
                "extension": "0.1.0",
                "profile": "",
                "authenticatedBy": "key",
                "launched": False,
                "tabs": 0,
            }
        ]
        await socket.close()
        await trio.testing.wait_all_tasks_blocked()
        assert hub.hub.status()["browsers"] == []


async def test_a_tab_of_the_browser_is_counted_in_its_row(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        await connect(hub)
        assert (await (await hub.connect_proven()).register("tab1", browser=BROWSER))["type"] == "registered"
        assert [row["tabs"] for row in hub.hub.status()["browsers"]] == [1]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"decision": "tab", "tabId": "tab1"}, TabAnswer(decision="tab", tab_id="tab1")),
        ({"decision": "deny"}, TabAnswer(decision="deny")),
        ({"decision": "unanswered"}, TabAnswer(decision="unanswered")),
    ],
)
async def test_a_request_for_a_tab_ends_with_what_the_person_did(
    tmp_path: Path, autojump_clock: trio.testing.MockClock, answer: dict[str, Any], outcome: TabAnswer
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        asked = hub.start(only(hub).request_tab(request()))
        message = await socket.receive("tab_request")
        assert (message["reason"], message["url"]) == ("To compare prices.", "https://shop.example/")
        await socket.send(type="tab_request_answer", id=message["id"], **answer)
        assert await asked.wait() == outcome


async def test_a_request_that_nobody_waits_for_is_taken_back(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        asked = hub.start(only(hub).request_tab(request()))
        message = await socket.receive("tab_request")
        asked.scope.cancel()
        assert (await socket.receive("tab_request_end"))["id"] == message["id"]


async def test_a_request_fails_when_the_extension_disconnects(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        asked = hub.start(only(hub).request_tab(request()))
        await socket.receive("tab_request")
        await socket.close()
        assert await asked.wait() is ErrorCode.NO_BACKEND


async def test_a_newer_socket_of_the_same_browser_replaces_the_older(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        older = await connect(hub)
        await connect(hub)
        assert (await older.receive("closed"))["type"] == "closed"
        await trio.testing.wait_all_tasks_blocked()
        assert len(hub.hub.state.extensions.connected) == 1


async def test_an_extension_sends_nothing_that_only_a_tab_sends(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        await socket.send(type="event", event="tab", url="https://shop.example/")
        assert (await socket.receive("error"))["reason"] == "out_of_order"


async def test_a_client_with_the_token_alone_does_not_stand_in_for_an_extension(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = hub.connect()
        await socket.send(type="register_browser", browser=BROWSER, capabilities=["tab_request"])
        refused = await socket.receive("refused")
        assert refused["code"] == "UNAUTHORIZED"
        assert "the client token is not enough" in refused["message"]
        assert not hub.hub.state.extensions.connected


async def test_an_extension_proves_itself_before_it_registers(
    tmp_path: Path, autojump_clock: trio.testing.MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = hub.connect(token=False, extension=True)
        await socket.receive("challenge")
        await socket.send(type="register_browser", browser=BROWSER)
        assert (await socket.receive("refused"))["code"] == "UNAUTHORIZED"
        assert not hub.hub.state.extensions.connected
