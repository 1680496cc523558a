"""Screenshots of a tab, and waiting for what must be in one."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.context import Tab
from tests.support.patience import until
from tests.support.picture import Png, png


async def shot(tab: Tab, **options: object) -> Png:
    """A picture of what the tab shows now."""
    return png(await tab("screenshot", format="png", **options))


async def shot_when(shows: Callable[[Png], bool], tab: Tab, **options: object) -> Png:
    """The first picture that shows this: a frame in a process of its own is painted by that process."""

    async def look() -> Png | None:
        taken = await shot(tab, **options)
        return taken if shows(taken) else None

    return await until(look, "what a picture must show")
