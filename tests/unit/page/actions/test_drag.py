"""However a drag ends, the button is released and the page's own drags are not intercepted any more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

from kapture.cdp import PendingReply
from kapture.errors import KaptureError
from kapture.page.actions.drag import drag
from tests.support.one_document import OneDocument

READY = {
    "status": "ready",
    "at_once": True,
    "element": {"ref": 4, "role": "listitem", "name": "Tea", "tag": "li"},
    "point": {"x": 1, "y": 1},
    "handle": 7,
}
POSITION = {"stayed": True, "index": 0, "of": 2, "tag": "ul", "x": 0, "y": 0, "parent": 3}


class Document(OneDocument):
    """One with an item to drag, which breaks on its way: then releasing it gets no answer, or any input is refused."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {"ready": READY, "dragPosition": POSITION}
        self.errors["dragStarted"] = {"code": "EXECUTION_ERROR", "message": "The page is broken."}
        self.hangs = False
        self.released = False
        self.intercepts = False

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Input.setInterceptDrags":
            self.intercepts = params["enabled"]
        if "dragStarted" in params.get("expression", "") and not self.hangs:
            self.refuses.add("Input.dispatchMouseEvent")
        self.released |= params.get("type") == "mouseReleased"
        reply = super()._reply(method, params, session_id)
        return PendingReply() if self.hangs and params.get("type") == "mouseReleased" else reply


@pytest.mark.parametrize("hangs", [True, False])
async def test_a_drag_that_fails_says_why_and_leaves_nothing_in_force(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock, hangs: bool
) -> None:
    document = Document()
    document.hangs = hangs
    with pytest.raises(KaptureError, match="The page is broken"):
        await drag(document.page(nursery), "#tea", None, by=(0, 50))
    assert document.released
    assert not document.intercepts
    assert document.called[-1] == "endDrag"


def intercepting(browser: OneDocument) -> list[bool]:
    """What the browser was told, in order."""
    return [params["enabled"] for params in browser.input if "enabled" in params]


async def test_a_drag_that_is_cancelled_at_its_start_leaves_native_drags_to_the_person(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    document = OneDocument()
    document.answers = {"ready": READY}
    document.silent.add("Input.setInterceptDrags")
    with trio.move_on_after(10) as scope:
        await drag(document.page(nursery), "#tea", None, by=(30, 0))
    assert scope.cancelled_caught
    await trio.testing.wait_all_tasks_blocked()
    assert intercepting(document) == [True, False]
