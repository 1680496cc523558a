"""The flat table and JSON."""

from __future__ import annotations

import json
import re
from typing import Any

import attrs
import toons
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.page.documents.frame import parse_ref, ref_text
from kapture.snapshot.as_json import as_json
from kapture.snapshot.node import Node
from kapture.snapshot.options import Options, Position
from kapture.snapshot.toon import toon
from kapture.snapshot.tree import Tree
from tests.support.examples import examples
from tests.unit.snapshot.trees import all_keys, document, page, trees


def login() -> Tree:
    return page(
        document(
            Node(role="heading", ref=1, name="Welcome back", states={"level": 1}),
            "Email",
            Node(role="textbox", ref=2, name="Email", states={"focused": True}, value="a@b.c"),
            Node(role="checkbox", ref=4, name="Remember me", states={"checked": False}),
            Node(role="button", ref=5, name="Sign in, now"),
            Node(role="paragraph", ref=6, children=("New here?",)),
        )
    )


def test_the_table_has_one_row_an_element_with_its_states() -> None:
    assert toon(login(), Options()).text == "\n".join(
        [
            'url: "https://shop.test/a"',
            "title: Shop",
            "elements[5]{ref,role,name,states}:",
            "  e1,heading,Welcome back,level=1",
            "  e2,textbox,Email,focused value=a@b.c",
            "  e4,checkbox,Remember me,unchecked",
            '  e5,button,"Sign in, now",""',
            '  e6,paragraph,New here?,""',
        ]
    )


@given(trees(), st.integers(1_500, 6_000))
@settings(max_examples=examples(100), deadline=None)
def test_a_table_is_valid_and_within_its_limit(tree: Tree, max_chars: int) -> None:
    text = toon(tree, Options(max_chars=max_chars)).text
    assert len(text) <= max_chars
    table = toons.loads(text)
    keys = set(all_keys(tree))
    assert all(parse_ref(row["ref"]) in keys for row in table["elements"])


def refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["ref"]] if "ref" in value else []
        return own + [ref for child in value.values() for ref in refs(child)]
    if isinstance(value, list):
        return [ref for child in value for ref in refs(child)]
    return []


@given(trees())
@settings(max_examples=examples(60), deadline=None)
def test_json_gives_every_element_once_page_by_page(tree: Tree) -> None:
    found: list[str] = []
    options = Options(max_chars=2_000)
    for _ in range(5_000):
        rendering = as_json(tree, options)
        assert len(json.dumps(rendering.value, ensure_ascii=False, separators=(",", ":"))) <= 2_000
        found += refs(rendering.value)
        if rendering.next is None:
            break
        options = Options(max_chars=2_000, start=rendering.next)
    shown = {ref_text(frame, ref) for frame, ref in all_keys(tree) if not (frame and ref == 50_000)}
    assert shown <= set(found)
    assert len([ref for ref in found if ref in shown]) == len(shown)


def test_json_goes_on_with_the_parts_that_are_left() -> None:
    tree = page(
        document(
            Node(role="list", ref=1, children=tuple(Node(role="listitem", ref=i, name=f"i{i}") for i in range(2, 6))),
            Node(role="button", ref=9, name="end"),
        )
    )
    items = [{"role": "listitem", "ref": f"e{i}", "name": f"i{i}"} for i in (4, 5)]
    assert as_json(tree, Options(start=Position(("", 4)))).value["parts"] == [
        {"in": "e1", "children": items},
        {"in": "e100000", "children": [{"role": "button", "ref": "e9", "name": "end"}]},
    ]


def test_a_client_that_can_only_give_start_sees_every_row_of_a_long_page() -> None:
    buttons = [Node(role="button", ref=ref, name=f"Button {ref}") for ref in range(1, 3_001)]
    words = "word " * 400
    tree = page(document(*buttons, Node(role="article", ref=3_001, children=(words,)), Node(role="link", ref=3_002)))
    options = Options(by_start=True)
    todo, done, names, texts = [options], set(), set(), set()
    while todo:
        options = todo.pop()
        if options.start in done:
            continue
        done.add(options.start)
        rendering = toon(tree, options)
        table = toons.loads(rendering.text)
        names |= {row["ref"] for row in table["elements"]}
        texts |= {row["name"] for row in table["elements"] if row["role"] == "text"}
        notes = table.get("notes", [])
        assert all("ref=" not in note for note in notes)
        for ref, item in re.findall(r"start=e(\d+)(?::(\d+))?", " ".join(notes)):
            todo.append(attrs.evolve(options, start=Position(("", int(ref)), int(item) if item else None)))
    assert names >= {f"e{ref}" for ref in range(1, 3_003)}
    assert words.strip() in texts
