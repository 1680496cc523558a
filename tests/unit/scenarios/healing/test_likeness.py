from __future__ import annotations

import pytest

from kapture.scenarios.healing.likeness import FLOOR, Seen, beside_nothing_known, kin, score
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
        {"name": "Place your order", "attributes": {}},
        {"name": "Place order for this address"},
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


@pytest.mark.parametrize("name", ["Pay", "Approve", "Freigeben", "결제하기"])
def test_what_agrees_in_one_of_several_rows_needs_their_amount(name: str) -> None:
    claim = Appearance(role="button", name=name, neighbours=["Bolt", "20 €"])
    more, same = (seen(name=name, neighbours=["Bolt", amount]) for amount in ("200 €", "20 €"))
    assert score(claim, more, was_shared=True) == 0
    assert score(claim, same, was_shared=True) >= FLOOR
    assert score(claim, more) >= FLOOR  # the only one of this name: the sum at the end of a purchase
    shown = Appearance(role="button", name="Show", neighbours=["Bolt", "20 €"])
    assert score(shown, seen(name="Show", neighbours=["Bolt", "200 €"]), was_shared=True) >= FLOOR


def test_an_id_with_a_number_identifies_nothing() -> None:
    pay = Appearance(role="button", name="Pay", attributes={"id": "pay-1"}, neighbours=["Bolt", "20 €"])
    other = seen(name="Pay", attributes={"id": "pay-1"}, neighbours=["Cord 30 €"])
    moved = seen(name="Pay", attributes={"id": "pay-0"}, neighbours=["Bolt 20 €"])
    assert score(pay, other, was_shared=True) == 0
    assert score(pay, moved, was_shared=True) >= FLOOR


def test_a_text_beside_it_that_has_other_words_is_another_text() -> None:
    lamp = Appearance(role="button", name="Add to cart", neighbours=["Lamp", "12 €"])
    assert score(lamp, seen(name="Add to cart", attributes={}, neighbours=["Shade for a lamp"]), was_shared=True) == 0


@pytest.mark.parametrize(
    ("inside", "beside", "fits"),
    [
        (['part "Ada"', 'part "Room 1"', 'part "Doctors"'], ["09:00"], True),
        (['part "Doctors"'], ["Ada Room 1", "09:00"], True),
        (['part "Ada"', 'part "Room 2"'], ["09:00"], False),
        ([], ["09:00"], False),
    ],
)
def test_of_equal_rows_only_that_below_the_same_texts_fits(inside: list[str], beside: list[str], fits: bool) -> None:
    book = Appearance(role="button", name="Book", neighbours=["09:00"], within=['part "Ada"', 'part "Room 1"', "main"])
    row = seen(name="Book", attributes={}, neighbours=beside, within=[*inside, "main"])
    assert (score(book, row, was_shared=True) >= FLOOR) is fits


def test_of_fields_with_one_name_only_that_in_the_same_group_fits() -> None:
    street = Appearance(role="textbox", name="Street", neighbours=["Street"], within=['group "Shipping"', "main"])
    fields = {"role": "textbox", "tag": "input", "name": "Street", "attributes": {}, "neighbours": []}
    assert score(street, seen(**fields, within=["group Shipping"], shared_name=True)) >= FLOOR
    assert score(street, seen(**fields, within=["group Billing"], shared_name=True)) == 0


def test_roles_that_are_used_for_one_another_are_kin() -> None:
    assert kin("button", "link") == 0.7
    assert kin("button", "textbox") == 0
    assert kin("button", "") == 1


def test_of_rows_that_differ_in_one_of_several_texts_another_one_does_not_fit() -> None:
    bob = Appearance(role="button", name="Edit", neighbours=["Active", "Editor", "Bob"])
    row = {"name": "Edit", "attributes": {}}
    assert score(bob, seen(**row, neighbours=["Active", "Editor", "Ada"]), was_shared=True) == 0
    assert score(bob, seen(**row, neighbours=["Active", "Editor", "Bob", "Oslo"]), was_shared=True) >= FLOOR


def test_a_translated_name_fits_by_an_identifier_that_says_it() -> None:
    here = {"name": "Bestellen", "neighbours": ["Postleitzahl", "Summe"]}
    assert score(ORDER, seen(**here)) >= FLOOR
    generic = Appearance(role="button", name="Place order", tag="button", attributes={"id": "submit"})
    assert score(generic, seen(name="Publish", attributes={"id": "submit"})) == 0


def test_an_id_that_says_the_whole_name_fits_where_the_page_is_not_translated_too() -> None:
    order = Appearance(role="button", name="Place order", attributes={"id": "place-order"}, neighbours=["Zip", "Total"])
    assert score(order, seen(name="Buy now", attributes={"id": "place-order"})) >= FLOOR
    assert score(ORDER, seen(name="Show details")) == 0
    assert score(ORDER, seen(name="Buy now", neighbours=[])) >= FLOOR


def test_a_name_with_another_word_fits_only_where_an_attribute_is_the_same() -> None:
    more = Appearance(role="button", name="More tickets", neighbours=["Zip", "Total"])
    assert score(more, seen(name="More child tickets", attributes={})) == 0
    report = Appearance(role="link", name="Download annual report as PDF", neighbours=["Zip", "Total"])
    assert score(report, seen(name="Download monthly report as PDF", role="link", attributes={})) == 0
    delete = Appearance(role="button", name="Delete", attributes={"id": "delete"}, neighbours=["Zip", "Total"])
    assert score(delete, seen(name="Delete company", attributes={"id": "delete"})) == 0


