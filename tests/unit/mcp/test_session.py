"""One MCP session: tools, resources, prompts, completion, notifications, approvals."""

from __future__ import annotations

import json
import re
import typing
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import jsonschema  # type: ignore[import-untyped]
import mcp_types as types
import pytest
import trio
from mcp.shared.exceptions import MCPError

import kapture.commands
import kapture.commands.console
import kapture.commands.scripts.evaluate  # noqa: F401  registers the commands
from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.registry import Command, all_commands
from kapture.commands.core.run import as_json
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import HubEvent
from kapture.mcp.notifier import Notifier
from kapture.mcp.options import TOOLSETS, Options
from kapture.mcp.profiles import profile_of
from kapture.mcp.results import error_result
from kapture.mcp.schema import output_schema
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.stack import text_of
from tests.unit.commands.answer_examples import EXAMPLES
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
        *(f"kapture://tab/{{id}}/{view}" for view in ("console", "snapshot", "screenshot", "network", "pins")),
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


# What a client is told of what happens, when much happens at once.


class Busy:
    """A hub on which everything has happened already. The list of tools is another one each time."""

    def __init__(self, events: list[HubEvent]) -> None:
        self.events = events
        self.looked = 0

    @asynccontextmanager
    async def subscribe(self) -> Any:
        send, receive = trio.open_memory_channel[HubEvent](1_000)
        async with send, receive:
            for event in self.events:
                send.send_nowait(event)
            await send.aclose()
            yield receive

    def usable_tools(self) -> tuple[object, ...]:
        self.looked += 1
        return (self.looked,)


class Connection:
    """A client's session in the SDK: `sent` counts what it was sent."""

    def __init__(self) -> None:
        self.sent: Counter[str] = Counter()

    async def send_tool_list_changed(self) -> None:
        self.sent["tools"] += 1

    async def send_resource_list_changed(self) -> None:
        self.sent["resources"] += 1

    async def send_resource_updated(self, uri: str) -> None:
        self.sent[uri] += 1


async def test_events_that_arrive_together_are_notified_once_and_no_tab_is_left_out() -> None:
    events = [HubEvent(kind="tab_connected", tab_id=f"t{number % 100}") for number in range(200)]
    hub: Any = Busy(events)
    notifier = Notifier(hub, hub.usable_tools)
    connection: Any = Connection()
    notifier.connection = connection
    for uri in ("kapture://tabs", *(f"kapture://tab/t{number}" for number in range(100))):
        notifier.subscribe(uri)
    await notifier.run()
    assert hub.looked == 2, "at the beginning, and once for all events"
    assert (connection.sent["tools"], connection.sent["resources"], connection.sent["kapture://tabs"]) == (1, 1, 1)
    assert sum(uri.startswith("kapture://tab/") for uri in connection.sent) == 100


# Errors as results of tools.


@pytest.mark.parametrize("code", [ErrorCode.EXECUTION_ERROR, ErrorCode.INVALID_PARAMS])
def test_a_long_error_of_a_page_does_not_fill_the_models_context(code: ErrorCode) -> None:
    text = error_result(KaptureError(code, "x" * 5_000_000, hint="Look at the page."))["content"][0]["text"]
    assert len(text) < 9_000
    assert "… [4992000 more characters]" in text
    assert text.endswith("Look at the page.")


# JSON Schemas of commands and of their answers.


_REFUSED = {
    *("$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "not", "if", "const", "prefixItems", "propertyNames"),
    *("patternProperties", "unevaluatedProperties", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "title"),
}
"""Keywords that Gemini, OpenAI's functions or Copilot refuse in the parameters of a tool."""


def refused(schema: dict[str, Any], path: str) -> Iterator[str]:
    """Return the problems that one of them sees in the schema of a tool's parameters."""
    if not isinstance(kind := schema.get("type"), str):
        yield f"{path}: not one type: {kind}"
    yield from (f"{path}: {key}" for key in _REFUSED & set(schema))
    if "enum" in schema and (kind != "string" or not all(isinstance(one, str) for one in schema["enum"])):
        yield f"{path}: enum of other than text"
    if schema.get("format", "date-time") != "date-time":
        yield f"{path}: format"
    if kind == "array" and schema.get("items", {}).get("type", "array") == "array":
        yield f"{path}: array without items, or of arrays"
    for name, part in schema.get("properties", {}).items():
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            yield f"{path}.{name}: name"
        yield from refused(part, f"{path}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(part := schema.get(key), dict):
            yield from refused(part, f"{path}.{key}")


@pytest.mark.parametrize(
    "options",
    [Options(toolsets=TOOLSETS), *(Options(profile=name) for name in ("minimal", "chrome", "browser"))],
    ids=lambda options: options.profile,
)
def test_no_schema_is_refused_by_a_strict_model_or_client(options: Options) -> None:
    for tool in profile_of(options).tools:
        assert tool.schema["type"] == "object"
        assert "properties" in tool.schema
        assert list(refused(tool.schema, tool.name)) == []
        assert len(f"mcp__kapture__{tool.name}") <= 64
        assert 0 < len(tool.description) <= 1_024


ANSWERS = [
    pytest.param(answer, id=f"{family}: {title}")
    for family, examples in EXAMPLES.items()
    for title, answer in examples.items()
]


@pytest.mark.parametrize("command", list(all_commands()), ids=lambda command: command.name)
def test_additions_to_answer_use_unused_names(command: Command) -> None:
    answer = typing.get_type_hints(command.handler)["return"]
    added = ({"effects"} if command.acts else set()) | ({"snapshot"} if command.shows_page else set())
    assert added <= set(output_schema(command)["properties"])
    assert not added & {field.name for field in attrs.fields(answer)}


@pytest.mark.parametrize("answer", ANSWERS)
def test_every_example_of_an_answer_is_as_its_output_schema_says(answer: Answer) -> None:
    commands = [one for one in all_commands() if typing.get_type_hints(one.handler)["return"] is type(answer)]
    assert commands
    for command in commands:
        jsonschema.validate(json.loads(json.dumps(as_json(answer))), output_schema(command))
