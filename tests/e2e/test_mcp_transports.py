"""The official Python client over all three transports, in both eras of the protocol, against a hub process."""

from __future__ import annotations

from typing import Any

import mcp_types as types
import pytest
import trio

from tests.support.mcp_transports import PAIRS, TRANSPORTS, connect
from tests.support.patience import until
from tests.support.remote_tab import remote_tab
from tests.support.stack import HubProcess, text_of

everywhere = pytest.mark.parametrize(("transport", "era"), PAIRS)


@everywhere
async def test_tools_resources_and_prompts_are_served(hub: HubProcess, transport: str, era: str) -> None:
    async with remote_tab(hub, f"tab-{transport}-{era[:4]}") as tab, connect(transport, hub, mode=era) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"kapturemcp_click", "kapturemcp_snapshot"} <= tools
        listed = await client.call_tool("kapturemcp_list_tabs", {})
        assert tab.tab_id in text_of(listed)
        done = await client.call_tool("kapturemcp_click", {"tabId": tab.tab_id, "selector": "#go"})
        assert not done.is_error
        assert tab.commands == [("kapturemcp_click", {"selector": "#go"})]
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert f"kapture://tab/{tab.tab_id}" in uris
        contents = (await client.read_resource("kapture://tabs")).contents[0]
        assert isinstance(contents, types.TextResourceContents)
        assert tab.tab_id in contents.text
        assert len((await client.list_prompts()).prompts) == 6


@everywhere
async def test_a_failure_is_an_answer_with_its_code(hub: HubProcess, transport: str, era: str) -> None:
    async with connect(transport, hub, mode=era) as client:
        answers = [
            await client.call_tool("kapturemcp_click", {"tabId": "never-was", "selector": "a"}),
            await client.call_tool("kapturemcp_click", {"tabId": "never-was", "selektor": "a"}),
            await client.call_tool("kapturemcp_clack", {}),
        ]
    assert all(answer.is_error for answer in answers)
    codes = [text_of(answer).split(":")[0] for answer in answers]
    assert codes == ["TAB_NOT_FOUND", "INVALID_PARAMS", "UNKNOWN_COMMAND"]


@everywhere
async def test_a_cancelled_call_is_cancelled_on_its_tab(hub: HubProcess, transport: str, era: str) -> None:
    tab_id = f"slow-{transport}-{era[:4]}"
    async with (
        remote_tab(hub, tab_id, lambda command, params: None) as tab,
        connect(transport, hub, mode=era) as client,
    ):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(client.call_tool, "kapturemcp_click", {"tabId": tab_id, "selector": "a"})
            await tab.until(lambda: tab.commands)
            nursery.cancel_scope.cancel()
        await tab.until(lambda: tab.cancelled)


@pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("websocket", "2026-07-28")])
async def test_a_client_that_dies_in_mid_call_leaves_nothing(hub: HubProcess, transport: str, era: str) -> None:
    tab_id = f"dies-{transport}-{era[:4]}"
    async with remote_tab(hub, tab_id, lambda command, params: None) as tab:
        with trio.CancelScope() as life:
            async with connect(transport, hub, mode=era) as client, trio.open_nursery() as nursery:
                nursery.start_soon(client.call_tool, "kapturemcp_click", {"tabId": tab_id, "selector": "a"})
                await tab.until(lambda: tab.commands)
                life.cancel()
        await tab.until(lambda: tab.cancelled)
        async with connect("websocket", hub, toolsets="all") as other:

            async def nothing_left() -> bool:
                return "kapturemcp_click" not in text_of(await other.call_tool("kapturemcp_status", {}))

            await until(nothing_left, "a status without the call")


@everywhere
async def test_two_clients_work_on_two_tabs_at_once(hub: HubProcess, transport: str, era: str) -> None:
    """Each call is answered only when both have arrived: one after the other, neither ever would be."""
    first, second = f"one-{transport}-{era[:4]}", f"two-{transport}-{era[:4]}"
    async with (
        remote_tab(hub, first, lambda command, params: None) as one,
        remote_tab(hub, second, lambda command, params: None) as two,
        connect(transport, hub, mode=era) as left,
        connect(transport, hub, mode=era) as right,
        trio.open_nursery() as nursery,
    ):
        answers: list[str] = []

        async def click(client: Any, tab_id: str) -> None:
            done = await client.call_tool("kapturemcp_click", {"tabId": tab_id, "selector": "a"})
            answers.append(text_of(done))

        nursery.start_soon(click, left, first)
        nursery.start_soon(click, right, second)
        await one.until(lambda: one.commands)
        await two.until(lambda: two.commands)
        nursery.cancel_scope.cancel()
    assert answers == []


@everywhere
async def test_the_client_is_notified_of_a_new_tab(hub: HubProcess, transport: str, era: str) -> None:
    heard = trio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceListChangedNotification):
            heard.set()

    async with connect(transport, hub, mode=era, message_handler=hear) as client:
        if era == "legacy":
            await client.list_tools()
            async with remote_tab(hub, f"new-{transport}"):
                with trio.fail_after(30):
                    await heard.wait()
        else:
            async with client.listen(resources_list_changed=True) as events, remote_tab(hub, f"new-{transport}-26"):
                with trio.fail_after(30):
                    assert type(await anext(events)).__name__ == "ResourcesListChanged"


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_handshake_client_may_subscribe_to_a_tab(hub: HubProcess, transport: str) -> None:
    uris: list[str] = []
    heard = trio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            uris.append(message.params.uri)
            heard.set()

    async with connect(transport, hub, mode="legacy", message_handler=hear) as client:
        async with remote_tab(hub, f"watched-{transport}"):
            request = types.SubscribeRequest(
                params=types.SubscribeRequestParams(uri=f"kapture://tab/watched-{transport}")
            )
            await client.session.send_request(request, types.EmptyResult)
        with trio.fail_after(30):
            await heard.wait()
    assert set(uris) == {f"kapture://tab/watched-{transport}"}


async def test_an_http_session_ends_when_its_client_deletes_it(hub: HubProcess) -> None:
    info = types.Implementation(name="deleting", version="1")
    async with connect("http", hub, mode="legacy", client_info=info) as client:
        await client.list_tools()
        async with connect("websocket", hub) as other:
            assert "deleting" in text_of(await other.call_tool("kapturemcp_status", {}))
    async with connect("websocket", hub) as other:

        async def ended() -> bool:
            return "deleting" not in text_of(await other.call_tool("kapturemcp_status", {}))

        await until(ended, "a status without the client")
