"""A passed run writes back to its scenario how it found changed elements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Appearance, Parameter, Step, StepTarget
from kapture.scenarios.replay.page_hints import page_hints
from kapture.scenarios.replay.same_element import Seen, is_same, normalized
from tests.unit.scenarios.stand_in import Page, library, run, scenario, visible


async def test_healing_keeps_the_texts_that_told_the_element_from_others(tmp_path: Path) -> None:
    look = Appearance(role="textbox", name="N", within=['part "18:00"', "form Old"])
    step = Step(command="click", targets=[StepTarget(css="#old"), StepTarget(text="Go")], element=look)
    made = library(tmp_path / "home", scenario("main", step))
    seen = visible("e9")
    seen["elements"][0]["surroundings"]["within"] = ['part "with Anna, 18:00"', "form New"]

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"elements": []} if arguments["target"] == {"css": "#old"} else seen

    assert (await run(made, Page({"elements": matches}), heal=True)).healed == ["main, step 1: textbox 'N'"]
    [healed] = made.folder.load("main").chain
    assert healed.element is not None
    assert healed.element.within == ['part "18:00"', "form New"]


async def test_a_step_whose_targets_name_values_of_the_run_is_not_healed_to_the_element_of_one_run(
    tmp_path: Path,
) -> None:
    by_name = Step(command="click", targets=[StepTarget(text="{{article}}"), StepTarget(css=".first")])
    fixed = Step(command="click", targets=[StepTarget(css="#old"), StepTarget(css=".first")])
    made = library(
        tmp_path / "home",
        scenario("main", by_name, fixed, parameters={"article": Parameter()}),
    )

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"elements": []} if arguments["target"] in ({"text": "Lamp"}, {"css": "#old"}) else visible("e9")

    answer = await run(made, Page({"elements": matches}), parameters={"article": "Lamp"}, heal=True)
    assert answer.healed == ["main, step 2: textbox 'N'"]
    assert made.folder.load("main").chain[0] == by_name


async def test_healing_writes_nothing_over_a_scenario_that_was_replaced_meanwhile(tmp_path: Path) -> None:
    step = Step(command="click", targets=[StepTarget(css="#old"), StepTarget(text="Go")])
    made = library(tmp_path / "home", scenario("main", step))
    other = scenario("main", description="another one")

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        made.folder.save(other)
        return visible("e9") if arguments["target"] == {"text": "Go"} else {"elements": []}

    answer = await run(made, Page({"elements": matches}), heal=True)
    assert (answer.status, answer.healed) == ("passed", [])
    assert answer.warnings == ["main: it was changed in the meantime; nothing was written."]
    assert made.folder.load("main") == other


# Which element of a changed page is the recorded one: never a wrong one, whatever the language.


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
def test_element_with_other_name_is_another_element(name: str, other: str) -> None:
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


# Finding a step's element through a hub that a stand-in is.


async def test_two_elements_that_nothing_tells_apart_are_refused_with_candidates(tmp_path: Path) -> None:
    look = Appearance(role="textbox", name="N", tag="input", attributes={"id": "n"})
    step = Step(command="fill", targets=[StepTarget(label="N")], element=look, arguments={"value": "x"}, timeout=100)
    both = {"elements": [*visible("f1e1")["elements"], *visible("f2e1")["elements"]]}
    for one in both["elements"]:
        one["attributes"] = {"id": "n"}
    fields = [{"role": "textbox", "ref": one["ref"], "name": "N"} for one in both["elements"]]
    page = Page({"elements": both, "snapshot": {"tree": {"tree": {"role": "main", "children": fields}}}})
    answer = await run(library(tmp_path / "home", scenario("main", step)), page)
    assert answer.status == "failed"
    assert "candidates: textbox 'N' (f1e1), textbox 'N' (f2e1)" in str(answer.steps[0].error)
    assert "fill" not in [name for name, *_ in page.made]


# What the page says of why a step failed.


@attrs.frozen
class Snapshot:
    """An answer with this tree."""

    data: dict[str, Any]


async def hints(*nodes: dict[str, Any]) -> list[str]:
    async def call(name: str, arguments: dict[str, Any]) -> Snapshot:
        assert (name, arguments["format"]) == ("snapshot", "json")
        return Snapshot({"tree": {"tree": {"role": "document", "children": list(nodes)}}})

    answering: Any = call
    return await page_hints(answering, "t1")


def node(role: str, name: str = "", *children: Any) -> dict[str, Any]:
    return {"role": role, "name": name, "children": children}


async def test_form_dialog_and_alert_are_named() -> None:
    found = await hints(
        node("textbox", "City"),
        node("textbox", "Street"),
        node("dialog", "", "Really?"),
        node("alert", "", "No such street"),
    )
    assert found == [
        "the page is a form with 2 fields",
        "a dialog is open: 'Really?'",
        "the page shows an alert: 'No such street'",
    ]


async def test_a_page_that_cannot_be_read_gives_no_hint() -> None:
    async def refuse(name: str, arguments: dict[str, Any]) -> Any:
        raise KaptureError(ErrorCode.DETACHED, "There is no page.")

    refusing: Any = refuse
    assert await page_hints(refusing, "t1") == []
