"""Laws of the outline."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.page.documents.frame import parse_ref
from kapture.snapshot.options import Options
from kapture.snapshot.render import outline
from kapture.snapshot.tree import Tree
from tests.support.examples import examples
from tests.unit.snapshot.exploring import REF, bare, explore, shown_in_full
from tests.unit.snapshot.trees import ROLES, all_keys, trees


@given(trees())
@settings(max_examples=examples(40), deadline=None)
def test_every_element_is_shown_or_reached_by_following_hints(tree: Tree) -> None:
    assert shown_in_full(tree) <= explore(tree, 20_000, 3_000)


@given(trees())
@settings(max_examples=examples(30), deadline=None)
def test_every_element_is_reached_however_small_the_pieces(tree: Tree) -> None:
    assert shown_in_full(tree) <= explore(tree, 1_500, 10_000)


@given(
    trees(),
    st.integers(1_500, 8_000),
    st.booleans(),
    st.booleans(),
    st.one_of(st.none(), st.integers(1, 5)),
    st.data(),
)
@settings(max_examples=examples(100), deadline=None)
def test_the_limit_holds_and_no_ref_is_made_up(
    tree: Tree, max_chars: int, interactive: bool, viewport: bool, depth: int | None, data: st.DataObject
) -> None:
    keys = sorted(set(all_keys(tree)))
    root = data.draw(st.one_of(st.none(), st.sampled_from(keys)))
    options = Options(root=root, max_chars=max_chars, interactive_only=interactive, viewport_only=viewport, depth=depth)
    text = outline(tree, options).text
    assert len(text) <= max_chars
    shown = {parse_ref(ref) for ref in REF.findall(bare(text))}
    assert shown <= set(keys)


@given(trees())
@settings(max_examples=examples(60), deadline=None)
def test_words_of_a_page_make_no_lines_and_no_refs(tree: Tree) -> None:
    text = outline(tree, Options()).text
    assert all(
        character == "\n"
        or character.isprintable()
        or character in "\u200c\u200d\u200e\u200f\u061c"
        or ord(character) > 0x10000
        or not character.isspace()
        for character in text
    )
    text.encode()  # no halves of characters
    assert '"' not in bare(text)
    for line in text.splitlines()[1:]:
        start = line.lstrip(" ")
        known = start.startswith(('"', "… ", "in ", "(")) or re.match(r"[A-Za-z]+", start)
        assert known, line
        word = re.match(r"[A-Za-z]+", start)
        if word and not start.startswith("in "):
            assert word[0] in ROLES
