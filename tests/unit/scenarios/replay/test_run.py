"""Runs over a stand-in for the page: an answer for each command, and a record of the calls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.page.dialogs import Dialog
from kapture.page.recording.recording import AnsweredDialog
from kapture.scenarios.model import Appearance, Condition, Dependency, Destination, Parameter, Step, StepTarget
from kapture.scenarios.record.captured import of_dialog
from tests.support.context import ProgressLog
from tests.unit.scenarios.stand_in import SHOP, Page, library, run, scenario, stored, visible

FILL = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{n}}"})


async def test_parameters_reach_the_command_with_their_type_and_the_element_by_ref(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", FILL, parameters={"n": Parameter(type="integer")}))
    page = Page({"elements": visible("e7")})
    progress = ProgressLog()
    answer = await run(made, page, parameters={"n": 3}, progress=progress)
    assert answer.status == "passed"
    given = {"target": {"ref": "e7"}, "value": 3, "tabId": "tab22222", "snapshot": "none"}
    assert page.made[-1] == ("fill", given, None)
    assert progress.reports == [(0, 1, "main, step 1: fill")]


async def test_a_dry_run_shows_the_plan_and_touches_no_page(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", dependencies=[Dependency(scenario="first")]), scenario("first"))
    page = Page()
    answer = await run(made, page, dry_run=True)
    assert (answer.status, [row.scenario for row in answer.plan]) == ("planned", ["first", "main"])
    assert page.made == []


async def test_a_dependency_runs_first_and_hands_on_what_it_captured(tmp_path: Path) -> None:
    reads = Step(command="get_text", capture={"total": "content"})
    uses = Step(command="navigate", arguments={"url": "https://shop.example/?sum={{cart.total}}"})
    made = library(
        tmp_path / "home",
        scenario("main", uses, dependencies=[Dependency(scenario="first", capture_output="cart")]),
        scenario("first", reads),
    )
    page = Page({"get_text": {"content": "12"}})
    await run(made, page)
    assert page.names() == ["get_text", "navigate"]
    assert page.made[-1][1]["url"] == "https://shop.example/?sum=12"


async def test_a_dependency_whose_condition_says_so_is_skipped(tmp_path: Path) -> None:
    condition = Condition(check="is_authenticated")
    made = library(
        tmp_path / "home",
        scenario("main", dependencies=[Dependency(scenario="first", condition=condition)]),
        scenario("first", Step(command="reload")),
    )
    signed_in = {"role": "main", "ref": "e2", "children": [{"role": "link", "ref": "e1", "name": "Sign out"}]}
    page = Page({"snapshot": {"tree": {"tree": signed_in}}})
    answer = await run(made, page)
    assert page.names() == ["snapshot", "go_back"]
    assert answer.warnings == ["first was skipped: is_authenticated is true"]
    page = Page({"snapshot": {"tree": {"tree": {"role": "main", "ref": "e2"}}}})
    await run(made, page)
    assert page.names() == ["snapshot", "reload", "go_back"]


@pytest.mark.parametrize(
    ("asks", "accept", "answered"),
    [
        ("Bid € 230 on the table", True, False),
        ("Bid € 230  on the TABLE?", True, True),
        ("Delete your bid on the table?", True, False),
        ("Leave this page?", True, False),
        ("Leave this page?", False, True),
        ("", True, False),
        ("Withdraw your bid on the table?", True, False),
        ("Bid € 2300 on the table?", True, False),
    ],
)
async def test_a_dialog_is_accepted_only_if_it_asks_what_the_recorded_one_did(
    tmp_path: Path, asks: str, accept: bool, answered: bool
) -> None:
    recorded = Appearance(text="Bid € 230 on the table?")
    step = Step(command="handle_dialog", arguments={"accept": accept}, element=recorded)
    made = library(tmp_path / "home", scenario("main", step, parameters={"piece": Parameter()}))
    page = Page({"tab_info": {"dialog": {"type": "confirm", "message": asks}}})
    answer = await run(made, page, parameters={"piece": "Wardrobe"})
    assert (answer.status == "passed") is answered
    assert ("handle_dialog" in page.names()) is answered
    expected = [arguments["message"] for name, arguments, _ in page.made if name == "handle_dialog"]
    assert expected == ([asks if accept else None] if answered else [])


async def test_a_dialog_that_opens_after_the_look_must_be_the_recorded_one(tmp_path: Path) -> None:
    step = Step(command="handle_dialog", element=Appearance(text="Bid € 230 on the table?"))
    page = Page({"tab_info": {}})
    await run(library(tmp_path / "home", scenario("main", step)), page)
    [expected] = [arguments["message"] for name, arguments, _ in page.made if name == "handle_dialog"]
    assert expected == "Bid € 230 on the table?"


LONG = "Terms of the table, which you accept with your bid. " * 40


@pytest.mark.parametrize(
    ("asked", "asks", "answered"),
    [
        (f"{LONG}Delete the draft?", f"{LONG}Delete the draft?", True),
        (f"{LONG}Keep the draft?", f"{LONG}Delete the draft?", False),
        (f"{LONG * 10}Keep the draft?", f"{LONG * 10}Keep the draft?", True),
    ],
)
async def test_the_end_of_a_long_dialog_is_compared_too(tmp_path: Path, asked: str, asks: str, answered: bool) -> None:
    dialog = Dialog(type="confirm", message=asked, default_prompt="", url=SHOP, session=None)  # type: ignore[arg-type]
    recorded = of_dialog(AnsweredDialog(dialog=dialog, accepted=True))
    step = Step(command="handle_dialog", arguments={"accept": True}, element=recorded.element)
    made = library(tmp_path / "home", scenario("main", step))
    page = Page({"tab_info": {"dialog": {"type": "confirm", "message": asks}}})
    await run(made, page)
    assert ("handle_dialog" in page.names()) is answered


@pytest.mark.parametrize(("optional", "status"), [(True, "passed"), (False, "failed")])
async def test_an_optional_dependency_that_fails_is_a_warning(tmp_path: Path, optional: bool, status: str) -> None:
    made = library(
        tmp_path / "home",
        scenario("main", dependencies=[Dependency(scenario="first", optional=optional)]),
        scenario("first", Step(command="reload")),
    )
    page = Page({"reload": KaptureError(ErrorCode.NAVIGATION_FAILED, "no network")})
    answer = await run(made, page)
    assert answer.status == status
    assert ("go_back" in page.names()) is optional
    assert any("first is optional and failed" in warning for warning in answer.warnings) is optional


async def test_a_failed_step_ends_the_run_with_a_picture_of_the_page(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", Step(command="reload"), Step(command="go_back")))
    page = Page({"reload": KaptureError(ErrorCode.NAVIGATION_FAILED, "no network")})
    answer = await run(made, page)
    assert (answer.status, [step.status for step in answer.steps]) == ("failed", ["failed"])
    assert answer.steps[0].error == {"code": "NAVIGATION_FAILED", "message": "no network"}
    assert page.names() == ["reload", "snapshot", "screenshot"]
    assert len(answer.blobs) == 1
    page.made.clear()
    assert (await run(made, page, screenshots="none")).blobs == ()


async def test_a_failed_step_comes_with_what_the_page_says(tmp_path: Path) -> None:
    step = Step(command="fill", targets=[StepTarget(label="N")], arguments={"value": "{{pw}}"}, secret=True)
    made = library(tmp_path / "home", scenario("main", step, secrets=["pw"]))
    alert = {"role": "alert", "ref": "e3", "children": ["hunter2 is no password"]}
    form = {"role": "form", "children": [{"role": "textbox", "ref": "e4", "name": "Password"}, alert]}
    dialog = {"role": "dialog", "ref": "e5", "name": "Cookies", "children": ["The field is required."]}
    tree = {"role": "main", "ref": "e1", "children": [form, dialog, {"role": "link", "name": "Report an error"}]}
    refused = KaptureError(ErrorCode.ELEMENT_NOT_ACTIONABLE, "It is covered.")
    page = Page({"elements": visible("e7"), "fill": refused, "snapshot": {"tree": {"tree": tree}}})
    answer = await run(made, page, override_secrets={"pw": "hunter2"})
    assert answer.steps[0].hints == [
        "a dialog is open: 'Cookies'",
        "the page shows an alert: '{{pw}} is no password'",
    ]
    page.answers["snapshot"] = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    assert (await run(made, page, override_secrets={"pw": "hunter2"})).steps[0].hints == []


async def test_a_stale_ref_is_looked_for_again(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main", FILL, parameters={"n": Parameter(default="x")}))
    tries = iter([KaptureError(ErrorCode.REF_EXPIRED, "gone"), KaptureError(ErrorCode.REF_EXPIRED, "gone"), {}])
    page = Page({"elements": visible("e7"), "fill": lambda arguments: next(tries)})
    assert (await run(made, page)).status == "passed"
    assert page.names().count("fill") == 3


async def test_a_dialog_of_the_page_that_a_step_left_open_is_hinted_once(tmp_path: Path) -> None:
    press = Step(command="press", arguments={"key": "a"})
    made = library(tmp_path / "home", scenario("main", press, press, press))
    asks = [{"name": "Accept cookies?", "visible": True}]
    answer = await run(made, Page(dialogs=[[], asks, asks]))
    assert [step.hints for step in answer.steps] == [[], ["a dialog is open: 'Accept cookies?'"], []]


async def test_the_advice_of_an_error_is_among_the_hints_of_its_step(tmp_path: Path) -> None:
    error = KaptureError(ErrorCode.POLICY_DENIED, "It is not allowed.", hint="Ask the person.")
    made = library(tmp_path / "home", scenario("main"))
    answer = await run(made, Page({"go_back": error}))
    assert answer.steps[0].hints == ["Ask the person."]


async def test_the_next_target_is_tried_where_the_first_finds_nothing(tmp_path: Path) -> None:
    step = Step(command="click", targets=[StepTarget(css="#old"), StepTarget(text="Go")])
    made = library(tmp_path / "home", scenario("main", step))

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return visible("e9") if arguments["target"] == {"text": "Go"} else {"elements": []}

    page = Page({"elements": matches})
    answer = await run(made, page)
    assert answer.steps[0].used == "text Go"
    assert page.made[-1][1]["target"] == {"ref": "e9"}


@pytest.mark.parametrize(
    ("at", "sent"),
    [(None, {"target": {"ref": "e2"}}), ([30, 5], {"delta_x": 125, "delta_y": 200, "modifiers": ["Alt"]})],
)
async def test_drop_target_is_found_and_healed_separately(
    tmp_path: Path, at: list[float] | None, sent: dict[str, Any]
) -> None:
    onto = Destination(targets=[StepTarget(css="#old"), StepTarget(text="Done")], at=at)
    distance = {} if at is None else {"delta_x": 1, "delta_y": 2, "modifiers": ["Alt"]}
    step = Step(command="drag", targets=[StepTarget(text="Card")], onto=onto, arguments=distance)
    made = library(tmp_path / "home", scenario("main", step, version=4))
    boxes = {"Card": ("e1", [0, 0, 10, 10]), "Done": ("e2", [100, 200, 50, 50])}

    def matches(arguments: Mapping[str, Any]) -> dict[str, Any]:
        found = [
            box for text, box in boxes.items() if {"text": text, "ref": box[0]}.items() & arguments["target"].items()
        ]
        return visible(found[0][0], box=found[0][1]) if found else {"elements": []}

    page = Page({"elements": matches})
    answer = await run(made, page, heal=True)
    assert answer.steps[0].used is None
    assert answer.steps[0].hints == ["what it is dropped on was found by text Done"]
    [given] = [arguments for name, arguments, _ in page.made if name == "drag"]
    assert given == {"tabId": "tab22222", "snapshot": "none", "source": {"ref": "e1"}, **sent}
    [healed] = made.folder.load("main").chain
    assert (healed.targets, healed.element) == (step.targets, None)
    assert healed.onto is not None
    assert (healed.onto.targets[0].name, healed.onto.at) == ("N", at)


async def test_deleting_a_scenario_deletes_its_secrets(tmp_path: Path) -> None:
    made = library(tmp_path / "home", scenario("main"), scenario("other"))
    made.secrets.put("main", {"pw": stored("x")})
    made.secrets.put("other", {"pw": stored("y")})
    await made.delete("main")
    assert await made.names() == ["other"]
    assert (made.secrets.of("main"), made.secrets.of("other")) == ({}, {"pw": stored("y")})
