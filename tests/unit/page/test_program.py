"""The steps of an action travel together, in order, and each call is answered for itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply
from kapture.errors import DialogOpen, ErrorCode, KaptureError, PolicyDenied
from kapture.page.agent_calls import AgentCalls
from kapture.page.frame import Frame
from kapture.page.frames import FrameTree
from kapture.page.input_queue import InputEvent, InputQueue
from kapture.page.program import AgentCall, Answer, Input, Step, outcome_of, run
from kapture.page.renderer import Renderer

DOWN, UP = (
    InputEvent("Input.dispatchMouseEvent", {"type": "down"}),
    InputEvent("Input.dispatchMouseEvent", {"type": "up"}),
)
DIALOG = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")


class Browser:
    """One document; what is submitted together is one batch, answered at once."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, bool]]] = []
        self.alone: list[str] = []
        self.answers: dict[str, Any] = {}
        self.refuses: set[str] = set()
        self.blocked: KaptureError | None = None
        self.granted = True
        self.connection = CdpConnection(self)
        self.queue = InputQueue(self.connection.root, lambda: self.blocked)
        self.frames = FrameTree(lambda _: self.granted, AgentCalls(Renderer(lambda: self.blocked)))
        self.frames.observe(self.connection.root)
        self.frames.take(self.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})

    @property
    def main(self) -> Frame:
        return self.frames.main

    def load(self) -> None:
        data = {"frameId": "M", "isDefault": False, "type": "isolated"}
        context = {"id": 1, "uniqueId": "U1", "name": "kapture", "auxData": data}
        self.connection.deliver("Runtime.executionContextCreated", {"context": context}, None)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.alone.append(method)
        reply = PendingReply()
        self._answer(reply, method, params)
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        self.batches.append([(command.method, command.after) for command in commands])
        for command in commands:
            self._answer(command.reply, command.method, command.params)

    def _answer(self, reply: PendingReply, method: str, params: Mapping[str, Any]) -> None:
        if method in self.refuses:
            reply.fail(CdpError(method, "no"))
        elif method == "Runtime.evaluate":
            function = json.loads(params["expression"].removeprefix("kapture.run(").split(",")[0])
            value = json.dumps({"value": self.answers[function], "top": 0})
            reply.resolve({"result": {"value": value}})
        else:
            if method == "Page.createIsolatedWorld":
                self.load()
            reply.resolve({})

    async def run(self, *steps: Step) -> list[Answer]:
        return await run(self.connection, self.queue, steps)


async def test_all_steps_are_one_message_and_calls_wait_for_what_comes_before() -> None:
    browser = Browser()
    browser.load()
    browser.answers = {"afterPress": {"met": True}}
    (answer,) = await browser.run(Input([DOWN, UP]), AgentCall(browser.main, "afterPress"))
    assert browser.batches == [
        [("Input.dispatchMouseEvent", False), ("Input.dispatchMouseEvent", False), ("Runtime.evaluate", True)]
    ]
    assert await answer() == {"met": True}


async def test_calls_are_answered_in_order_and_each_for_itself() -> None:
    browser = Browser()
    browser.load()
    browser.answers = {"expectNoPress": 1, "afterPress": 2}
    first, second = await browser.run(AgentCall(browser.main, "expectNoPress"), AgentCall(browser.main, "afterPress"))
    assert (await first(), await second()) == (1, 2)


async def test_a_call_into_a_document_that_is_being_made_is_made_when_it_is_asked_for() -> None:
    browser = Browser()
    browser.answers = {"afterPress": 1}
    (answer,) = await browser.run(Input([DOWN]), AgentCall(browser.main, "afterPress"))
    assert browser.batches == [[("Input.dispatchMouseEvent", False)]]
    assert await answer() == 1
    assert browser.alone == ["Page.createIsolatedWorld", "Runtime.evaluate"]


async def test_input_that_the_browser_refuses_is_an_error() -> None:
    browser = Browser()
    browser.refuses = {"Input.dispatchMouseEvent"}
    with pytest.raises(CdpError):
        await browser.run(Input([DOWN, UP]))


async def test_nothing_is_sent_while_a_dialog_is_open() -> None:
    browser = Browser()
    browser.load()
    browser.blocked = DIALOG
    with pytest.raises(DialogOpen):
        await browser.run(Input([DOWN]), AgentCall(browser.main, "afterPress"))
    assert browser.batches == []


async def test_a_gated_call_is_not_sent_into_a_document_outside_the_grant() -> None:
    browser = Browser()
    browser.load()
    browser.granted = False
    browser.answers = {"afterPress": 1}
    with pytest.raises(PolicyDenied):
        await browser.run(AgentCall(browser.main, "finishFill"))
    assert browser.batches == []
    await browser.run(AgentCall(browser.main, "afterPress"))
    assert browser.batches == [[("Runtime.evaluate", False)]]


async def test_a_failure_is_an_outcome_like_any_other() -> None:
    async def fails() -> None:
        raise DIALOG

    assert await outcome_of(fails) is DIALOG
