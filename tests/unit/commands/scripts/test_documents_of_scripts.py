"""In which document a client's code runs when the tab goes elsewhere while it waits for one."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.cdp import PendingReply
from kapture.commands.core.context import TabContext
from kapture.commands.scripts.evaluate import Evaluate, evaluate
from kapture.commands.waiting import WaitForFunction, wait_for_function
from kapture.errors import PolicyDenied
from kapture.page.documents.awaited_document import AwaitedDocument
from tests.unit.page.frame_world import World

CODE = "document.cookie"


class Browser(World):
    """A tab that is between two documents: it has no execution context. `ran_in` are the contexts that ran code."""

    def __init__(self) -> None:
        self.ran_in: list[str] = []
        super().__init__()
        self.replies["Page.createIsolatedWorld"] = {"executionContextId": 9}

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Runtime.evaluate":
            self.ran_in.append(params["uniqueContextId"])
            self.replies[method] = {"result": {"value": json.dumps(["string", False, "theme=dark"])}}
        return super().submit(method, params, session_id)

    def tab(self) -> TabContext:
        async def rest(frame: object) -> None:
            """No action has left anything."""

        page = SimpleNamespace(frames=self.tree, rest=rest, awaited=AwaitedDocument(self.tree))
        page.dialogs = SimpleNamespace(debugged=lambda _: False)
        return cast("TabContext", SimpleNamespace(page=page))

    def go(self, url: str) -> None:
        self.navigate("M", url, None)
        self.context("M", 2, "")


RUNS: list[Callable[[TabContext], Awaitable[Any]]] = [
    lambda tab: evaluate(tab, Evaluate(code=CODE)),
    lambda tab: wait_for_function(tab, WaitForFunction(code=CODE)),
]


@pytest.mark.parametrize("run", RUNS, ids=["evaluate", "wait_for_function"])
async def test_code_does_not_run_in_a_document_outside_the_grant_that_it_waited_for(
    run: Callable[[TabContext], Awaitable[Any]],
) -> None:
    browser = Browser()
    refused = []

    async def call() -> None:
        try:
            await run(browser.tab())
        except PolicyDenied as error:
            refused.append(error)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        browser.go("https://secret.example/")
    assert browser.ran_in == []
    assert len(refused) == 1


async def test_code_runs_in_a_granted_document_that_it_waited_for() -> None:
    browser = Browser()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(RUNS[0], browser.tab())
        await trio.testing.wait_all_tasks_blocked()
        browser.go("https://b.example/")
    assert browser.ran_in == ["None-2"]


async def test_code_for_a_document_outside_the_grant_is_refused_without_waiting_for_it_to_run_scripts(
    autojump_clock: MockClock,
) -> None:
    browser = Browser()
    browser.navigate("M", "https://secret.example/", None)
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await evaluate(browser.tab(), Evaluate(code=CODE))
