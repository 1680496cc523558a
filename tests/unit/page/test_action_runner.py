"""An action is one program where its element is ready at once, and the same steps in several messages elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.cdp import CdpError
from kapture.errors import ElementNotActionable
from kapture.page.action_runner import ActionRunner
from kapture.page.frame import Frame
from kapture.page.mouse import Mouse, Point
from kapture.page.program import AgentCall, Aim, Input, Step
from kapture.page.target import TargetSpec
from tests.support.one_document import OneDocument

ELEMENT = {"ref": 4, "role": "button", "name": "Go", "tag": "button"}
READY = {
    "status": "ready",
    "at_once": True,
    "element": ELEMENT,
    "point": {"x": 10.5, "y": 20},
    "prepared": {"how": "text"},
}
EVALUATE, INPUT = "Runtime.evaluate", "Input.dispatchMouseEvent"


class Bench:
    """One document, and what acts on it."""

    def __init__(self) -> None:
        self.browser = browser = OneDocument()
        self.touched: list[Frame] = []
        self.aims: list[Aim] = []
        browser.load()
        browser.answers = {"ready": READY, "afterPress": {"met": True}}
        self.mouse = Mouse(browser.queue.send)
        self.runner = ActionRunner(browser.connection, browser.frames, browser.queue, self.touched.append)

    def steps(self, aim: Aim) -> list[Step]:
        self.aims.append(aim)
        return [
            Input(self.mouse.click_events(aim.point)),
            AgentCall(aim.frame, "afterPress", {"handle": aim.handle}),
        ]

    async def click(self, target: Any = "#go", **requires: Any) -> Any:
        return await self.runner.act(target, "click", self.steps, None, {f"/{k}": v for k, v in requires.items()})

    @property
    def input(self) -> list[tuple[str, float, float]]:
        return [(event["type"], event["x"], event["y"]) for event in self.browser.input]


@pytest.fixture
async def bench() -> Bench:
    return Bench()


CLICKED = [("mouseMoved", 10.5, 20), ("mousePressed", 10.5, 20), ("mouseReleased", 10.5, 20)]


async def test_an_element_that_is_ready_is_acted_on_in_the_same_message(bench: Bench) -> None:
    ready, answers = await bench.click()
    assert bench.browser.batches == [
        [(EVALUATE, False), (INPUT, False), (INPUT, False), (INPUT, False), (EVALUATE, True)]
    ]
    assert bench.browser.alone == []
    assert bench.input == CLICKED
    assert (ready.point, ready.element.number) == (Point(10.5, 20), 4)
    assert await answers[0]() == {"met": True}
    assert bench.touched == [bench.browser.main]
    assert bench.aims[0].handle is not None


async def test_after_a_wait_the_same_steps_are_sent_by_themselves(bench: Bench) -> None:
    bench.browser.answers["ready"] = {**READY, "at_once": False, "handle": 9}
    await bench.click()
    assert bench.browser.called == ["ready", "afterPress"]
    assert len(bench.browser.batches) == 2
    assert bench.input == CLICKED
    assert bench.aims[1] == Aim(bench.browser.main, Point(10.5, 20), 9)


async def test_no_steps_are_taken_on_what_is_not_ready(bench: Bench) -> None:
    error = {"code": "ELEMENT_NOT_ACTIONABLE", "message": "it is disabled", "data": {"element": ELEMENT}}
    bench.browser.errors = {"ready": error}
    with pytest.raises(ElementNotActionable, match="disabled"):
        await bench.click()
    assert bench.input == []
    assert bench.browser.called == ["ready"]


async def test_no_steps_are_taken_where_the_answer_does_not_say_what_they_require(bench: Bench) -> None:
    ready, answers = await bench.click(**{"prepared/how": "set"})
    assert answers is None
    assert ready.prepared == {"how": "text"}
    assert bench.input == []
    _, answers = await bench.click(**{"prepared/how": "text"})
    assert bench.input == CLICKED
    assert answers is not None


async def test_while_a_frame_is_outside_the_grant_what_lies_at_the_point_is_asked_before_the_input(
    bench: Bench,
) -> None:
    bench.browser.add_frame("https://other.example/")
    bench.browser.outside = "https://other.example/"
    bench.browser.answers |= {"refuseInput": None, "acceptInput": {"refused": 0}}
    await bench.click()
    assert "DOM.getNodeForLocation" in bench.browser.alone
    assert bench.browser.called == ["ready", "refuseInput", "afterPress", "acceptInput"]
    assert bench.input == CLICKED


async def test_a_point_is_pressed_whatever_is_there(bench: Bench) -> None:
    bench.browser.answers["locate"] = {"matches": [ELEMENT], "total": 1}
    await bench.click(TargetSpec(x=3, y=4))
    assert [event[1:] for event in bench.input] == [(3, 4)] * 3
    assert bench.aims[0].handle is None


async def test_input_that_the_browser_refuses_is_an_error(bench: Bench) -> None:
    bench.browser.refuses = {INPUT}
    with pytest.raises(CdpError):
        await bench.click()
