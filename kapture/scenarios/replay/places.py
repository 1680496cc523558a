"""Where in an element a step presses, or releases what it drags, when it was recorded with a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from kapture.commands.core.context import HubCall
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Appearance
from kapture.scenarios.replay.finding import Finder, FoundElement


@attrs.frozen
class Places:
    """Turns places in recorded elements into points of the page as it is now, in CSS pixels of the viewport."""

    call: HubCall
    tab_id: str
    finder: Finder

    async def point_in(self, found: FoundElement, at: Sequence[float], recorded: Appearance | None) -> dict[str, float]:
        """The point of an element that is meant by a place in it as it was recorded.

        The place is scaled if the element has another size now. `ELEMENT_NOT_ACTIONABLE` if something covers it there.
        """
        await self.call("scroll", {"tabId": self.tab_id, "target": {"ref": found.ref}, "snapshot": "none"})
        left, top, width, height = await self.finder.box(found.ref)
        x, y = at
        if recorded is not None and recorded.box and recorded.box[2] > 0 and recorded.box[3] > 0:
            x, y = x * width / recorded.box[2], y * height / recorded.box[3]
        point = {"x": round(left + x, 1), "y": round(top + y, 1)}
        there = (await self.call("element_at", {"tabId": self.tab_id, **point})).data["elements"]
        if not there or there[0]["ref"] != found.ref:
            raise KaptureError(
                ErrorCode.ELEMENT_NOT_ACTIONABLE,
                f"Something else covers the element at {x:.0f}, {y:.0f}, where it is to be pressed.",
                hint="Nothing was pressed. Look at the page; record the step again if it has changed.",
            )
        return point

    async def release(
        self, dragged: FoundElement, onto: FoundElement, at: Sequence[float] | None, start: Mapping[str, float] | None
    ) -> dict[str, Any]:
        """The arguments of `drag` that say where to release: on an element, or at a place in it.

        A place is given as the distance from `start`, or the middle of what is dragged. Both are where they are now:
        what comes while one was waited for may have moved the other. `ELEMENT_NOT_FOUND` if one is not shown any more.
        """
        if at is None:
            return {"target": {"ref": onto.ref}}
        (x, y, width, height), (left, top, *_) = await self.finder.box(dragged.ref), await self.finder.box(onto.ref)
        begin = start or {"x": x + width / 2, "y": y + height / 2}
        return {"delta_x": round(left + at[0] - begin["x"]), "delta_y": round(top + at[1] - begin["y"])}
