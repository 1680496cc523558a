"""One element on one line."""

from __future__ import annotations

from kapture.snapshot.node import Node
from kapture.snapshot.options import Options
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
