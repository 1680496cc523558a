"""The flat table and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import msgspec
import pytest
import toons
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.page.documents.frame import parse_ref, ref_text
from kapture.snapshot.as_json import as_json
from kapture.snapshot.node import Node
from kapture.snapshot.options import Options, Position
from kapture.snapshot.quoting import flat, plain_url, quote, token, verbatim
from kapture.snapshot.toon import toon
from kapture.snapshot.tree import KnownTree, SentTree, Tree, completed
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


VECTORS = json.loads((Path(__file__).parents[2] / "snapshot" / "sent_trees.json").read_text("utf-8"))


def _node(described: Mapping[str, Any]) -> Node:
    children = tuple(child if isinstance(child, str) else _node(child) for child in described.get("children", ()))
    hint = described.get("hint")
    return Node(**{**described, "children": children, "hint": None if hint is None else tuple(hint)})


@pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["name"]) for vector in VECTORS])
def test_every_vector_is_read_as_the_tree_that_it_was_made_of(vector: dict[str, Any]) -> None:
    known = None
    answer = {"root": vector["sent"], "number": 8}
    if "base" in vector:
        known = KnownTree(7, _node(vector["base"]))
        answer["base"] = 7
    sent = msgspec.json.decode(json.dumps(answer), type=SentTree)
    assert completed(sent, known) == _node(vector["tree"])


def test_unchanged_part_is_the_same_object() -> None:
    still = Node(role="list", ref=2, children=("a",))
    known = KnownTree(7, Node(role="document", ref=1, children=(still, "b")))
    sent = SentTree(Node(role="document", ref=1, children=(Node(role="", ref=2), "c")), number=8, base=7)
    root = completed(sent, known)
    assert root.children[0] is still
    assert completed(SentTree(Node(role="", ref=1), number=9, base=8), KnownTree(8, root)) is root


def test_facts_that_are_not_known_yet_are_passed_over() -> None:
    answer = b'{"root": ["button", 3, "", [], false, {}, null, false, null, null, null, null, false, 1], "fresh": 1}'
    assert msgspec.json.decode(answer, type=SentTree).root == Node(role="button", ref=3)


# Whatever a page writes stays between its quotes, visible and on one line.


QUOTED = re.compile(r'"(?:[^"\\]|\\["\\nt])*"…?')
hostile = st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"\\\n\r\t\u2028\u202e\U000e0041\ud800=… ')))


@given(hostile, st.integers(1, 50))
def test_a_quote_ends_where_it_says(text: str, limit: int) -> None:
    assert QUOTED.fullmatch(quote(flat(text), limit))
    inner = quote(flat(text), limit).removesuffix("…")[1:-1]
    assert '"' not in inner.replace("\\\\", "").replace('\\"', "")


@given(hostile)
def test_flat_text_is_one_line_that_any_encoder_takes(text: str) -> None:
    shown = flat(text)
    shown.encode()
    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), min_size=1))
def test_visible_text_is_left_as_it_is(text: str) -> None:
    assert flat(text) == text


@given(hostile)
def test_flattening_twice_changes_nothing(text: str) -> None:
    assert flat(flat(text)) == flat(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u00a0 b\n", "a b"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\ue123 Save", "Save"),
        ("\u202eevil", "‹U+202E›evil"),
        ("a\U000e0041b", "ab"),
        ("\ud83d", "‹U+D83D›"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👩", "👩\u200d👩"),
    ],
)
def test_invisible_characters(text: str, shown: str) -> None:
    assert flat(text) == shown


def test_typed_line_ends_are_reported() -> None:
    assert quote(verbatim("one\r\ntwo\tthree"), 99) == '"one\\ntwo\\tthree"'


@given(hostile)
def test_a_url_has_nothing_that_could_end_it(url: str) -> None:
    assert re.fullmatch(r"[\x21\x23-\x5b\x5d-\x7e]*…?", plain_url(url, 60))


@given(hostile)
def test_a_token_is_one_word_or_quoted(text: str) -> None:
    assert re.fullmatch(r'[A-Za-z][A-Za-z0-9_-]*|".*"…?', token(text))
