"""Structured answers of profiles that have fields of their own: `structuredContent` says what the text says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.answer import CallResult
from kapture.mcp.options import Options
from tests.support.fake_hub import FakeClient, FakeHub, result
from tests.support.stack import text_of
from tests.unit.mcp.conftest import Connect


@pytest.mark.parametrize(("profile", "tool"), [("chrome", "read_as_markdown"), ("browser", "browser_get_content")])
@pytest.mark.parametrize("words", ["# Prices", '{"ok": false, "url": "https://bank.example/"}', ""])
async def test_a_pages_text_is_one_structured_field_even_if_it_reads_as_json(
    hub: FakeHub, connect: Connect, profile: str, tool: str, words: str
) -> None:
    hub.connect_tab("t1")

    async def read(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result(words, url="https://a/", title="A", content=words, start=0, length=len(words))

    hub.behaviours = {"read_as_markdown": read, "get_text": read}
    async with connect(Options(profile=profile, structured=True, plain_answers=True)) as client:
        answer = await client.call_tool(tool, {})
    assert (text_of(answer), answer.structured_content) == (words, {"result": words})


@pytest.mark.parametrize(
    ("profile", "tool", "fields"),
    [
        ("chrome", "tab_new", {"tabId": "first", "url": "https://a/", "title": "A", "active": True, "index": 0}),
        ("browser", "browser_new_tab", {"tabId": "first", "url": "https://a/", "title": "A"}),
    ],
)
async def test_the_first_tab_of_all_is_answered_with_the_profiles_own_fields(
    hub: FakeHub, connect: Connect, profile: str, tool: str, fields: dict[str, Any]
) -> None:
    async def navigate(client: FakeClient, arguments: Mapping[str, Any], progress: Any) -> CallResult:
        return result("", url="https://a/", title="A", status=200, ready_state="complete")

    hub.behaviours = {"navigate": navigate}
    async with connect(Options(profile=profile, structured=True, plain_answers=True)) as client:
        answer = await client.call_tool(tool, {"url": "https://a/"})
    assert answer.structured_content == json.loads(text_of(answer)) == fields
