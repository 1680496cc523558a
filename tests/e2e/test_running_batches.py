"""Batches of commands, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.context import open_tab
from tests.support.script_pages import PAGES
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(dict(PAGES)) as served:
        yield served


async def test_a_batch_runs_in_order_and_answers_each_step(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        steps = [
            {"command": "click", "arguments": {"selector": "#b"}},
            {"command": "evaluate", "arguments": {"code": "b.dataset.clicked"}},
            {"command": "kapturemcp_get_text", "arguments": {"selector": "#nothing"}},
            {"command": "evaluate", "arguments": {"code": "window.last = 1"}},
        ]
        answer = await tab.data("batch", steps=steps)
        assert [step["status"] for step in answer["steps"]] == ["done", "done", "failed", "skipped"]
        assert answer["steps"][1]["data"]["value"] == "1"
        assert answer["steps"][2]["error"]["code"] == "ELEMENT_NOT_FOUND"
        assert [report[0] for report in tab.progress.reports] == sorted(report[0] for report in tab.progress.reports)
        answer = await tab.data("batch", steps=steps, stop_on_error=False)
        assert [step["status"] for step in answer["steps"]] == ["done", "done", "failed", "done"]


async def test_a_batch_that_cannot_run_does_not_begin(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        first = {"command": "evaluate", "arguments": {"code": "window.begun = 1"}}
        for wrong in (
            {"command": "nothing"},
            {"command": "status"},
            {"command": "batch", "arguments": {"steps": []}},
            {"command": "click", "arguments": {"tabId": "othertab"}},
        ):
            await tab.fails("batch", steps=[first, wrong])
        assert (await tab.data("evaluate", code="window.begun"))["type"] == "undefined"


async def test_a_batch_out_of_time_tells_what_was_done(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        steps = [
            {"command": "evaluate", "arguments": {"code": code}} for code in ("1", "await new Promise(() => {})", "3")
        ]
        answer = await tab.data("batch", steps=steps, timeout=4000)
        assert [step["status"] for step in answer["steps"]] == ["done", "failed", "skipped"]
        assert answer["steps"][1]["error"]["code"] == "COMMAND_TIMEOUT"
