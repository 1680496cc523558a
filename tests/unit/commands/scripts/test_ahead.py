"""Scripts that follow each other in a batch travel as one program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest

import kapture.commands  # noqa: F401  declares evaluate
from kapture.cdp import PendingReply, Skipped
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import get_command
from kapture.commands.scripts.ahead import ScriptsAhead, sent_script
from kapture.errors import KaptureError
from tests.support.one_document import OneDocument


class Browser(OneDocument):
    """Answers scripts with what `results` has for each in turn, else with 1; or with `hangs`."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[dict[str, Any]] = []
        self.denied: set[str] = set()
        self.hangs: PendingReply | None = None
        self.begun = 0
        self.load_page("PAGE")

    def load_page(self, unique_id: str) -> None:
        data = {"frameId": "M", "isDefault": True}
        context = {"id": 2, "uniqueId": unique_id, "name": "", "auxData": data}
        self.connection.deliver("Runtime.executionContextsCleared", {}, None)
        self.connection.deliver("Runtime.executionContextCreated", {"context": context}, None)

    @property
    def sent(self) -> list[int]:
        """How many commands each program had."""
        return [len(batch) for batch in self.batches]

    def ahead(self, *steps: tuple[str, Mapping[str, Any]]) -> ScriptsAhead:
        tab = SimpleNamespace(page=self, allowed_step=self.allowed_step)
        return ScriptsAhead(cast("TabContext", tab), steps)

    def allowed_step(self, name: str, given: Mapping[str, Any]) -> Arguments | None:
        if given.get("code") in self.denied:
            return None
        with suppress(KaptureError):
            return decode_arguments(get_command(name), {"tabId": "testtab2", **given})
        return None

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.begun += 1
        if self.hangs is not None:
            return self.hangs
        reply = PendingReply()
        reply.resolve(self.results.pop(0) if self.results else {"result": {"value": json.dumps(["number", False, 1])}})
        return reply


def script(code: str, **arguments: Any) -> tuple[str, Mapping[str, Any]]:
    return "evaluate", {"code": code, **arguments}


@pytest.fixture
async def browser() -> Browser:
    return Browser()


@pytest.mark.parametrize(
    "other",
    [
        ("get_text", {"code": ""}),
        script("2", frame="f2"),
        script("2", target="#b"),
        script("while (busy());"),
        script("2", timeout=-1),
        script("denied"),
    ],
)
async def test_step_that_cannot_be_sent_ahead_ends_the_program(
    browser: Browser, other: tuple[str, Mapping[str, Any]]
) -> None:
    browser.denied = {"denied"}
    with browser.ahead(script("1"), script("1"), other, script("1")) as ahead, ahead.turn_of(0):
        assert browser.sent == [2]


@pytest.mark.parametrize(
    "result",
    [
        {"result": {}, "exceptionDetails": {"text": "Uncaught"}},
        {"result": {"type": "object", "objectId": "O"}},
    ],
)
async def test_no_script_is_taken_for_run_after_one_that_returned_no_plain_value(
    browser: Browser, result: dict[str, Any]
) -> None:
    browser.results = [result]
    with browser.ahead(script("1"), script("2"), script("3")) as ahead:
        with ahead.turn_of(0):
            assert sent_script("1") is not None
        for at, code in ((1, "2"), (2, "3")):
            with ahead.turn_of(at):
                assert sent_script(code) is None
    assert browser.sent == [3]


async def test_a_script_that_has_run_is_not_run_again_in_the_document_that_came_since(browser: Browser) -> None:
    with browser.ahead(script("location.href = '/next'"), script("order()")) as ahead:
        with ahead.turn_of(0):
            pass
        browser.load_page("NEXT")
        with ahead.turn_of(1):
            reply = sent_script("order()")
            assert reply is not None
            assert reply.error is None
    assert browser.begun == 2


async def test_scripts_that_nobody_waits_for_any_more_are_not_begun(browser: Browser) -> None:
    browser.hangs = PendingReply()
    with browser.ahead(script("1"), script("2")) as ahead:
        with ahead.turn_of(0):
            first = sent_script("1")
        assert first is not None
        assert isinstance(first.error, Skipped)
    browser.hangs.resolve({"result": {"value": "1"}})
    assert browser.begun == 1


async def test_nothing_is_sent_ahead_to_a_page_outside_the_grant(browser: Browser) -> None:
    browser.granted = False
    with browser.ahead(script("1"), script("2")) as ahead, ahead.turn_of(0):
        assert sent_script("1") is None
    assert browser.sent == []
