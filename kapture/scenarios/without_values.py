"""Values of secrets taken out of what recorded elements are called: a page may show the user name that was typed.

A file would hold them, and another run, with other values, would not find the element by them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs
import msgspec

from kapture.scenarios.captured import CapturedStep
from kapture.scenarios.model import Appearance, StepTarget

_LEAST_NAME = 3
"""Characters of a name that are left, so that an element can still be found by them."""


def without_values(steps: Sequence[CapturedStep]) -> list[CapturedStep]:
    """The steps without the secret values that any of them types, wherever those stand as words: `user` is no part of
    `username`."""
    values = sorted({step.secret_value for step in steps if step.secret_value}, key=len, reverse=True)
    if not values:
        return list(steps)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, values))})(?!\w)")
    return [_stripped(step, pattern) for step in steps]


def _stripped(step: CapturedStep, values: re.Pattern[str]) -> CapturedStep:
    targets = [found for target in step.targets if (found := _target(target, values)) is not None]
    element = _appearance(step.element, values) if step.element is not None else None
    if step.targets and not targets and element is not None and element.role:
        targets = [StepTarget(role=element.role)]  # what it looked like says which
    arguments = step.arguments
    if step.command == "wait_for" and isinstance(url := arguments.get("url"), str):
        arguments = {**arguments, "url": values.sub("*", url)}
    return attrs.evolve(step, targets=targets, element=element, arguments=arguments)


def _target(target: StepTarget, values: re.Pattern[str]) -> StepTarget | None:
    """The target by what is left of its name; None where that is nothing, and of a selector that holds a value."""
    given = target.as_argument()
    held = [key for key, value in given.items() if isinstance(value, str) and values.search(value)]
    if not held:
        return target
    if len(held) > 1 or held[0] not in ("name", "label", "text"):
        return None
    left = max((part.strip() for part in values.split(given[held[0]])), key=len)
    if len(left) < _LEAST_NAME:
        return None
    return msgspec.structs.replace(target, **{held[0]: left, "exact": False, "nth": None})


def _appearance(element: Appearance, values: re.Pattern[str]) -> Appearance:
    def text(value: str) -> str:
        return " ".join(values.sub(" ", value).split()) if values.search(value) else value

    return msgspec.structs.replace(
        element,
        name=text(element.name),
        text=text(element.text),
        attributes={name: value for name, value in element.attributes.items() if not values.search(value)},
        neighbours=[left for one in element.neighbours if (left := text(one))],
        within=[left for one in element.within if (left := text(one))],
    )
