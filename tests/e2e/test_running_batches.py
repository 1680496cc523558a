"""Batches of commands, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.context import open_tab
from tests.support.patience import NEVER
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
        steps = [{"command": "evaluate", "arguments": {"code": code}} for code in ("1", f"await {NEVER}", "3")]
        answer = await tab.data("batch", steps=steps, timeout=4000)
        assert [step["status"] for step in answer["steps"]] == ["done", "failed", "skipped"]
        assert answer["steps"][1]["error"]["code"] == "COMMAND_TIMEOUT"


def scripts(*codes: str, **arguments: object) -> list[dict[str, object]]:
    return [{"command": "evaluate", "arguments": {"code": code, **arguments}} for code in codes]


async def test_each_script_of_a_batch_begins_when_the_one_before_has_returned(browser: int, site: Site) -> None:
    codes = (
        "window.log = []",
        "await new Promise(done => setTimeout(done, 120)), log.push('late')",
        "log.push('next')",
        "const first = log[0]; return first",
        "log",
    )
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("batch", steps=scripts(*codes))
        assert [step["data"]["value"] for step in answer["steps"]] == [[], 1, 2, "late", ["late", "next"]]


@pytest.mark.parametrize("wrong", ["throw new Error('no')", "nothing.there", "null.nothing"])
async def test_no_script_of_a_batch_runs_after_one_that_failed(browser: int, site: Site, wrong: str) -> None:
    codes = ("window.ran = 0", "ran += 1", wrong, "ran += 10", "ran += 100")
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("batch", steps=scripts(*codes))
        assert [step["status"] for step in answer["steps"]] == ["done", "done", "failed", "skipped", "skipped"]
        assert (await tab.data("evaluate", code="ran"))["value"] == 1
        answer = await tab.data("batch", steps=scripts(*codes), stop_on_error=False)
        assert [step["status"] for step in answer["steps"]] == ["done", "done", "failed", "done", "done"]
        assert [step["data"]["value"] for step in answer["steps"] if "data" in step] == [0, 1, 11, 111]


async def test_a_script_of_a_batch_that_takes_too_long_keeps_no_other_from_running(browser: int, site: Site) -> None:
    never = scripts(f"await {NEVER}", timeout=500)
    steps = [*scripts("window.ran = 1"), *never, *scripts("ran += 1", "ran")]
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("batch", steps=steps, stop_on_error=False)
        assert [step["status"] for step in answer["steps"]] == ["done", "failed", "done", "done"]
        assert answer["steps"][3]["data"]["value"] == 2
