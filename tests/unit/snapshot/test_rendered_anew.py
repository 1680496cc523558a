"""Changes of pages that render everything anew, or show other items in the same place."""

from __future__ import annotations

from kapture.snapshot.node import Node
from tests.unit.snapshot.test_diff import changes


def day(ref: int, number: int) -> Node:
    return Node(role="generic", ref=ref, name="", clickable=True, children=(str(number),))


def calendar(first_ref: int, hint: str, days: int = 30) -> Node:
    cells = tuple(day(first_ref + number, number) for number in range(1, days + 1))
    head = tuple(Node(role="paragraph", ref=number, children=(f"Line {number}",)) for number in range(2, 60))
    return Node(role="main", ref=1, children=(*head, *cells, Node(role="paragraph", ref=60, children=(hint,))))


def test_what_has_changed_comes_before_what_has_only_new_refs() -> None:
    lines = changes(calendar(100, "Select check-in"), calendar(200, "Select check-out"))
    assert lines[0] == '~ "Select check-out" (was "Select check-in")'
    assert lines[1] == "~ as before but for their refs, in main ref=e1:"
    assert lines[2].startswith('~   generic [clickable] ref=e201: "1" | ref=e202: "2"')
    assert all(f"ref=e{200 + number}" in "\n".join(lines) for number in range(1, 31))


def test_many_elements_with_only_new_refs_are_counted() -> None:
    assert changes(calendar(100, "Select check-in", 80), calendar(200, "Select check-out", 80)) == [
        '~ "Select check-out" (was "Select check-in")',
        "~ … 80 more are as before but for their refs, in main ref=e1",
    ]


def test_an_element_that_only_lost_the_focus_among_many_with_new_refs_has_not_changed() -> None:
    had = Node(role="button", ref=90, name="Dates", states={"focused": True})
    lost = Node(role="button", ref=90, name="Dates")
    old, new = calendar(100, "Now"), calendar(200, "Now")
    lines = changes(old.with_children((had, *old.children)), new.with_children((lost, *new.children)))
    assert lines[0] == "~ as before but for their refs, in main ref=e1:"
    assert "Dates" not in "".join(lines)


def test_a_few_elements_with_new_refs_stay_in_their_places() -> None:
    lines = changes(calendar(100, "Select check-in", 3), calendar(200, "Select check-out", 3))
    assert lines == [
        '~ generic [clickable] ref=e201: "1"',
        '~ generic [clickable] ref=e202: "2"',
        '~ generic [clickable] ref=e203: "3"',
        '~ "Select check-out" (was "Select check-in")',
    ]


def test_a_focus_that_came_to_an_element_with_a_new_ref_is_a_change() -> None:
    old, new = calendar(100, "Now"), calendar(200, "Now")
    at = new.children.index(day(220, 20))
    focused = Node(role="generic", ref=220, clickable=True, states={"focused": True}, children=("20",))
    new = new.with_children((*new.children[:at], focused, *new.children[at + 1 :]))
    assert changes(old, new)[0] == '~ generic [focused clickable] ref=e220: "20"'


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


def test_of_what_has_moved_the_first_of_its_kind_are_named() -> None:
    def pad(order: str) -> Node:
        heading = Node(role="heading", ref=2, name="Enter PIN")
        return Node(role="main", ref=1, children=(heading, *(day(ord(one), int(one)) for one in order)))

    assert changes(pad("0123456789"), pad("9876543210")) == [
        '^ 9 clickable parts in main ref=e1 moved; now first: generic "9", generic "8", generic "7", generic "6", …'
    ]
