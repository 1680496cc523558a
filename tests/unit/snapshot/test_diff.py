"""Laws of differences."""

from __future__ import annotations

import re
from typing import Any

import attrs
from hypothesis import given, settings

from kapture.snapshot.changes import describe
from kapture.snapshot.content import Piece
from kapture.snapshot.diff import compare
from kapture.snapshot.matching import match
from kapture.snapshot.node import Node
from kapture.snapshot.options import Options
from kapture.snapshot.take import remembering
from kapture.snapshot.tree import FrameView, Tree
from kapture.snapshot.view import changes_since, transient_lines
from tests.support.examples import examples
from tests.unit.snapshot.trees import close_pairs, document, node_with, page, tree_pairs, trees


def changes(old: Node, new: Node) -> list[str]:
    text = describe(page(document(old)), page(document(new)), root=None, max_chars=20_000)
    assert text is not None
    return text.splitlines()


def item(ref: int, text: str, *more: Node) -> Node:
    return Node(role="listitem", ref=ref, children=(text, *more))


@given(tree_pairs())
@settings(max_examples=examples(60), deadline=None)
def test_a_diff_applied_to_the_old_tree_gives_the_new_one(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    assert compare(old, new).apply(old) == new
    assert compare(new, old).apply(new) == old


@given(trees())
@settings(max_examples=examples(60), deadline=None)
def test_a_tree_does_not_differ_from_itself(tree: Tree) -> None:
    assert not compare(tree, tree)
    assert describe(tree, tree, root=None, max_chars=20_000) == ""


@given(tree_pairs())
@settings(max_examples=examples(60), deadline=None)
def test_frames_that_come_go_and_load_are_part_of_the_diff(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    came = Tree({**new.frames, "f9": FrameView(key="f9", parent="", root=Node(role="document", ref=1))})
    assert compare(old, came).apply(old) == came
    assert compare(came, old).apply(came) == old


@given(tree_pairs())
@settings(max_examples=examples(60), deadline=None)
def test_the_words_of_a_diff_are_never_longer_than_the_page(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    options = Options()
    from kapture.snapshot.render import outline

    view = changes_since(old, new, options)
    assert len(view.text) <= max(1_000, len(outline(new, options).text))


@given(close_pairs())
@settings(max_examples=examples(300), deadline=None)
def test_an_element_that_came_or_went_is_named_unless_the_page_is_shown_as_a_whole(pair: tuple[Tree, Tree]) -> None:
    old, new = pair
    view = changes_since(old, new, Options())
    if view.kind == "unchanged":
        from kapture.snapshot.render import outline

        assert words(outline(old, Options()).text) == words(outline(new, Options()).text)


def words(text: str) -> str:
    """An outline without the focus, and without its lines: the same words may fit on one line or take two."""
    text = text.replace(" focused]", "]").replace("focused ", "").replace(" [focused]", "").replace("[focused]", "")
    return re.sub(r":?\s+", " ", text)


def test_an_element_that_another_has_swallowed_is_gone() -> None:
    link, row = Node(role="link", ref=1, name="1"), Node(role="rowgroup", ref=2, states={"checked": True})
    old, new = (link, row), (node_with(link, {"children": (row,)}),)
    assert changes(document(*old), document(*new)) == ["- rowgroup"]
    assert changes(document(*new), document(*old)) == ["+ rowgroup [checked] ref=e2"]


def test_a_changed_state_is_one_line() -> None:
    old = Node(role="form", ref=1, children=(Node(role="button", ref=2, name="Save"), Node(role="textbox", ref=3)))
    new = Node(
        role="form",
        ref=1,
        children=(Node(role="button", ref=2, name="Save", states={"disabled": True}), Node(role="textbox", ref=3)),
    )
    assert changes(old, new) == ['~ button "Save" [disabled] ref=e2']
    assert changes(new, old) == ['~ button "Save" ref=e2 (was disabled)']


def test_another_icon_in_the_same_place_says_which_it_was() -> None:
    def button(ref: int, icon: str, **more: Any) -> Node:
        return Node(role="button", ref=ref, hint=("icon", icon), **more)

    def row(*buttons: Node) -> Node:
        return Node(role="form", ref=1, children=(*buttons, Node(role="textbox", ref=9)))

    assert changes(row(button(2, "play")), row(button(2, "pause"))) == ["~ button (icon pause) ref=e2 (was icon play)"]
    assert changes(row(button(2, "play")), row(button(3, "pause"))) == ["~ button (icon pause) ref=e3 (was icon play)"]
    pressed = button(2, "star", states={"pressed": True})
    assert changes(row(pressed), row(button(2, "star-empty"))) == [
        "~ button (icon star-empty) ref=e2 (was icon star pressed)"
    ]
    assert changes(row(pressed), row(button(2, "star"))) == ["~ button (icon star) ref=e2 (was pressed)"]


def test_a_changed_name_is_reported_as_a_change_though_the_ref_is_new() -> None:
    old = Node(
        role="form", ref=1, children=(Node(role="button", ref=2, name="Count: 1"), "a", Node(role="link", ref=3))
    )
    new = Node(
        role="form", ref=1, children=(Node(role="button", ref=9, name="Count: 2"), "a", Node(role="link", ref=3))
    )
    assert changes(old, new) == ['~ button "Count: 2" ref=e9 (was "Count: 1")']


def test_a_new_item_is_reported_with_the_list_it_is_in() -> None:
    old = Node(role="list", name="To do", ref=1, children=(item(2, "Bread"), item(3, "Eggs")))
    new = Node(role="list", name="To do", ref=1, children=(item(2, "Bread"), item(4, "Milk"), item(3, "Eggs")))
    assert changes(old, new) == ['+ in list "To do":', '+   "Milk"']
    assert changes(new, old) == ['- in list "To do": "Milk"']


def test_a_moved_item_is_reported_as_moved_and_nothing_else() -> None:
    old = Node(role="list", ref=1, children=(item(2, "a"), item(3, "b"), item(4, "c"), item(5, "d")))
    new = Node(role="list", ref=1, children=(item(5, "d"), item(2, "a"), item(3, "b"), item(4, "c")))
    assert changes(old, new) == ['^ "d"']


def test_scrolling_is_no_change() -> None:
    old = Node(
        role="main", ref=1, children=(Node(role="button", ref=2, name="x"), Node(role="button", ref=3, name="y"))
    )
    new = Node(
        role="main",
        ref=1,
        children=(Node(role="button", ref=2, name="x", offscreen=True), Node(role="button", ref=3, name="y")),
    )
    assert changes(old, new) == []


def test_a_changed_cell_shows_its_row() -> None:
    def table(price: str) -> Node:
        cells = (Node(role="cell", ref=4, children=("Apple",)), Node(role="cell", ref=5, children=(price,)))
        return Node(role="table", ref=1, children=(Node(role="row", ref=3, children=cells),))

    assert changes(table("1.20"), table("1.30")) == ['~ row: "Apple" | "1.30"']


def test_many_changes_of_one_kind_are_counted() -> None:
    old = Node(role="list", ref=1, children=tuple(item(i, f"at {i}") for i in range(2, 300)))
    new = Node(role="list", ref=1, children=tuple(item(i, f"now {i}") for i in range(2, 300)))
    lines = changes(old, new)
    assert len(lines) == 13
    assert lines[-1] == "~ … 286 more changed in list ref=e1"
    shown = ", ".join(f'"at {i}"' for i in range(2, 14))
    assert changes(old, Node(role="list", ref=1)) == [f"- in list: {shown}, … 286 more items"]


def test_a_new_document_is_shown_whole_and_says_so() -> None:
    import attrs

    old = page(document("a"))
    new = Tree({"": attrs.evolve(old.main, document="d2", root=document("b"))})
    view = changes_since(old, new, Options())
    assert (view.kind, view.why_full) == ("full", "new document")


def test_a_frame_that_lost_its_grant_shows_as_a_change_without_its_content() -> None:
    frame = Node(role="iframe", ref=7, frame="f1")
    inner = FrameView(key="f1", parent="", document="x", root=document("secret", ref=1))
    old = page(document(frame), f1=inner)
    new = page(document(frame), f1=FrameView(key="f1", parent="", problem="not granted", origin="https://pay.example"))
    text = describe(old, new, root=None, max_chars=9_999)
    assert text is not None
    assert text.splitlines()[0] == "~ iframe (not granted: https://pay.example) ref=e7"


def test_a_message_that_came_and_went_is_reported_and_one_that_stayed_is_not() -> None:
    tree = page(document(Node(role="status", ref=2, children=("Saved", " for good"))))
    assert transient_lines(["Saved for good", "Wait…", "Wait…"], tree) == ['! "Wait…" (appeared and disappeared)']
    grown = ["Sending", "Sending. Please wait.", "Please wait."]
    assert transient_lines(grown, tree) == ['! "Sending. Please wait." (appeared and disappeared)']


def test_only_the_part_that_changed_is_shown_again_when_that_is_shorter_than_its_changes() -> None:
    def main(word: str, first: int) -> Node:
        items = tuple(Node(role="button", ref=first + at, name=f"{word} number {at}") for at in range(8))
        return Node(role="main", ref=1, children=items)

    aside = Node(role="complementary", ref=2, children=tuple(f"Advertisement {at}" for at in range(200)))
    old, new = page(document(main("Apple", 10), aside)), page(document(main("Pear", 30), aside))
    view = changes_since(old, new, Options())
    assert view.kind == "diff"
    assert view.text.splitlines() == [
        "~ main ref=e1 is now:",
        *(f'    button "Pear number {at}" ref=e{30 + at}' for at in range(8)),
    ]


# Which part of the old page a part of the new one is.


def test_one_of_several_equal_texts_that_changes_moves_none() -> None:
    def form(*texts: str) -> Node:
        fields = [Node(role="textbox", ref=at + 2, name=f"Field {at}") for at in range(len(texts))]
        return Node(role="form", ref=1, children=tuple(x for both in zip(texts, fields, strict=True) for x in both))

    old, new = form("Select...", "Select...", "Select..."), form("Vanilla", "Select...", "Select...")
    changes = describe(page(document(old)), page(document(new)), root=None, max_chars=20_000)
    assert changes == '~ "Vanilla" (was "Select...")'


def test_element_shown_in_place_of_hidden_one_is_another_element() -> None:
    mail = Node(role="textbox", ref=1, name="E-mail")
    dates = Node(role="textbox", ref=3, name="Dates")
    old = [Piece("", mail), Piece("", Node(role="button", ref=2, name="Next", states={"disabled": True}))]
    new = [Piece("", dates), Piece("", Node(role="button", ref=4, name="Next"))]
    assert [was for was, _ in match(old, new)] == old
    assert [was for was, _ in match(old, new, hidden={("", 1), ("", 2)})] == [None, None]


# Changes of pages that render everything anew, or show other items in the same place.


def day(ref: int, number: int) -> Node:
    return Node(role="generic", ref=ref, name="", clickable=True, children=(str(number),))


def calendar(first_ref: int, hint: str, days: int = 30) -> Node:
    cells = tuple(day(first_ref + number, number) for number in range(1, days + 1))
    head = tuple(Node(role="paragraph", ref=number, children=(f"Line {number}",)) for number in range(2, 60))
    return Node(role="main", ref=1, children=(*head, *cells, Node(role="paragraph", ref=60, children=(hint,))))


def test_changes_come_before_renewed_refs() -> None:
    lines = changes(calendar(100, "Select check-in"), calendar(200, "Select check-out"))
    assert lines[0] == '~ "Select check-out" (was "Select check-in")'
    assert lines[1] == "~ as before but for their refs, in main ref=e1:"
    assert lines[2].startswith('~   generic [clickable] ref=e201: "1" | ref=e202: "2"')
    assert all(f"ref=e{200 + number}" in "\n".join(lines) for number in range(1, 31))


def test_a_list_that_shows_other_items_is_shown_as_it_is_now() -> None:
    def scrolled_to(row: int) -> Node:
        cells = tuple(
            part
            for number in range(row, row + 15)
            for part in (
                str(number),
                Node(role="generic", ref=10 * number, clickable=True, children=(f"Item {number}",)),
                Node(role="generic", ref=10 * number + 1, clickable=True, children=(str(number * 3),)),
            )
        )
        return Node(role="generic", ref=1, states={"scrollable": True}, clickable=True, children=cells)

    lines = changes(scrolled_to(1), scrolled_to(101))
    assert lines[0] == "~ generic [scrollable clickable] ref=e1 is now:"
    assert [line.strip() for line in lines[1:4]] == [
        '"101"',
        'generic [clickable] ref=e1010: "Item 101"',
        'generic [clickable] ref=e1011: "303"',
    ]
    assert len(lines) == 1 + 3 * 15


# What dialogs and other modal layers cover is neither gone nor sent again.


def covered(*, dialog: bool, ref: int = 50) -> Tree:
    if dialog:
        confirm = Node(role="button", ref=ref + 1, name="Confirm")
        return page(document(Node(role="dialog", ref=ref, name="Sure?", states={"modal": True}, children=(confirm,))))
    return page(document(*(Node(role="button", ref=at, name=f"b{at}") for at in range(1, 9))))


def test_content_behind_dialog_is_neither_gone_nor_sent_again() -> None:
    before, during = covered(dialog=False), remembering(covered(dialog=False), covered(dialog=True))
    opened = changes_since(before, during, Options())
    assert opened.text.splitlines() == [
        '+ dialog "Sure?" ref=e50: button "Confirm" ref=e51',
        '(behind dialog "Sure?" ref=e50: the rest of the page, as it was)',
    ]
    after = covered(dialog=False)
    assert changes_since(during, after, Options()).text == '- dialog "Sure?"'
    assert remembering(during, after).covered is None


def test_a_dialog_over_a_dialog_leads_back_to_both_pages() -> None:
    before = covered(dialog=False)
    first = remembering(before, covered(dialog=True))
    nested = covered(dialog=True, ref=60)
    nested = attrs.evolve(nested, frames={"": attrs.evolve(nested.main, behind=10)})
    opened = changes_since(first, nested, Options()).text
    assert "- dialog" not in opened
    second = remembering(first, nested)
    outer = covered(dialog=True)
    outer = attrs.evolve(outer, frames={"": attrs.evolve(outer.main, behind=10)})
    closed = changes_since(second, outer, Options()).text
    assert closed == '- dialog "Sure?"'
    back = remembering(second, outer)
    assert changes_since(back, before, Options()).text == '- dialog "Sure?"'
    assert remembering(back, before).covered is None


def test_a_dialog_that_covers_the_page_only_after_it_has_opened_leaves_it_behind() -> None:
    before = covered(dialog=False)
    dialog = covered(dialog=True)
    beside = page(document(*before.main.root.children, *dialog.main.root.children))  # type: ignore[union-attr]
    opened = remembering(before, beside)
    assert opened.covered is None
    hiding = attrs.evolve(dialog, frames={"": attrs.evolve(dialog.main, behind=8)})
    assert changes_since(opened, hiding, Options()).text.splitlines() == [
        '(behind dialog "Sure?" ref=e50: the rest of the page, as it was)'
    ]
    assert changes_since(remembering(opened, hiding), before, Options()).text == '- dialog "Sure?"'
