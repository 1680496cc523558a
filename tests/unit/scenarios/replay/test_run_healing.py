"""What a run that passed writes back to its scenario: how it found the elements that had changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kapture.scenarios.model import Appearance, Parameter, Step, StepTarget
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
