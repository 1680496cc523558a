"""Moving the pointer over an element."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.errors import KaptureError
from kapture.page.element import Element
from kapture.page.input.mouse import Modifier
from kapture.page.page import Page
from kapture.page.program import Action, AgentCall, Aim, Input, Step, outcome_of
from kapture.page.target import Target


async def hover(page: Page, target: Target, *, modifiers: Sequence[Modifier] = ()) -> Element:
    """Move the pointer over the element, where it stays."""

    def steps(aim: Aim) -> list[Step]:
        move = Input([page.mouse.move_event(aim.point, modifiers)])
        return [move, AgentCall(aim.frame, "settle", {"thorough": page.thorough})]

    ready, answers = await page.actions.act(Action(target, "hover", steps))
    page.mouse.position = ready.point
    for answer in answers or ():
        settled = await outcome_of(answer, page.awaited)
        if not isinstance(settled, KaptureError):  # else the document went away, or a dialog opened: events report both
            page.on_settled(ready.element.frame, settled)
    return ready.element
