"""Mouse buttons that a client pressed and released, as clicks.

A press and its release in the same place are a click on the element that was there; with a `count` they are no click
more, but make those before them a double or triple click (`clickCount` of `Input.dispatchMouseEvent`).
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from kapture.scenarios.record.captured import Captured, CapturedStep, in_other_documents, same_element


def join_clicks(items: Sequence[Captured]) -> list[Captured]:
    """The items, with clicks in place of what is pressed and released in one place."""
    joined: list[Captured] = []
    for item in items:
        pressed = joined[-1] if joined else None
        click = _click(pressed, item)
        if click is None:
            joined.append(item)
            continue
        joined.pop()
        before = joined[-1] if joined else None
        if isinstance(before, CapturedStep) and _goes_on(before, click):
            joined.pop()
            click = attrs.evolve(click, id=before.id, opens=before.opens if click.opens is None else click.opens)
        joined.append(click)
    return joined


def _click(pressed: Captured | None, released: Captured) -> CapturedStep | None:
    """The click that two steps are together; None if they are none."""
    if not isinstance(pressed, CapturedStep) or not isinstance(released, CapturedStep):
        return None
    click = pressed.click
    if click is None or released.command != "mouse" or released.arguments.get("action") != "up":
        return None
    if pressed.tab != released.tab or pressed.opens is not None or _where(pressed) != _where(released):
        return None
    return attrs.evolve(click, id=pressed.id, tab=pressed.tab, opens=released.opens)


def _where(step: CapturedStep) -> tuple[object, ...]:
    given = step.arguments
    return given.get("x"), given.get("y"), given.get("button")


def _goes_on(before: CapturedStep, click: CapturedStep) -> bool:
    """Whether a click is the next of those that the step before has made."""
    opens_one = before.opens is None or click.opens is None
    alike = before.command == "click" and before.tab == click.tab and _without_count(before) == _without_count(click)
    one_more = _count(click) == _count(before) + 1
    return opens_one and alike and one_more and same_element(before, click) and not in_other_documents(before, click)


def _count(click: CapturedStep) -> int:
    return int(click.arguments.get("count", 1))


def _without_count(click: CapturedStep) -> dict[str, object]:
    return {name: value for name, value in click.arguments.items() if name != "count"}
