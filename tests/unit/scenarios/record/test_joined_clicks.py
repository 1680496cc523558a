"""What is pressed and released in one place is a click, and the second of two makes them a double click."""

from __future__ import annotations

from typing import Any

import attrs

from kapture.scenarios.model import StepTarget
from kapture.scenarios.record.captured import Captured, CapturedStep
from kapture.scenarios.record.optimizer import optimize


def click(name: str = "Go", **arguments: Any) -> CapturedStep:
    return CapturedStep(command="click", arguments=arguments, targets=[StepTarget(text=name)], id="first")


def mouse(action: str, click: CapturedStep | None = None, **arguments: Any) -> CapturedStep:
    given = {"action": action, "x": 5, "y": 6, **arguments}
    return CapturedStep(command="mouse", arguments=given, click=click, id=action)


def press(name: str = "Go", **arguments: Any) -> list[Captured]:
    """A press and its release on an element."""
    return [mouse("down", click(name, **arguments), **arguments), mouse("up", **arguments)]


def kept(*items: Captured) -> list[tuple[str, dict[str, Any]]]:
    return [(step.command, dict(step.arguments)) for step in optimize(items)]


def test_a_press_and_its_release_are_a_click() -> None:
    [step] = optimize(press())
    assert (step.command, step.arguments, step.targets, step.id) == ("click", {}, [StepTarget(text="Go")], "down")


def test_the_second_click_makes_a_double_click_of_both_and_the_third_a_triple_click() -> None:
    twice = [click(), *press(count=2)]
    [step] = optimize(twice)
    assert (step.command, step.arguments, step.id) == ("click", {"count": 2}, "first")
    assert kept(*twice, *press(count=3)) == [("click", {"count": 3})]
    assert kept(*optimize(twice), *press(count=3)) == [("click", {"count": 3})]  # edited in between


def test_a_tab_that_any_of_them_opened_is_opened_by_the_double_click() -> None:
    down, up = press(count=2)
    assert isinstance(up, CapturedStep)
    [opened] = optimize([click(), down, attrs.evolve(up, opens=2)])
    assert (opened.arguments, opened.opens) == ({"count": 2}, 2)
    [before] = optimize([attrs.evolve(click(), opens=2), down, up])
    assert (before.arguments, before.opens) == ({"count": 2}, 2)
    both = optimize([attrs.evolve(click(), opens=2), down, attrs.evolve(up, opens=3)])
    assert [step.opens for step in both] == [2, 3]
