"""However a drag ends, the button is released and the page's own drags are not intercepted any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing

from kapture.cdp import PendingReply
from kapture.errors import KaptureError, PolicyDenied
from kapture.page.actionability import _covered_frame
from kapture.page.actions.click import _not_met
from kapture.page.actions.drag import drag
from kapture.page.actions.fill_range import fill_range
from kapture.page.actions.keys import Typing, press_keys
from kapture.page.element import Element, ReadyElement
from kapture.page.input.mouse import Point
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
    """Return the commands to the browser, in order."""
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


# What an error says of what covers an element, in a document that the client may not see.


ELEMENT: Any = SimpleNamespace(describe=lambda: "button", as_json=dict)
COVER = {"text": "secret words", "ref": 3}


def frame(*, granted: bool) -> Any:
    return cast("Any", SimpleNamespace(granted=granted, key="f1", ref=lambda number: f"f1e{number}"))


@pytest.mark.parametrize("granted", [True, False])
def test_element_covering_frame_is_named_only_from_granted_document(granted: bool) -> None:
    error = _covered_frame(ELEMENT, frame(granted=True), frame(granted=granted), COVER, "click")
    assert ("secret words" in error.message) is granted
    assert ("f1e3" in error.message) is granted


@pytest.mark.parametrize("granted", [True, False])
def test_element_covering_another_is_named_only_from_granted_document(granted: bool) -> None:
    ready: Any = SimpleNamespace(element=ELEMENT)
    error = _not_met(ready, {"met": False, "cover": COVER}, frame(granted=granted))
    assert ("secret words" in error.message) is granted
    assert "secret words" not in str(error.hint) + str(error.data)


# A slider that neither keys nor the browser set is dragged.


THUMB = {"ref": 4, "role": "slider", "name": "Price", "tag": "div"}
READY_FILL_RANGE = {"status": "ready", "at_once": True, "element": THUMB, "point": {"x": 10, "y": 10}}
STATE = {"now": 3, "min": 0, "max": 10, "length": 100, "vertical": False, "upwards": False, "focused": False}


class Slider(OneDocument):
    """A page that refuses moves of the pointer once it has been pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {"ready": READY_FILL_RANGE, "rangeState": {**STATE, "element": THUMB}}
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


# Pressing and typing travel as one message, with what is asked afterwards.


EVALUATE, KEY = "Runtime.evaluate", "Input.dispatchKeyEvent"
READY_PRESSING_AND_TYPING = {
    "status": "ready",
    "at_once": True,
    "element": {"ref": 4, "role": "textbox", "name": "Name", "tag": "input"},
    "point": {"x": 1, "y": 1},
    "prepared": {"focused": True},
}
TYPED = {"verdict": "taken", "value": "ab", "arrived": True}


class Bench:
    """A page of one document, and the messages that are sent to it."""

    def __init__(self, nursery: Any) -> None:
        self.browser = browser = OneDocument()
        browser.answers = {"ready": READY_PRESSING_AND_TYPING, "readBack": TYPED}
        self.page = browser.page(nursery)

    def press(self, target: str | None) -> Any:
        return press_keys(self.page, target, partial(self.page.keyboard.press_events, "a"))

    def typing(self) -> Typing:
        return Typing(partial(self.page.keyboard.type_events, "ab"), "ab", clear=False)

    @property
    def messages(self) -> Sequence[Sequence[str]]:
        return [[method for method, _ in batch] for batch in self.browser.batches]


@pytest.fixture
async def bench(nursery: Any) -> Bench:
    return Bench(nursery)


async def test_with_a_frame_outside_the_grant_the_focus_is_looked_at_before_the_key(bench: Bench) -> None:
    bench.browser.outside = "https://b.example/"
    bench.browser.add_frame(bench.browser.outside)
    await bench.press("#name")
    called = bench.browser.called
    assert called.index("ready") < called.index("focusedFrame") < called.index("refuseInput")
    assert bench.messages == [[KEY], [KEY]]
    assert called.count("focusedFrame") == 3  # and before each event


async def test_no_key_is_sent_once_the_focus_is_outside_the_grant(bench: Bench) -> None:
    bench.browser.outside = "https://b.example/"
    bench.browser.add_frame(bench.browser.outside)
    [key] = [frame.key for frame in bench.page.frames.all() if not frame.granted]
    focused = iter([None, None, key, None])  # asked before all, before the key goes down, and before it goes up

    class Answers(dict[str, Any]):
        def get(self, function: str, default: Any = None) -> Any:
            return next(focused) if function == "focusedFrame" else super().get(function, default)

    bench.browser.answers = Answers(bench.browser.answers)
    with pytest.raises(PolicyDenied):
        await bench.press("#name")
    assert bench.messages == [[KEY]]
    assert bench.browser.called[-1] == "acceptInput"
