"""Calls of the agent that nobody waits for cost no message of their own, nor does what the agent will ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.page.input.keyboard import insert_event
from kapture.page.program import AgentCall, Input, run
from tests.support.one_document import OneDocument
from tests.unit.page.frame_world import World


@pytest.fixture
async def tab() -> OneDocument:
    tab = OneDocument()
    tab.load()
    tab.answers = {"documentState": "there"}
    return tab


async def test_a_notice_travels_in_the_next_call_of_the_same_agent(tab: OneDocument) -> None:
    tab.main.notify_next("acceptInput")
    tab.main.notify_next("watch")
    assert tab.called == []
    assert await tab.main.call("documentState") == "there"
    assert tab.called == ["acceptInput", "watch", "documentState"]
    assert tab.alone == ["Runtime.evaluate"]
    await tab.main.call("documentState")
    assert tab.called[3:] == ["documentState"]


async def test_input_waits_for_a_notice_that_is_due(tab: OneDocument) -> None:
    tab.main.notify_next("watch")
    await tab.queue.send([insert_event("a")])
    assert tab.called == ["watch"]
    assert tab.batches == [[("Runtime.evaluate", False), ("Input.insertText", True)]]


async def test_a_notice_before_input_is_no_part_of_the_call_after_it(tab: OneDocument) -> None:
    tab.main.notify_next("watch")
    await run(tab.main.session.connection, tab.queue, [Input([insert_event("a")]), AgentCall(tab.main, "effects", {})])
    assert tab.called == ["watch", "effects"]
    assert [waits for _, waits in tab.batches[0]] == [False, True, True]


async def test_a_notice_is_sent_by_itself_before_a_call_in_another_frame(tab: OneDocument) -> None:
    tab.add_frame("https://b.example/")
    tab.main.notify_next("watch")
    await tab.frames.find("f1").call("effects", {})
    assert tab.called == ["watch", "effects"]
    assert tab.alone == ["Runtime.evaluate"] * 2


async def test_a_notice_is_no_part_of_a_call_that_passes_in_every_document(tab: OneDocument) -> None:
    tab.main.notify_next("watch")
    await tab.main.call("refuseInput")
    assert tab.called == ["watch", "refuseInput"]
    assert tab.alone == ["Runtime.evaluate"] * 2


async def test_a_notice_for_a_document_that_a_dialog_blocks_is_dropped(tab: OneDocument) -> None:
    tab.main.notify_next("watch")
    tab.blocked = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    tab.connection.root.submit("Page.handleJavaScriptDialog", {"accept": True})
    tab.blocked = None
    await tab.main.call("documentState")
    assert tab.called == ["documentState"]


QUESTIONS = ["Runtime.evaluate", "DOM.describeNode", "DOM.resolveNode", "DOMDebugger.getEventListeners"]
"""Who listens for clicks in a document that nothing is known of."""


async def test_a_first_snapshot_travels_with_the_question_who_listens(tab: OneDocument) -> None:
    tab.ask = {"snapshot"}
    await tab.main.call("snapshot")
    assert [[method for method, _ in batch] for batch in tab.batches] == [["Runtime.evaluate", *QUESTIONS]]
    assert tab.run == ["Runtime.evaluate", *QUESTIONS, "Runtime.evaluate"]
    assert tab.called == ["snapshot", "snapshot"]


async def test_an_agent_that_does_not_ask_who_listens_is_not_told(tab: OneDocument) -> None:
    await tab.main.call("snapshot")
    assert tab.run == ["Runtime.evaluate"]


async def test_a_dialog_keeps_a_snapshot_and_its_questions_from_the_page(tab: OneDocument) -> None:
    tab.blocked = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    with pytest.raises(KaptureError, match="A dialog is open"):
        await tab.main.call("snapshot")
    assert tab.run == []


async def test_who_listens_is_asked_again_if_the_question_was_skipped(tab: OneDocument) -> None:
    """The agent of the document was missing, and asks only when it is there."""
    tab.ask, tab.missing = {"snapshot"}, True
    await tab.main.call("snapshot")
    assert tab.run.count("DOMDebugger.getEventListeners") == 1
    assert tab.called[-1] == "snapshot"
    assert "kapture.adoptListeners" in tab.evaluated[-1]


class Full(World):
    """A browser that answers nothing, over a connection whose buffer is full after the first command."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if self.sent:
            raise KaptureError(ErrorCode.TAB_DISCONNECTED, "The tab does not read.")
        return super().submit(method, params, session_id)


async def test_a_call_is_cancelled_even_if_the_page_cannot_be_told(autojump_clock: MockClock) -> None:
    world = Full()
    world.run_scripts()
    with trio.move_on_after(1) as scope:
        await world.tree.main.call("documentState")
    assert scope.cancelled_caught
