"""One MCP session: tools, resources, prompts, completion, notifications, approvals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pytest
import trio
from mcp.shared.exceptions import MCPError

import kapture.commands.console
import kapture.commands.scripts.evaluate  # noqa: F401  registers the commands
from kapture.commands.core.answer import Blob, CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import Options
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.stack import text_of
from tests.unit.mcp.conftest import Connect
from tests.unit.mcp.test_page_tools_as_tools import declared

ERAS = ["legacy", "2026-07-28"]


@pytest.mark.parametrize(("profile", "tool"), [("kapture", "kapturemcp_evaluate"), ("chrome", "eval")])
async def test_every_tool_of_a_profile_is_listed_whatever_is_granted_and_declared(
    profile: str, tool: str, hub: FakeHub, connect: Connect
) -> None:
    async with connect(Options(profile=profile)) as client:
        assert tool in {listed.name for listed in (await client.list_tools()).tools}


async def test_a_listening_client_of_2026_is_notified_on_its_stream(hub: FakeHub, connect: Connect) -> None:
    tab = hub.connect_tab("t1")
    async with (
        connect(Options(page_tools="dynamic"), mode="2026-07-28") as client,
        client.listen(tools_list_changed=True, resource_subscriptions=["kapture://tab/t1"]) as events,
    ):
        tab.page_tools = declared("add")
        hub.emit("page_tools", "t1")
        with trio.fail_after(30):
            seen = [type(await anext(events)).__name__ for _ in range(2)]
    assert seen == ["ToolsListChanged", "ResourceUpdated"]


async def test_resources_are_the_connected_tabs_and_their_views(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1", title="Shop")

    async def shoot(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", parts=(Blob(base64="aGk=", mime_type="image/webp"),))

    hub.behaviours["screenshot"] = shoot
    async with connect() as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        console = (await client.read_resource("kapture://tab/t1/console")).contents[0]
        picture = (await client.read_resource("kapture://tab/t1/screenshot")).contents[0]
        with pytest.raises(MCPError) as gone:
            await client.read_resource("kapture://tab/t9")
        with pytest.raises(MCPError) as unknown:
            await client.read_resource("kapture://tab/t1/cookies")
    assert [resource.uri for resource in listed] == ["kapture://tabs", "kapture://tab/t1"]
    assert {template.uri_template for template in templates} == {
        "kapture://tab/{id}",
        *(f"kapture://tab/{{id}}/{view}" for view in ("console", "snapshot", "screenshot", "network")),
    }
    assert isinstance(console, types.TextResourceContents)
    assert "logs done" in console.text
    assert isinstance(picture, types.BlobResourceContents)
    assert picture.blob == "aGk="
    assert gone.value.error.code == unknown.value.error.code == -32002


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("raised", "quoted"),
    [
        (KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open: “words of a page”.", hint="Answer it."), True),
        (KaptureError(ErrorCode.UNSUPPORTED, "It says “words of a page”.", quotes_page=True), True),
        (RuntimeError("words of a page"), False),
    ],
)
async def test_words_of_a_page_in_an_error_of_the_protocol_are_fenced(
    hub: FakeHub, connect: Connect, raised: Exception, quoted: bool, mode: str
) -> None:
    hub.connect_tab("t1")

    async def fail(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        raise raised

    hub.behaviours["logs"] = fail
    async with connect(mode=mode) as client:
        with pytest.raises(MCPError) as told:
            await client.read_resource("kapture://tab/t1/console")
    fenced = re.search(r"<page-content (\w+)>\n(.*)\n</page-content \1>", told.value.error.message, re.DOTALL)
    assert fenced
    assert ("words of a page" in fenced[2]) is quoted
    assert "words of a page" not in str(told.value.error).replace(fenced[0], "").replace(repr(fenced[0])[1:-1], "")


async def test_a_subscriber_is_notified_when_its_tab_navigates(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("t1")
    send, heard = trio.open_memory_channel[Any](100)

    async def hear(message: Any) -> None:
        send.send_nowait(message)

    async with connect(mode="legacy", message_handler=hear) as client:
        await client.session.send_request(
            types.SubscribeRequest(params=types.SubscribeRequestParams(uri="kapture://tab/t1/snapshot")),
            types.EmptyResult,
        )
        hub.emit("tab_changed", "t1")
        with trio.fail_after(30):
            uris: list[str] = []
            while not uris:
                message = await heard.receive()
                if isinstance(message, types.ResourceUpdatedNotification):
                    uris.append(message.params.uri)
    assert uris == ["kapture://tab/t1/snapshot"]


async def test_prompts_fill_in_what_the_person_gave(hub: FakeHub, connect: Connect) -> None:
    async with connect() as client:
        names = {prompt.name for prompt in (await client.list_prompts()).prompts}
        prompt = await client.get_prompt("fill_form", {"tabId": "t1", "data": "name: {submit}"})
        with pytest.raises(MCPError):
            await client.get_prompt("fill_form", {"tabId": "t1"})
    assert names == {"connect_tab", "explore_page", "fill_form", "debug_page", "record_scenario", "run_scenario"}
    content = prompt.messages[0].content
    assert isinstance(content, types.TextContent)
    assert "in tab t1" in content.text
    assert "name: {submit}" in content.text


async def test_tab_ids_are_completed_by_id_title_and_address(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("abc", title="Basket", url="https://shop.example/basket")
    hub.connect_tab("xyz", title="Mail", url="https://mail.example/")
    reference = types.ResourceTemplateReference(uri="kapture://tab/{id}")
    async with connect() as client:
        by_id = await client.complete(reference, {"name": "id", "value": "ab"})
        by_title = await client.complete(reference, {"name": "id", "value": "mail"})
    assert by_id.completion.values == ["abc"]
    assert by_title.completion.values == ["xyz"]


async def test_a_title_that_a_client_may_not_see_completes_nothing_for_it(hub: FakeHub, connect: Connect) -> None:
    hub.connect_tab("xyz", title="Mail", url="https://mail.example/")
    async with connect() as client:
        reference = types.ResourceTemplateReference(uri="kapture://tab/{id}")
        assert (await client.complete(reference, {"name": "id", "value": "mail"})).completion.values == ["xyz"]
        hub.closed_to.update(one.name for one in hub.clients)
        assert (await client.complete(reference, {"name": "id", "value": "mail"})).completion.values == []
        assert (await client.complete(reference, {"name": "id", "value": "x"})).completion.values == ["xyz"]


async def guarded(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
    """Asks the client's person, as the hub does: in a task of its own."""
    decisions = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            decisions.append(await client.elicit("tester wants to evaluate", "on this tab"))

        nursery.start_soon(ask)
    return result(str(decisions[0]), untrusted=False)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (types.ElicitResult(action="accept", content={"decision": "once"}), "once"),
        (types.ElicitResult(action="accept", content={"decision": "tab"}), "deny"),
        (types.ElicitResult(action="decline"), "deny"),
        (types.ElicitResult(action="cancel"), None),
    ],
)
async def test_an_approval_is_put_to_the_person_through_the_client(
    hub: FakeHub, connect: Connect, mode: str, reply: types.ElicitResult, verdict: str | None
) -> None:
    hub.connect_tab("t1")
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return reply

    hub.behaviours["logs"] = guarded
    async with connect(mode=mode, elicitation_callback=answer) as client:
        done = await client.call_tool("kapturemcp_logs", {"tabId": "t1"})
    assert asked == ["tester wants to evaluate\n\non this tab"]
    assert text_of(done) == str(verdict)


@pytest.mark.parametrize("answer", [{}, {"action": 5}])
async def test_an_answer_to_something_else_than_the_form_is_none(
    hub: FakeHub, connect: Connect, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any]
) -> None:
    hub.connect_tab("t1")
    hub.behaviours["logs"] = guarded
    monkeypatch.setattr("mcp.client.session._methods.validate_client_result", lambda *_: None)

    async def answer_wrongly(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult.model_construct(**answer)

    async with connect(mode="legacy", elicitation_callback=answer_wrongly) as client:
        assert text_of(await client.call_tool("kapturemcp_logs", {"tabId": "t1"})) == "None"


@pytest.mark.parametrize("mode", ERAS)
async def test_a_client_that_shows_no_forms_is_not_asked(hub: FakeHub, connect: Connect, mode: str) -> None:
    hub.connect_tab("t1")
    seen: list[Any] = []

    async def guarded(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        seen.append(client.elicit)
        return result("")

    hub.behaviours["logs"] = guarded
    async with connect(mode=mode) as client:
        await client.call_tool("kapturemcp_logs", {"tabId": "t1"})
    assert seen == [None]
