"""A scenario of 20 steps, as the recorder saves it, against the same steps as one `batch`."""

from __future__ import annotations

from functools import partial
from typing import Any

from bench.build import Stack
from bench.operations import expect
from bench.timing import Side, Times, in_turn
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Appearance, Scenario, Step, StepTarget
from tests.support.site import Site

NAME = "bench_form"
PAGE = "/form"


def _found(role: str, name: str, css: str, tag: str, beside: str) -> dict[str, Any]:
    label = {"label": name, "exact": True} if tag != "button" else {"text": name, "exact": True}
    targets: list[dict[str, Any]] = [{"role": role, "name": name, "exact": True}, label, {"css": css}]
    return {
        "targets": [StepTarget(**target) for target in targets],
        "element": Appearance(
            role=role, name=name, tag=tag, attributes={"id": css[1:]}, neighbours=[beside], within=["form"]
        ),
    }


def _steps(number: int) -> list[Step]:
    return [
        Step(
            command="fill", arguments={"value": f"Ada {number}"}, **_found("textbox", "Name", "#name", "input", "Email")
        ),
        Step(
            command="fill",
            arguments={"value": f"ada{number}@example.com"},
            **_found("textbox", "Email", "#mail", "input", "Name"),
        ),
        Step(
            command="select",
            arguments={"label": ("Spain", "Peru")[number % 2]},
            **_found("combobox", "Country", "#country", "select", "Email"),
        ),
        Step(
            command="fill",
            arguments={"value": number % 2 == 0},
            **_found("checkbox", "I agree", "#agree", "input", "Country"),
        ),
        Step(command="click", **_found("button", "Create account", "#go", "button", "Log in")),
    ]


STEPS = [step for number in range(4) for step in _steps(number)]


async def against_a_batch(stack: Stack, site: Site, runs: int) -> dict[str, Times]:
    """Times of `batch` and of `scenario`, through bridge, hub and extension."""
    ScenarioFolder(stack.hub.home).save(Scenario(version=1, name=NAME, chain=STEPS))
    batch = [
        {"command": step.command, "arguments": {**step.arguments, "target": step.targets[0].as_argument()}}
        for step in STEPS
    ]
    tab = stack.tab
    await tab.show(site.url(PAGE))
    passed = b'"status":"passed"'
    sides = [
        Side("batch", lambda: expect(tab("batch", steps=batch, snapshot="none"), b'"failed":0')),
        Side("scenario", partial(_run, stack, passed)),
    ]
    return await in_turn(sides, max(6, runs // 3), block=2)


async def _run(stack: Stack, passed: bytes) -> None:
    await expect(stack.tab("run_scenario", name=NAME, screenshots="none"), passed)
