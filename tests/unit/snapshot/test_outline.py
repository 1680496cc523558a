"""How the common things look in an outline."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kapture.page.documents.frame import parse_ref
from kapture.snapshot.node import Node
from kapture.snapshot.notation import head, named
from kapture.snapshot.options import Options, Position
from kapture.snapshot.render import outline
from kapture.snapshot.tree import FrameView, Tree
from tests.support.examples import examples
from tests.unit.snapshot.exploring import REF, bare, explore, shown_in_full
from tests.unit.snapshot.trees import ROLES, all_keys, document, page, trees


def lines(*children: Node | str, **options: object) -> list[str]:
    return outline(page(document(*children)), Options(**options)).text.splitlines()[1:]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        'x"\nbutton "Pay" ref=e1',
        'x\\" ref=e1',
        "x\u2028button ref=e1",
        "x\rbutton",
        "\u202eevil",
        "\x00\x1b[31m",
        "a\U000e0041\U000e0042b",
        "\ud83d half",
    ],
)
def test_a_hostile_name_stays_between_its_quotes(name: str) -> None:
    [line] = lines(Node(role="button", ref=5, name=name))
    assert bare(line) == "button Q ref=e5"
    assert "\U000e0041" not in line
    [line] = lines(name)
    assert bare(line) == "Q"
    option = Node(role="option", ref=6, name=name)
    [line] = lines(Node(role="combobox", ref=5, children=(option, Node(role="option", ref=7, name="x"))))
    assert bare(line) == "combobox ref=e5: Q | Q"
    cell = Node(role="cell", ref=6, name=name)
    [line] = lines(Node(role="row", ref=5, children=(cell, Node(role="cell", ref=7, children=(name,)))))
    assert bare(line) == "row: cell Q | Q"
    [line] = lines(Node(role="slider", ref=5, states={"min": name, "max": name}))
    assert REF.findall(bare(line)) == ["e5"]
    [line] = lines(Node(role=name, ref=5, states={name: name}, value=name, url=name, description=name, clickable=True))
    assert REF.findall(bare(line)) == ["e5"]


def test_states_are_shown_as_words() -> None:
    assert lines(
        Node(role="checkbox", ref=1, name="a", states={"checked": "mixed"}),
        Node(role="button", ref=2, name="b", states={"expanded": False, "haspopup": "menu"}),
        Node(role="slider", ref=3, name="c", value="5", states={"min": 0, "max": 10}),
        Node(role="generic", ref=4, clickable=True, children=("d",)),
    ) == [
        'checkbox "a" [checked=mixed] ref=e1',
        'button "b" [collapsed haspopup=menu] ref=e2',
        'slider "c" [0..10] = "5" ref=e3',
        'generic [clickable] ref=e4: "d"',
    ]


def test_a_row_is_a_line() -> None:
    def cell(ref: int, *children: Node | str) -> Node:
        return Node(
            role="cell", ref=ref, name="".join(c if isinstance(c, str) else c.name for c in children), children=children
        )

    row = Node(
        role="row", ref=9, children=(cell(1, "Apple"), cell(2, ""), cell(3, Node(role="button", ref=4, name="Buy")))
    )
    header = Node(role="row", ref=8, children=(Node(role="columnheader", ref=5, name="Fruit", children=("Fruit",)),))
    assert lines(Node(role="table", ref=10, children=(Node(role="rowgroup", ref=11, children=(header, row)),))) == [
        "table ref=e10",
        '  row [header]: "Fruit"',
        '  row: "Apple" | "" | button "Buy" ref=e4',
    ]


def rows(count: int, cells: int) -> Node:
    return Node(
        role="table",
        ref=1,
        children=tuple(
            Node(
                role="row",
                ref=100 * i + 100,
                children=tuple(
                    Node(role="cell", ref=100 * i + 101 + j, children=(f"cell {i} {j}",)) for j in range(cells)
                ),
            )
            for i in range(count)
        ),
    )


@pytest.mark.parametrize("cells", [1, 6, 30])
def test_a_table_of_500_rows_is_short_and_every_row_can_be_reached(cells: int) -> None:
    tree = page(document(rows(500, cells)))
    text = outline(tree, Options()).text
    assert len(text) < 6_000
    assert re.search(r"… \d+ more rows, ref=e1", text)
    shown: list[str] = []
    explore(tree, 20_000, 100, shown)
    assert all(any(f'"cell {i} 0"' in text for text in shown) for i in range(500))


def test_a_scrolled_run_shows_what_is_on_screen() -> None:
    table = rows(500, 1)
    children = tuple(
        Node(role="row", ref=row.ref, offscreen=not 300 <= at < 310, children=(f"cell {at} 0",))
        for at, row in enumerate(row for row in table.children if isinstance(row, Node))
    )
    text = outline(page(document(Node(role="table", ref=1, children=children))), Options()).text
    assert "… 300 rows before, ref=e1" in text
    assert '"cell 300 0"' in text
    assert "more rows, ref=e1" in text


def test_a_long_page_counts_what_is_off_screen_and_keeps_its_headings() -> None:
    def part(at: int) -> list[Node | str]:
        far = at > 0
        return [
            Node(role="heading", ref=1_000 + at, name=f"Part {at}", states={"level": 2}, offscreen=far),
            *(
                Node(role="paragraph", ref=10_000 + 100 * at + i, offscreen=far, children=("word " * 30,))
                for i in range(20)
            ),
        ]

    shown = lines(*part(0), *part(1), *part(2))
    assert sum(line.startswith('"word') for line in shown) == 20
    assert 'heading "Part 2" [level=2]' in shown
    assert "… off screen: 20 texts, start=e10100" in shown
    again = lines(*part(0), *part(1), *part(2), start=Position(("", 10_100)))
    assert again[0] == "in page:"
    assert sum(line.startswith('"word') for line in again) == 40


def test_a_frame_outside_the_grant_shows_nothing_of_its_own() -> None:
    frame = Node(role="iframe", ref=7, frame="f1")
    tree = page(document(frame), f1=FrameView(key="f1", parent="", problem="not granted", origin="https://pay.example"))
    assert outline(tree, Options()).text.splitlines()[1:] == ["iframe (not granted: https://pay.example) ref=e7"]


def test_a_granted_frame_inside_one_that_is_not_is_still_shown() -> None:
    tree = page(
        document(Node(role="iframe", ref=7, frame="f1")),
        f1=FrameView(key="f1", parent="", problem="not granted", origin="https://pay.example"),
        f2=FrameView(key="f2", parent="f1", root=document(Node(role="button", ref=3, name="Pay"), ref=1)),
    )
    assert outline(tree, Options()).text.splitlines()[1:] == [
        "iframe (not granted: https://pay.example) ref=e7",
        '  button "Pay" ref=f2e3',
    ]


def test_depth_counts_levels_and_says_what_is_deeper() -> None:
    inner = Node(role="form", ref=3, children=(Node(role="button", ref=4), Node(role="button", ref=5)))
    tree = (Node(role="main", ref=1, children=(Node(role="heading", ref=2, name="A"), inner)),)
    assert lines(*tree, depth=1) == ["main ref=e1: … 2 buttons, 1 heading inside"]
    assert lines(*tree, depth=2) == ["main ref=e1", '  heading "A"', "  form ref=e3: … 2 buttons inside"]
    assert lines(*tree, depth=1, root=("", 1)) == [
        "main ref=e1:",
        '  heading "A"',
        "  form ref=e3: … 2 buttons inside",
    ]


def test_interactive_only_keeps_what_can_be_acted_on_and_what_tells_it_apart() -> None:
    row = Node(
        role="row",
        ref=3,
        children=(
            Node(role="cell", ref=4, children=("Ann",)),
            Node(role="cell", ref=5, children=(Node(role="button", ref=6, name="Delete"),)),
        ),
    )
    assert lines(
        Node(role="heading", ref=1, name="People"),
        "some text",
        Node(role="table", ref=2, children=(row,)),
        Node(role="paragraph", ref=7, children=("See", Node(role="link", ref=8, name="terms"))),
        interactive_only=True,
    ) == ['row: "Ann" | button "Delete" ref=e6', 'link "terms" ref=e8']


def test_a_long_text_is_cut_and_read_on_by_its_ref() -> None:
    text = "word " * 1_000
    [line] = lines(Node(role="paragraph", ref=4, children=(text,)))
    assert line.endswith(" 4,499 more characters, ref=e4")
    whole = lines(Node(role="paragraph", ref=4, children=(text,)), root=("", 4))
    assert whole[0] == "paragraph ref=e4:"
    assert len(whole[1]) > 4_900


# One element on one line.


def lines_outline_wording(*children: Node | str) -> list[str]:
    return outline(page(document(*children)), Options()).text.splitlines()[1:]


def test_text_after_part_on_same_line_is_not_taken_for_its_content() -> None:
    toggle = Node(role="generic", ref=2, clickable=True, children=("▸",))
    icon = Node(role="generic", ref=3, clickable=True, children=(Node(role="link", ref=4, name="b"),))
    assert lines_outline_wording(Node(role="listitem", ref=1, children=(toggle, "Music"))) == [
        'generic "▸" [clickable] ref=e2 "Music"'
    ]
    assert lines_outline_wording(Node(role="listitem", ref=1, children=("Music", toggle))) == [
        '"Music" generic [clickable] ref=e2: "▸"'
    ]
    cells = [Node(role="cell", ref=5, children=(toggle, "Music")), Node(role="cell", ref=6, children=(toggle,))]
    assert lines_outline_wording(Node(role="row", ref=1, children=(*cells, "9"))) == [
        'row: generic "▸" [clickable] ref=e2 "Music" | generic [clickable] ref=e2: "▸" | "9"'
    ]
    assert lines_outline_wording(Node(role="listitem", ref=1, children=(icon, "Music"))) == [
        "listitem",
        '  generic [clickable] ref=e3: link "b" ref=e4',
        '  "Music"',
    ]


# Laws of the outline.


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


# What tells nameless elements apart, as it is written down.


@pytest.mark.parametrize(
    ("hint", "written"),
    [
        (("icon", "trash"), "(icon trash)"),
        (("icon", "Archive it"), '(icon "Archive it")'),
        (("colour", "#c0392b"), "(colour #c0392b)"),
        (("row", 'Tea") ref=e1'), '(row "Tea\\") ref=e1")'),
    ],
)
def test_a_hint_stands_before_the_ref_and_cannot_end_its_quotes(hint: tuple[str, str], written: str) -> None:
    node = Node(role="button", ref=5, hint=hint)
    assert head("", node) == f"button {written} ref=e5"
    assert named(node) == f"button {written}"
