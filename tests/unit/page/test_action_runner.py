"""An action is one program where its element is ready at once, and the same steps in several messages elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
import trio.testing

from kapture.cdp import CdpError, Skipped
from kapture.errors import ElementNotActionable, ElementNotFound
from kapture.page.action_runner import ActionRunner
from kapture.page.documents.frame import Frame
from kapture.page.input.mouse import Mouse
from kapture.page.program import Action, AgentCall, Aim, Input, Step
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
        paths = {f"/{path}": value for path, value in requires.items()}
        return await self.runner.act(Action(target, "click", self.steps, requires=paths))

    @property
    def input(self) -> list[tuple[str, float, float]]:
        return [(event["type"], event["x"], event["y"]) for event in self.browser.input]


@pytest.fixture
async def bench() -> Bench:
    return Bench()


CLICKED = [("mouseMoved", 10.5, 20), ("mousePressed", 10.5, 20), ("mouseReleased", 10.5, 20)]


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


async def test_an_action_that_has_been_taken_is_not_judged_by_the_page_that_it_led_to(bench: Bench) -> None:
    [begun] = bench.runner.begin_all([Action("#go", "click", bench.steps)])
    await trio.testing.wait_all_tasks_blocked()
    assert bench.input == CLICKED
    bench.browser.outside = bench.browser.main.url  # before anybody has looked at the answers
    bench.browser.answers |= {"refuseInput": None, "acceptInput": {"refused": 0}}
    _, answers = await bench.runner.finish(begun)
    assert answers is not None
    assert "DOM.getNodeForLocation" not in bench.browser.alone
    assert bench.runner.count == 1  # so that nothing is done twice


async def test_a_point_is_pressed_whatever_is_there(bench: Bench) -> None:
    bench.browser.answers["locate"] = {"matches": [ELEMENT], "total": 1}
    await bench.click(TargetSpec(x=3, y=4))
    assert [event[1:] for event in bench.input] == [(3, 4)] * 3
    assert bench.aims[0].handle is None


async def test_input_that_the_browser_refuses_is_an_error(bench: Bench) -> None:
    bench.browser.refuses = {INPUT}
    with pytest.raises(CdpError):
        await bench.click()


async def test_steps_after_impossible_action_are_skipped(bench: Bench) -> None:
    bench.browser.errors_in_turn = [{"code": "ELEMENT_NOT_FOUND", "message": "none", "data": {}}]
    first, *others = bench.runner.begin_all([Action(f"#{name}", "click", bench.steps) for name in "abc"])
    with pytest.raises(ElementNotFound):
        await bench.runner.finish(first)
    for left_out in others:
        with pytest.raises(Skipped):
            await bench.runner.finish(left_out)
    assert bench.browser.called == ["ready"]
    assert bench.input == []


async def test_waiting_action_is_skipped_unless_it_is_first(bench: Bench) -> None:
    bench.browser.errors_in_turn = [None, {"code": "ELEMENT_NOT_ACTIONABLE", "message": "it moves", "data": {}}]
    first, second, third = bench.runner.begin_all([Action(f"#{name}", "click", bench.steps) for name in "abc"])
    await bench.runner.finish(first)
    for left_out in (second, third):
        with pytest.raises(Skipped):
            await bench.runner.finish(left_out)
    assert bench.input == CLICKED


async def test_an_element_in_a_frame_that_came_while_it_was_looked_for_is_found(bench: Bench) -> None:
    class Answers(dict[str, object]):
        def get(self, function: str, default: object = None) -> object:
            if function == "ready" and bench.browser.called.count("ready") == 1:
                bench.browser.add_frame("https://a.example/frame")
                return {"status": "none", "total": 0, "near": []}
            return super().get(function, default)

    bench.browser.answers = Answers(bench.browser.answers, locate={"matches": [ELEMENT], "total": 1})
    await bench.click(TargetSpec(css="#go", nth=0))
    assert bench.browser.called == ["ready", "locate", "locate", "ready", "afterPress"]
    assert bench.input == CLICKED
