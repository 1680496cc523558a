"""The steps of an action travel together, in order, and each call is answered for itself."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kapture.backends.backend import left_error
from kapture.cdp import CdpError, PendingReply
from kapture.errors import DialogOpen, ErrorCode, KaptureError, PolicyDenied
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frame import ContextGone
from kapture.page.input.mouse import InputEvent
from kapture.page.program import AgentCall, Answer, Input, Step, outcome_of, run
from tests.support.one_document import OneDocument

DOWN, UP = (
    InputEvent("Input.dispatchMouseEvent", {"type": "down"}),
    InputEvent("Input.dispatchMouseEvent", {"type": "up"}),
)
DIALOG = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")


async def run_in(browser: OneDocument, *steps: Step) -> list[Answer]:
    return await run(browser.connection, browser.queue, steps)


async def test_calls_are_answered_in_order_and_each_for_itself() -> None:
    browser = OneDocument()
    browser.load()
    browser.answers = {"expectNoPress": 1, "afterPress": 2}
    first, second = await run_in(
        browser, AgentCall(browser.main, "expectNoPress"), AgentCall(browser.main, "afterPress")
    )
    assert (await first(), await second()) == (1, 2)


@pytest.mark.parametrize(
    "gone",
    [
        KaptureError(ErrorCode.DETACHED, "The page closed while this ran."),
        left_error("t1", "target_closed", "while this ran"),
        CdpError("Input.dispatchMouseEvent", "Inspected target navigated or closed"),
    ],
)
async def test_input_that_closes_the_page_has_been_delivered(gone: KaptureError) -> None:
    browser = OneDocument()
    down, up = PendingReply(), PendingReply()
    down.resolve({})
    up.fail(gone)
    await browser.queue.finish([down, up])


async def test_input_that_ends_because_the_person_takes_the_tab_back_is_an_error() -> None:
    browser = OneDocument()
    reply = PendingReply()
    reply.fail(left_error("t1", "disconnected", "while this ran"))
    with pytest.raises(KaptureError, match="The person disconnected"):
        await browser.queue.finish([reply])


async def test_input_that_the_browser_refuses_is_an_error() -> None:
    browser = OneDocument()
    browser.refuses = {"Input.dispatchMouseEvent"}
    with pytest.raises(CdpError):
        await run_in(browser, Input([DOWN, UP]))


async def test_nothing_is_sent_while_a_dialog_is_open() -> None:
    browser = OneDocument()
    browser.load()
    browser.blocked = DIALOG
    with pytest.raises(DialogOpen):
        await run_in(browser, Input([DOWN]), AgentCall(browser.main, "afterPress"))
    assert browser.batches == []


async def test_a_gated_call_is_not_sent_into_a_document_outside_the_grant() -> None:
    browser = OneDocument()
    browser.load()
    browser.granted = False
    browser.answers = {"afterPress": 1}
    with pytest.raises(PolicyDenied):
        await run_in(browser, AgentCall(browser.main, "finishFill"))
    assert browser.batches == []
    await run_in(browser, AgentCall(browser.main, "afterPress"))
    assert browser.batches == [[("Runtime.evaluate", False)]]


async def test_a_document_that_is_being_left_for_one_that_does_not_come_is_as_good_as_gone(
    autojump_clock: MockClock,
) -> None:
    awaited = AwaitedDocument(OneDocument().frames)
    awaited.url = "https://a.example/slow"
    with trio.fail_after(5):
        assert isinstance(await outcome_of(trio.sleep_forever, awaited), ContextGone)
