from __future__ import annotations

import pytest

from kapture.scenarios.likeness import FLOOR, Seen, kin, score
from kapture.scenarios.model import Appearance

ORDER = Appearance(
    role="button",
    name="Place order",
    tag="button",
    attributes={"id": "order"},
    neighbours=["Zip", "Total"],
    within=["form Address"],
)


def seen(**changes: object) -> Seen:
    as_it_was = {
        "ref": "e1",
        "role": "button",
        "name": "Place order",
        "tag": "button",
        "attributes": {"id": "order"},
        "neighbours": ["Zip", "Total"],
        "within": ["form Address", "main"],
    }
    return Seen(**{**as_it_was, **changes})  # type: ignore[arg-type]


def test_the_element_as_it_was_scores_one() -> None:
    assert score(ORDER, seen()) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"attributes": {"id": "x9f3"}},
        {"role": "link", "tag": "a", "attributes": {}},
        {"name": "Buy now"},
        {"name": "Place your order", "attributes": {}},
        {"within": ["dialog Where to"], "attributes": {}},
    ],
)
def test_one_change_leaves_it_above_the_floor(changes: dict[str, object]) -> None:
    assert FLOOR <= score(ORDER, seen(**changes)) < 1


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Save for later", "attributes": {}},
        {"name": "Cancel order"},
        {"name": "Delete order"},
        {"role": "textbox", "tag": "input"},
        {"name": "Track order", "attributes": {"id": "track"}},
    ],
)
def test_another_thing_in_its_stead_is_no_match(changes: dict[str, object]) -> None:
    assert score(ORDER, seen(**changes)) == 0


def test_of_elements_with_one_name_only_that_with_the_same_neighbours_fits() -> None:
    lamp = Appearance(role="button", name="Add to cart", neighbours=["12 €", "Lamp"])
    mine = seen(name="Add to cart", attributes={}, neighbours=["15 €", "Lamp"], shared_name=True)
    other = seen(name="Add to cart", attributes={}, neighbours=["12 €", "Teapot"], shared_name=True)
    assert score(lamp, mine) >= FLOOR
    assert score(lamp, other) == 0


def test_a_name_that_was_shared_when_recorded_is_not_enough_when_it_is_alone_later() -> None:
    lamp = Appearance(role="button", name="Add to cart", neighbours=["12 €", "Lamp"])
    last = seen(name="Add to cart", attributes={}, neighbours=["12 €", "Teapot"])
    assert score(lamp, last, was_shared=True) == 0


def test_the_same_id_is_not_enough_where_the_name_has_become_the_opposite() -> None:
    assert score(ORDER, seen(name="Cancel order")) == 0
    follow = Appearance(role="button", name="Follow", tag="button", attributes={"id": "follow"})
    assert score(follow, seen(name="Unfollow", attributes={"id": "follow"})) == 0


def test_an_id_with_a_number_identifies_nothing() -> None:
    pay = Appearance(role="button", name="Pay", attributes={"id": "pay-1"}, neighbours=["Bolt", "20 €"])
    other = seen(name="Pay", attributes={"id": "pay-1"}, neighbours=["Cord 30 €"])
    moved = seen(name="Pay", attributes={"id": "pay-0"}, neighbours=["Bolt 25 €"])
    assert score(pay, other, was_shared=True) == 0
    assert score(pay, moved, was_shared=True) >= FLOOR


def test_a_text_beside_it_that_has_other_words_is_another_text() -> None:
    lamp = Appearance(role="button", name="Add to cart", neighbours=["Lamp", "12 €"])
    assert score(lamp, seen(name="Add to cart", attributes={}, neighbours=["Shade for a lamp"]), was_shared=True) == 0


def test_of_fields_with_one_name_only_that_in_the_same_group_fits() -> None:
    street = Appearance(role="textbox", name="Street", neighbours=["Street"], within=['group "Shipping"', "main"])
    fields = {"role": "textbox", "tag": "input", "name": "Street", "attributes": {}, "neighbours": []}
    assert score(street, seen(**fields, within=["group Shipping"], shared_name=True)) >= FLOOR
    assert score(street, seen(**fields, within=["group Billing"], shared_name=True)) == 0


def test_roles_that_are_used_for_one_another_are_kin() -> None:
    assert kin("button", "link") == 0.7
    assert kin("button", "textbox") == 0
    assert kin("button", "") == 1
