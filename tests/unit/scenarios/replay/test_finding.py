"""Finding a step's element through a hub that a stand-in is."""

from __future__ import annotations

from pathlib import Path

from kapture.scenarios.model import Appearance, Step, StepTarget
from tests.unit.scenarios.stand_in import Page, library, run, scenario, visible


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
