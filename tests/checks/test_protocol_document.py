"""docs/PROTOCOL.md names the messages and fields that `kapture.wire` declares, all of them and no others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec.inspect
import pytest

from kapture.wire.messages import FromHub, FromTab

OF_OTHERS = ("The native messaging host", "MCP clients on the same port")
"""Sections about other connections, whose messages are declared elsewhere."""
SECTIONS = re.split(
    r"^## ", (Path(__file__).parents[2] / "docs" / "PROTOCOL.md").read_text("utf-8"), flags=re.MULTILINE
)
DOCUMENT = "".join(section for section in SECTIONS if not section.startswith(OF_OTHERS))
FIELDS_OF: dict[str, set[str]] = {}
"""The encoded names of a type's fields; those of a type that both directions have, together."""
for message in {*get_args(FromHub), *get_args(FromTab)}:
    declared = msgspec.inspect.type_info(message)
    assert isinstance(declared, msgspec.inspect.StructType)
    FIELDS_OF.setdefault(str(declared.tag), set()).update(field.encode_name for field in declared.fields)

SNIPPET = re.compile(r'`(\{"type":"(\w+)"[^`]*)`')
KEY = re.compile(r'"(\w+)"\??(?=[,:?}]|, …)')


def keys_of(snippet: str) -> set[str]:
    """The keys of a message as the document writes it, without those of the objects inside it."""
    depth, outer = 0, ""
    for character in snippet:
        depth -= character in "}]"
        outer += character if depth <= 1 else ""
        depth += character in "{["
    return set(KEY.findall(re.sub(r':("[^"]*"|\d+)', ":", outer))) - {"type"}


@pytest.mark.parametrize(
    ("snippet", "keys"),
    [
        ('{"type":"ping","ts"}', {"ts"}),
        ('{"type":"event","event":"cdp","method","dropped"?}', {"event", "method", "dropped"}),
        ('{"type":"held","by"?:{"client","since"}}', {"by"}),
        (
            '{"type":"register_browser","protocol":1,"capabilities":["a","b"],"launched"?}',
            {"protocol", "capabilities", "launched"},
        ),
    ],
)
def test_the_keys_of_a_snippet_are_those_of_the_message_itself(snippet: str, keys: set[str]) -> None:
    assert keys_of(snippet) == keys


def test_every_key_that_the_document_gives_a_message_is_declared() -> None:
    unknown = [
        (tag, sorted(keys_of(snippet) - FIELDS_OF.get(tag, set())))
        for snippet, tag in SNIPPET.findall(DOCUMENT)
        if tag not in FIELDS_OF or keys_of(snippet) - FIELDS_OF[tag]
    ]
    assert unknown == []


@pytest.mark.parametrize("tag", sorted(FIELDS_OF))
def test_every_message_stands_in_the_document_with_its_fields(tag: str) -> None:
    assert re.search(rf'"type"\s*:\s*"{tag}"|`{tag}`', DOCUMENT), "it is not mentioned"
    missing = [name for name in sorted(FIELDS_OF[tag]) if not re.search(rf'["`{{ ]{name}["`?}}]', DOCUMENT)]
    assert missing == []
