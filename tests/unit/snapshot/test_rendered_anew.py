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
