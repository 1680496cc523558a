"""A tab that knows only `register`, `command` and `response`, word for word as the first specification has them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed, ConnectionRejected, WebSocketConnection, open_websocket_url

from tests.support.stack import HubProcess, call, hub_process, images_of, mcp_client, refusal, text_of

pytestmark = pytest.mark.e2e

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ORIGIN = "https://tabs.example"
ANSWERS: dict[str, Any] = {
    "kapturemcp_navigate": {"url": "https://example.com/", "title": "Example"},
    "kapturemcp_screenshot": PNG,
    "kapturemcp_evaluate": 42,
    "kapturemcp_logs": [{"level": "error", "timestamp": 1_700_000_000_000, "message": "went wrong"}],
    "kapturemcp_click": True,
}


ODD_ANSWERS: dict[str, Any] = {
    "kapturemcp_navigate": {"url": 7, "title": ["Example"], "more": "kept"},
    "kapturemcp_click": {"effects": "clicked", "ok": True},
    "kapturemcp_logs": {"entries": ["a line", {"level": "loud", "source": "elsewhere"}]},
    "kapturemcp_evaluate": {"value": 1, "type": 5},
    "kapturemcp_hover": [1, 2],
}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    home = tmp_path_factory.mktemp("hub") / "home"
    with hub_process(home, arguments=["--no-pairing", "--allow-origin", ORIGIN]) as running:
        yield running


async def answer_commands(socket: WebSocketConnection, commands: list[dict[str, Any]], answers: dict[str, Any]) -> None:
    while True:
        message = json.loads(await socket.get_message())
        if message["type"] != "command":
            continue
        commands.append(message)
        known = message["command"] in answers
        response = {
            "id": message["id"],
            "type": "response",
            "success": known,
            "result": answers.get(message["command"]),
        }
        error = None if known else {"message": f"Unknown command: {message['command']}", "code": "ERROR"}
        await socket.send_message(json.dumps({**response, "error": error}))


@asynccontextmanager
async def foreign_tab(
    hub: HubProcess, origin: str | None = None, answers: dict[str, Any] = ANSWERS
) -> AsyncIterator[list[dict[str, Any]]]:
    """A registered tab; the commands that it got."""
    headers = [] if origin is None else [(b"Origin", origin.encode())]
    commands: list[dict[str, Any]] = []
    async with (
        open_websocket_url(f"ws://127.0.0.1:{hub.port}/", extra_headers=headers) as socket,
        trio.open_nursery() as nursery,
    ):
        await socket.send_message(json.dumps({"type": "register", "tabId": "tab1"}))
        while json.loads(await socket.get_message())["type"] != "registered":
            pass
        nursery.start_soon(answer_commands, socket, commands, answers)
        yield commands
        nursery.cancel_scope.cancel()


async def test_its_answers_reach_every_profile(hub: HubProcess) -> None:
    async with foreign_tab(hub):
        async with mcp_client(hub) as client:
            assert "42" in await call(client, "evaluate", tabId="tab1", code="6*7")
            assert images_of(await client.call_tool("kapturemcp_screenshot", {"tabId": "tab1"}))
        async with mcp_client(hub, "--profile", "chrome") as client:
            assert '"value":42' in text_of(await client.call_tool("eval", {"expression": "6*7"}))
        async with mcp_client(hub, "--profile", "browser") as client:
            assert "42" in text_of(await client.call_tool("browser_evaluate", {"expression": "6*7"}))
        async with mcp_client(hub, "--profile", "minimal") as client:
            assert "went wrong" in text_of(await client.call_tool("console", {}))


@pytest.mark.parametrize(
    ("profile", "tool", "arguments"),
    [
        ("kapture", "kapturemcp_click", {"tabId": "tab1", "target": {"css": "#go"}}),
        ("chrome", "click", {"selector": "#go"}),
        ("browser", "browser_click", {"selector": "#go"}),
        ("minimal", "interact", {"action": "click", "element": {"css": "#go"}}),
    ],
)
async def test_a_target_reaches_it_as_selector_from_every_profile(
    hub: HubProcess, profile: str, tool: str, arguments: dict[str, Any]
) -> None:
    async with foreign_tab(hub) as commands, mcp_client(hub, "--profile", profile) as client:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, text_of(result)
        assert commands[-1]["command"] == "kapturemcp_click"
        assert commands[-1]["params"]["selector"] == "#go"
        assert "target" not in commands[-1]["params"]


async def test_answers_that_fit_no_schema_reach_clients_that_check_them(hub: HubProcess) -> None:
    calls = {"navigate": {"url": "https://a.example/"}, "click": {"selector": "#a"}, "hover": {"selector": "#a"}}
    calls |= {"logs": {}, "evaluate": {"code": "1"}}
    async with foreign_tab(hub, answers=ODD_ANSWERS), mcp_client(hub, "--structured", "--toolsets", "all") as client:
        await client.list_tools()  # it checks answers by the schemas that it was told
        fields = {}
        for tool, arguments in calls.items():
            result = await client.call_tool(f"kapturemcp_{tool}", {"tabId": "tab1", **arguments})
            assert not result.is_error, text_of(result)
            fields[tool] = result.structured_content
        assert fields["navigate"] == {"more": "kept"}
        assert fields["click"] == {"ok": True}
        assert fields["evaluate"] == {"value": 1}


async def test_unknown_command_of_tab_is_refused_by_name(hub: HubProcess) -> None:
    async with foreign_tab(hub), mcp_client(hub) as client:
        error = await refusal(client, "get_text", tabId="tab1")
        assert error.startswith("UNKNOWN_COMMAND: Tab tab1 executes commands itself and does not know get_text.")


async def test_a_page_of_a_named_origin_may_be_an_mcp_client_and_of_another_may_not(hub: HubProcess) -> None:
    url, ping = f"ws://127.0.0.1:{hub.port}/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with open_websocket_url(url, extra_headers=[(b"Origin", ORIGIN.encode())]) as socket:
        await socket.send_message(json.dumps(ping))
        assert json.loads(await socket.get_message())["id"] == 1
    with pytest.raises(ConnectionRejected):
        async with open_websocket_url(url, extra_headers=[(b"Origin", b"https://other.example")]):
            pass


async def test_a_named_origin_may_register_and_another_may_not(hub: HubProcess) -> None:
    async with foreign_tab(hub, ORIGIN):
        pass
    with pytest.raises(ConnectionRejected):
        async with foreign_tab(hub, "https://other.example"):
            pass
    log = (hub.home / "hub.log").read_text()
    assert f"--allow-origin: any page or extension of {ORIGIN} may register" in log


async def test_an_open_port_does_not_let_programs_launch_browsers(hub: HubProcess) -> None:
    launch = {
        "type": "launch",
        "grant": {"sites": ["*"], "level": "full"},
        "browser": "/bin/true",
        "headless": True,
    }
    async with open_websocket_url(f"ws://127.0.0.1:{hub.port}/browsers") as socket:
        await socket.send_message(json.dumps(launch))
        with pytest.raises(ConnectionClosed) as caught:
            await socket.get_message()
        assert caught.value.reason is not None
        assert caught.value.reason.code == 1008