def test_the_name_that_all_choices_of_a_group_have_identifies_none_of_them() -> None:
    blue = Appearance(role="radio", name="Blue", tag="input", attributes={"name": "colour"}, neighbours=["Colour"])
    choice = {"role": "radio", "tag": "input", "attributes": {"name": "colour"}, "neighbours": ["Colour"]}
    assert score(blue, seen(**choice, name="Blue")) >= FLOOR
    assert score(blue, seen(**choice, name="Dark blue")) == 0


def test_a_reworded_tick_fits_by_its_own_name_or_by_an_id_that_says_what_both_names_do() -> None:
    terms = Appearance(role="checkbox", name="I agree to the terms", tag="input", attributes={"name": "agreed"})
    now = {"role": "checkbox", "tag": "input"}
    assert score(terms, seen(**now, name="I have read the conditions", attributes={"name": "agreed"})) >= FLOOR
    assert score(terms, seen(**now, name="I do not agree to the terms", attributes={"name": "agreed"})) == 0
    by_id = Appearance(role="checkbox", name="I agree to the terms", tag="input", attributes={"id": "terms"})
    assert score(by_id, seen(**now, name="I accept the general terms", attributes={"id": "terms"})) >= FLOOR
    assert score(by_id, seen(**now, name="Send me offers", attributes={"id": "terms"})) == 0


def test_a_translated_field_fits_by_the_name_under_which_its_value_is_sent() -> None:
    zip_code = Appearance(role="textbox", name="Postal code", tag="input", attributes={"name": "plz"})
    field = {"role": "textbox", "tag": "input", "attributes": {"name": "plz"}}
    assert score(zip_code, seen(**field, name="Postleitzahl")) >= FLOOR


def test_a_name_that_only_one_element_has_is_enough_wherever_it_stands() -> None:
    moved = {"role": "menuitem", "tag": "div", "attributes": {}, "neighbours": ["Share"], "within": ["dialog More"]}
    assert score(ORDER, seen(**moved)) >= FLOOR
    assert score(ORDER, seen(**moved, shared_name=True)) == 0


def test_a_synonym_fits_only_beside_something_that_was_beside_it() -> None:
    following = Appearance(role="button", name="Next", neighbours=["Back", "City"])
    assert score(following, seen(name="Continue", attributes={}, neighbours=["Back", "Town"])) >= FLOOR
    assert score(following, seen(name="Continue", attributes={}, neighbours=["We use cookies"])) == 0


def test_what_deletes_fits_only_on_a_page_that_shows_something_that_was_beside_it() -> None:
    delete = Appearance(role="button", name="Delete", neighbours=["Bob", "bob@x.example"])
    ada = seen(name="Delete", attributes={}, neighbours=["Ada", "ada@x.example"])
    assert score(delete, ada) == 0
    assert beside_nothing_known(delete, [ada])
    assert not beside_nothing_known(delete, [ada, seen(name="Bob", role="heading")])


@pytest.mark.parametrize("title", ["So What Now", "So Whatt"])
def test_rows_are_told_apart_by_every_word_and_letter(title: str) -> None:
    track = Appearance(role="button", name="Play", neighbours=["So What", "Miles Davis"])
    row = {"name": "Play", "attributes": {}, "shared_name": True}
    assert score(track, seen(**row, neighbours=[title, "Miles Davis"])) == 0
    assert score(track, seen(**row, neighbours=["SO WHAT", "Miles Davis"])) >= FLOOR


def test_a_count_in_a_text_beside_it_may_be_another() -> None:
    tab = Appearance(role="tab", name="Conversation (7)", neighbours=["Files changed (4)"])
    assert (
        score(tab, seen(role="tab", name="Conversation (11)", attributes={}, neighbours=["Files changed (9)"])) >= FLOOR
    )


def test_a_section_that_tells_fields_apart_may_be_of_another_kind() -> None:
    field = Appearance(role="textbox", name="Income", within=['group "Rental"'])
    now = {"role": "textbox", "name": "Income", "attributes": {}, "neighbours": [], "shared_name": True}
    assert score(field, seen(**now, within=['region "Rental"'])) >= FLOOR
    assert score(field, seen(**now, within=['region "Rental car"'])) == 0


@pytest.mark.parametrize(
    ("asks", "name"),
    [
        ("Delete this loan?", "Extend loan"),
        ("Extend by three weeks?", "Remove loan"),
        ("Withdraw the extension of this loan?", "Loan"),
        ("Pay the fine?", "Fines"),
    ],
)
def test_an_answer_fits_only_in_a_dialog_that_asks_what_was_asked(asks: str, name: str) -> None:
    confirm = Appearance(
        role="button", name="Confirm", neighbours=["Extend by three weeks?"], within=['dialog "Extend loan"']
    )
    now = {"name": "Confirm", "attributes": {}}
    assert score(confirm, seen(**now, neighbours=[asks], within=[f'dialog "{name}"'])) == 0
    reworded = {"neighbours": ["The loan will be extended."], "within": ['dialog "Loan"']}
    assert score(confirm, seen(**now, **reworded)) >= FLOOR


@pytest.mark.parametrize("role", ["listbox", "slider"])
def test_a_reworded_list_or_slider_fits_by_the_name_under_which_its_value_is_sent(role: str) -> None:
    lost = Appearance(role=role, name="Sound volume", tag="input", attributes={"name": "level"}, neighbours=["Ring"])
    field = {"role": role, "tag": "input", "attributes": {"name": "level"}, "neighbours": ["Ring"]}
    assert score(lost, seen(**field, name="Audio volume")) >= FLOOR
    assert score(lost, seen(**{**field, "attributes": {"name": "bass"}}, name="Audio volume")) == 0
