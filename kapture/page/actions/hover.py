"""Moving the pointer over an element."""

from __future__ import annotations

from collections.abc import Sequence

from kapture.page.element import Element
from kapture.page.mouse import Modifier
from kapture.page.page import Page
from kapture.page.target import Target


async def hover(page: Page, target: Target, *, modifiers: Sequence[Modifier] = ()) -> Element:
    """The pointer stays there for what comes next."""
    ready = await page.ready(target, "hover")
    await page.mouse.move(ready.point, modifiers=modifiers)
    return ready.element
