"""Moving the pointer over an element."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.page.element import Element
from kapture.page.input.mouse import Modifier
from kapture.page.page import Page
from kapture.page.program import Action, Aim, Input, Step
from kapture.page.target import Target


async def hover(page: Page, target: Target, *, modifiers: Sequence[Modifier] = ()) -> Element:
    """Move the pointer over the element, where it stays."""

    def steps(aim: Aim) -> list[Step]:
        return [Input([page.mouse.move_event(aim.point, modifiers)])]

    ready, _ = await page.actions.act(Action(target, "hover", steps))
    page.mouse.position = ready.point
    return ready.element
