"""Values of secrets taken out of what recorded elements are called: a page may show the user name that was typed.

A file would hold them, and another run, with other values, would not find the element by them. For addresses see
`kapture.scenarios.record.recorded_addresses`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs
import msgspec

from kapture.scenarios.model import Appearance, Destination, StepTarget
from kapture.scenarios.record.captured import CapturedStep
from kapture.scenarios.record.typed_in_address import holds

_LEAST_NAME = 3
"""Characters of a name that are left, so that an element can still be found by them."""


@attrs.frozen
class _Values:
    """Values of secrets, the longest first, and a pattern of them as words."""

    values: Sequence[str]
    pattern: re.Pattern[str]

    def stand_in(self, text: str) -> bool:
        """Whether a text holds one, as it is or percent-encoded."""
        return self.pattern.search(text) is not None or holds(text, self.values)


def without_values(steps: Sequence[CapturedStep], forgotten: Sequence[CapturedStep] = ()) -> list[CapturedStep]:
    """The steps without the secret values that any of them types, or that a deleted one has typed, wherever those stand
    as words: `user` is no part of `username`."""
    typed = {step.secret_value for step in (*steps, *forgotten) if step.secret_value}
    values = sorted(typed, key=len, reverse=True)
    if not values:
        return list(steps)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, values))})(?!\w)")
    return [_stripped(step, _Values(values, pattern)) for step in steps]


def _stripped(step: CapturedStep, values: _Values) -> CapturedStep:
    targets, element = _element(step.targets, step.element, values)
    onto = step.onto
    if onto is not None:
        goals, look = _element(onto.targets, onto.element, values)
        onto = Destination(targets=goals or [StepTarget(css=(look and look.tag) or "*")], element=look, at=onto.at)
    return attrs.evolve(step, targets=targets, element=element, onto=onto)


def _element(
    targets: Sequence[StepTarget], element: Appearance | None, values: _Values
) -> tuple[list[StepTarget], Appearance | None]:
    left = [found for target in targets if (found := _target(target, values)) is not None]
    looked = None if element is None else _appearance(element, values)
    if targets and not left and looked is not None and looked.role:
        left = [StepTarget(role=looked.role)]  # what it looked like says which
    return left, looked


def _target(target: StepTarget, values: _Values) -> StepTarget | None:
    """The target by what is left of its name; None where that is nothing, and of a selector that holds a value."""
    given = target.as_argument()
    held = [key for key, value in given.items() if isinstance(value, str) and values.stand_in(value)]
    if not held:
        return target
    if len(held) > 1 or held[0] not in ("name", "label", "text"):
        return None
    left = max((part.strip() for part in values.pattern.split(given[held[0]])), key=len)
    if len(left) < _LEAST_NAME or values.stand_in(left):
        return None
    return msgspec.structs.replace(target, **{held[0]: left, "exact": False, "nth": None})


def _appearance(element: Appearance, values: _Values) -> Appearance:
    def text(value: str) -> str:
        left = " ".join(values.pattern.sub(" ", value).split()) if values.pattern.search(value) else value
        return "" if values.stand_in(left) else left

    return msgspec.structs.replace(
        element,
        name=text(element.name),
        text=text(element.text),
        attributes={name: value for name, value in element.attributes.items() if not values.stand_in(value)},
        neighbours=[left for one in element.neighbours if (left := text(one))],
        within=[left for one in element.within if (left := text(one))],
    )
