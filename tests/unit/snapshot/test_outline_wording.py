"""One element on one line."""

from __future__ import annotations

import pytest

from kapture.snapshot.node import Node, State
from kapture.snapshot.options import Options
from kapture.snapshot.quoting import flat
from kapture.snapshot.render import outline
from tests.unit.snapshot.trees import document, page


def lines(*children: Node | str) -> list[str]:
    return outline(page(document(*children)), Options()).text.splitlines()[1:]


def test_what_follows_a_part_on_its_line_does_not_look_like_its_content() -> None:
    toggle = Node(role="generic", ref=2, clickable=True, children=("▸",))
    icon = Node(role="generic", ref=3, clickable=True, children=(Node(role="link", ref=4, name="b"),))
    assert lines(Node(role="listitem", ref=1, children=(toggle, "Music"))) == ['generic "▸" [clickable] ref=e2 "Music"']
    assert lines(Node(role="listitem", ref=1, children=("Music", toggle))) == [
        '"Music" generic [clickable] ref=e2: "▸"'
    ]
    cells = [Node(role="cell", ref=5, children=(toggle, "Music")), Node(role="cell", ref=6, children=(toggle,))]
    assert lines(Node(role="row", ref=1, children=(*cells, "9"))) == [
        'row: generic "▸" [clickable] ref=e2 "Music" | generic [clickable] ref=e2: "▸" | "9"'
    ]
    assert lines(Node(role="listitem", ref=1, children=(icon, "Music"))) == [
        "listitem",
        '  generic [clickable] ref=e3: link "b" ref=e4',
        '  "Music"',
    ]


def test_a_cell_that_is_named_by_the_value_of_its_field_is_not_named() -> None:
    def row(value: str) -> Node:
        field = Node(role="textbox", ref=3, name="Rate", value=value)
        return Node(
            role="row",
            ref=1,
            children=(
                Node(role="cell", ref=2, name=value, children=(field,)),
                Node(role="cell", ref=4, name=f"{value} kr", children=(field, "kr")),
                Node(role="cell", ref=5, name="Rate of May", children=(field,)),
            ),
        )

    shown = 'textbox "Rate" = "10" ref=e3'
    assert lines(row("10")) == [f'row: {shown} | {shown} "kr" | cell "Rate of May": {shown}']
    empty = 'textbox "Rate" ref=e3'
    assert lines(row("")) == [f'row: {empty} | {empty} "kr" | cell "Rate of May": {empty}']


@pytest.mark.parametrize("role", ["button", "link", "heading", "paragraph"])
@pytest.mark.parametrize("name", ["Kontakt\u00adformular", "zero\u200bwidth", "We\x07ird", "nb\u00a0sp"])
def test_a_name_with_characters_that_are_not_shown_as_they_are_is_shown_once(role: str, name: str) -> None:
    [line] = lines(Node(role=role, ref=1, name=name, children=(name,)))
    assert line.count(flat(name)) == 1


def test_a_value_in_words_is_shown_once_with_its_number() -> None:
    said: dict[str, State] = {"valuenow": 300, "valuemin": 0, "valuemax": 600, "valuetext": "5:00 of 10:00"}
    [line] = lines(Node(role="slider", ref=5, name="Seek", states=said, value="5:00 of 10:00"))
    assert line == 'slider "Seek" [valuenow=300 0..600] = "5:00 of 10:00" ref=e5'
    [line] = lines(Node(role="slider", ref=5, states={"valuenow": 5, "valuetext": "5"}, value="5"))
    assert line == 'slider = "5" ref=e5'


def test_short_texts_and_few_elements_off_screen_are_counted_together() -> None:
    def part(at: int) -> list[Node | str]:
        text = Node(role="paragraph", ref=1_000 + at, offscreen=at > 0, children=("word " * 45,))
        exercise = Node(role="button", ref=2_000 + at, name=f"Exercise {at}", offscreen=at > 0)
        answer = Node(role="button", ref=3_000 + at, name=f"Answer {at}", offscreen=at > 0)
        heading = Node(role="heading", ref=4_000 + at, name=f"Chapter {at}", offscreen=at > 0)
        return [heading, text, exercise, answer]

    shown = lines(*(piece for at in range(40) for piece in part(at)))
    assert 'button "Exercise 0" ref=e2000' in shown
    assert "… off screen: 2 buttons, 1 text, start=e1001" in shown
    assert len("\n".join(shown)) < 2_000
