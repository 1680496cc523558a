from __future__ import annotations

from typing import Any

from kapture.scenarios.healing.surroundings import elements_on


def node(role: str, ref: str, *children: Any, name: str = "") -> dict[str, Any]:
    return {"role": role, "ref": ref, **({"name": name} if name else {}), "children": list(children)}


def button(ref: str) -> dict[str, Any]:
    return node("button", ref, "Add to cart", name="Add to cart")


def test_neighbours_are_those_of_the_smallest_part_that_has_any() -> None:
    row = node("listitem", "e3", node("heading", "e1", "Lamp", name="Lamp"), "12 €", button("e2"))
    page = {"tree": node("main", "e9", "Articles", node("list", "e8", row))}
    found = {one.ref: one for one in elements_on(page)}
    assert found["e2"].neighbours == ["12 €", "Lamp"]
    assert found["e2"].within == ["main"]
    assert not found["e2"].shared_name


def test_cards_that_are_no_elements_of_their_own_are_kept_apart() -> None:
    page = {"tree": node("main", "e9", "Lamp 12 €", button("e1"), "Teapot 12 €", button("e2"))}
    found = {one.ref: one for one in elements_on(page)}
    assert "Teapot 12 €" in found["e2"].neighbours
    assert "Lamp 12 €" not in found["e2"].neighbours
    assert found["e1"].shared_name


def test_buttons_beside_an_element_do_not_say_which_row_it_is_in() -> None:
    row = node("listitem", "e4", "Lamp", node("group", "e3", button("e1"), node("button", "e2", "Ban", name="Ban")))
    found = {one.ref: one for one in elements_on({"tree": node("main", "e9", row)})}
    assert found["e1"].neighbours == ["Lamp"]


def test_where_there_is_nothing_else_they_are_its_neighbours() -> None:
    menu = node("menu", "e4", *(node("menuitem", f"e{at}", name, name=name) for at, name in enumerate(("Edit", "Ban"))))
    found = {one.ref: one for one in elements_on({"tree": node("main", "e9", "Lamp", menu)})}
    assert found["e0"].neighbours == ["Ban"]


def test_a_page_that_shows_nothing_has_no_elements() -> None:
    assert elements_on({"tree": None}) == []
    assert elements_on({}) == []
