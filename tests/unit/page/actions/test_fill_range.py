"""A slider that neither keys nor the browser set is dragged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio

from kapture.cdp import PendingReply
from kapture.errors import KaptureError
from kapture.page.actions.fill_range import fill_range
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Point
from tests.support.one_document import OneDocument

THUMB = {"ref": 4, "role": "slider", "name": "Price", "tag": "div"}
READY = {"status": "ready", "at_once": True, "element": THUMB, "point": {"x": 10, "y": 10}}
STATE = {"now": 3, "min": 0, "max": 10, "length": 100, "vertical": False, "upwards": False, "focused": False}


class Slider(OneDocument):
    """A page that refuses moves of the pointer once it has been pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {"ready": READY, "rangeState": {**STATE, "element": THUMB}}
        self.types: list[str] = []

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Input.dispatchMouseEvent":
            self.refuses = {method} if "mousePressed" in self.types and params["type"] == "mouseMoved" else set()
            self.types.append(params["type"])
        return super()._reply(method, params, session_id)


async def test_a_slider_is_let_go_when_dragging_it_fails(nursery: trio.Nursery) -> None:
    slider = Slider()
    page = slider.page(nursery)
    ready = ReadyElement(Element.of(page.frames.main, THUMB), Point(10, 10), {"handle": 7})
    with pytest.raises(KaptureError, match="no"):
        await fill_range(page, ready, {**STATE, "wanted": 8})
    assert slider.types[-1] == "mouseReleased"
