"""Which element of a changed page is the recorded one: never a wrong one, whatever the language."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.scenarios.model import Appearance
from kapture.scenarios.replay.same_element import Seen, is_same, normalized

ORDER: dict[str, Any] = {
    "role": "button",
    "name": "Place order",
    "attributes": {"id": "order"},
    "neighbours": ["Zip", "Total"],
    "within": ["form Address"],
}
NAME: dict[str, Any] = {**ORDER, "role": "textbox", "name": "Street", "attributes": {"id": "street", "type": "text"}}


def same(recorded: dict[str, Any], was_shared: bool = False, **changes: Any) -> bool:
    return is_same(Appearance(**recorded), Seen(ref="e1", **{**recorded, **changes}), was_shared=was_shared)


@pytest.mark.parametrize(
    ("recorded", "changes"),
    [
        (ORDER, {}),
        (ORDER, {"name": "PLACE  ORDER …", "attributes": {}, "within": []}),
        (ORDER, {"neighbours": ["Postal code", "Total"]}),
        (ORDER, {"shared_name": True, "neighbours": ["Other"]}),  # by its id
        (ORDER, {"shared_name": True, "attributes": {}, "within": ["region Address"]}),
        (NAME, {"name": "Street and number", "neighbours": ["Other"]}),
        (NAME, {"attributes": {}, "neighbours": [], "within": ["dialog Where to"]}),
        ({"role": "link", "name": "Inbox (12)"}, {"name": "Inbox (3)"}),
        ({**ORDER, "name": ""}, {"neighbours": ["Other"]}),
    ],
)
def test_recorded_element_is_found_in_a_changed_page(recorded: dict[str, Any], changes: dict[str, Any]) -> None:
    assert same(recorded, **changes)


@pytest.mark.parametrize(
    ("recorded", "changes"),
    [
        (ORDER, {"role": "link"}),
        (ORDER, {"neighbours": ["Other"]}),
        (ORDER, {"shared_name": True, "attributes": {}, "neighbours": ["Zip"]}),
        (ORDER, {"shared_name": True, "attributes": {}, "within": ["form Other"]}),
        ({**ORDER, "attributes": {"id": "row-1"}}, {"shared_name": True, "neighbours": ["Other"]}),
        ({**ORDER, "attributes": {"id": "row-1"}, "neighbours": ["20 €"]}, {"neighbours": ["200 €"]}),
        ({**ORDER, "name": "OK", "within": ["dialog Confirm"]}, {"neighbours": ["Zip", "Delete it?"]}),
        ({**ORDER, "within": ['part "Ada"']}, {"was_shared": True, "attributes": {}, "within": ['part "Bob"']}),
        ({**ORDER, "name": "", "attributes": {}}, {"neighbours": ["Zip"]}),
        ({"role": "button", "name": "Pay", "attributes": {}}, {"shared_name": True}),
        ({"role": "button", "name": "Delete (3)"}, {"name": "Delete (30)"}),
        (NAME, {"name": "Password", "attributes": {"id": "street", "type": "password"}}),
        (NAME, {"name": "Password", "attributes": {"id": "password", "type": "text"}}),
    ],
)
def test_another_element_is_never_taken_for_it(recorded: dict[str, Any], changes: dict[str, Any]) -> None:
    assert not same(recorded, **changes)


def test_value_of_the_run_stands_for_the_recorded_text_of_a_unique_element() -> None:
    bought = Appearance(**{**ORDER, "attributes": {}, "neighbours": ["Green tea"]})
    black = Seen(ref="e1", **{**ORDER, "neighbours": ["Black tea"]})
    assert is_same(bought, black, values=["black"])
    assert not is_same(bought, black, values=["lack", "green", ""])
    assert not is_same(bought, attrs.evolve(black, shared_name=True, attributes={}), values=["black"])


@given(st.text(min_size=1), st.text(min_size=1))
def test_what_is_pressed_under_another_name_is_another(name: str, other: str) -> None:
    alike = normalized(name) == normalized(other)
    assert same({**ORDER, "name": name}, name=other) is alike


@pytest.mark.parametrize(
    ("one", "other"),
    [("Follow", "Unfollow"), ("+", "−"), ("+1", "-1"), ("Pay 20 €", "Pay 200 €"), ("1,0", "10"), ("Kaydet", "Kaydetme"),
     ("保存", "不保存"), ("บันทึก", "ไม่บันทึก"), ("Sign in", "Sign in with Google"), ("A→B", "B→A")],
)  # fmt: skip
def test_names_with_another_meaning_differ(one: str, other: str) -> None:
    assert not same({**ORDER, "name": one}, name=other)
    assert not same({**ORDER, "name": other}, name=one)
