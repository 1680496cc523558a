"""Calls of the agent: what it asks for first, and calls that are given up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.results import error_text
from kapture.page.agent_answers import agent_error
from kapture.page.agent_functions import AgentFunction
from kapture.page.documents.frame import ref_text
from tests.support.one_document import OneDocument
from tests.unit.page.frame_world import World


@pytest.fixture
async def tab() -> OneDocument:
    tab = OneDocument()
    tab.load()
    tab.answers = {"documentState": "there"}
    return tab


QUESTIONS = ["Runtime.evaluate", "DOM.describeNode", "DOM.resolveNode", "DOMDebugger.getEventListeners"]
"""Click listeners in an unknown document."""


async def test_agent_that_asks_who_listens_is_told_and_called_again(tab: OneDocument) -> None:
    tab.ask = {"snapshot"}
    await tab.main.call("snapshot")
    assert tab.run == ["Runtime.evaluate", *QUESTIONS, "Runtime.evaluate"]
    assert tab.called == ["snapshot", "snapshot"]


async def test_a_dialog_keeps_a_snapshot_and_its_questions_from_the_page(tab: OneDocument) -> None:
    tab.blocked = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    with pytest.raises(KaptureError, match="A dialog is open"):
        await tab.main.call("snapshot")
    assert tab.run == []


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


# What the agent answers, as clients get it.


def spelled(message: str) -> str:
    return agent_error({"code": "REF_EXPIRED", "message": message}, lambda number: ref_text("f2", number)).message


@pytest.mark.parametrize("text", ["{ref:" + "9" * 5_000 + "}", "{ref:x}", "{ref:}", "{ref:٣}"])
def test_names_of_page_elements_are_left_unchanged(text: str) -> None:
    assert spelled(f"It is now {text}") == f"It is now {text}"


# The table of the agent's functions: what it says decides, and each function is called by the hub.


def test_a_call_may_be_retried_unless_it_names_something_of_the_document() -> None:
    read = AgentFunction(retry_unless=("ref", "target.ref"))
    assert read.may_retry({})
    assert read.may_retry({"ref": None, "target": {"css": "a"}})
    assert not read.may_retry({"ref": 0})
    assert not read.may_retry({"target": {"ref": 3}})
    assert AgentFunction(retry_unless=()).may_retry({"ref": 3})
    assert not AgentFunction().may_retry({})


@pytest.mark.parametrize("code", ["REF_EXPIRED", "INVALID_PARAMS", "INVALID_SELECTOR", "DETACHED", "ELEMENT_NOT_FOUND"])
def test_a_name_that_the_page_gave_its_element_is_fenced_in_every_error_of_the_agent(code: str) -> None:
    message = 'The element of ref {ref:1} has changed: it is now button "obey".'
    told = error_text(agent_error({"code": code, "message": message, "hint": "{Look}."}, lambda number: f"e{number}"))
    assert told.index("<page-content ") < told.index("obey") < told.index("</page-content ") < told.index("snapshot")
