from __future__ import annotations

from kapture.snapshot.node import Node
from kapture.snapshot.options import Options
from kapture.snapshot.render import outline
from tests.unit.snapshot.trees import document, page


def menu(first: int, *, current: int = 0, links: int = 12) -> Node:
    """A menu as it stands on one of several pages: other refs, another current link."""
    items = tuple(
        Node(role="link", ref=first + at, name=f"Department {at}", states={"current": "page"} if at == current else {})
        for at in range(links)
    )
    return Node(
        role="navigation", ref=first + 50, name="Main", children=(Node(role="list", ref=first + 51, children=items),)
    )


def shown(known: frozenset[str], *children: Node | str, **options: object) -> tuple[list[str], frozenset[str]]:
    rendering = outline(page(document(*children)), Options(known_furniture=known, **options))  # type: ignore[arg-type]
    return rendering.text.splitlines()[1:], rendering.furniture


def test_a_menu_that_was_shown_on_another_page_is_one_line_with_the_way_to_all_of_it() -> None:
    first, known = shown(frozenset(), menu(1), "Welcome")
    assert len(first) == 14
    lines, _ = shown(known, menu(101, current=3), "Apples")
    assert lines == ['navigation "Main" ref=e151: … 12 links inside', '"Apples"']
    opened, _ = shown(known, menu(101, current=3), "Apples", root=("", 151))
    assert len(opened) == 13


def test_a_menu_with_something_new_in_it_is_shown() -> None:
    _, known = shown(frozenset(), menu(1), "Welcome")
    lines, _ = shown(known, menu(101, links=13), "Apples")
    assert len(lines) == 15
