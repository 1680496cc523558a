"""Steps run on the tab that the scenario means, whatever its id is this time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.commands.scenarios import ScenarioRun
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Scenario, Step
from tests.support.context import View
from tests.unit.scenarios.stand_in import Page, library, run

OPENS = Step(command="press", arguments={"key": "Enter"}, opens=2)


def row(tab_id: str, opener: str | None = None) -> dict[str, Any]:
    return {"tabId": tab_id, "opener": opener}


def flow(*chain: Step) -> Scenario:
    return Scenario(version=2, name="main", chain=list(chain))


class Browser:
    """A hub with the tab of the run, in which pressing a key opens a tab, at once or later."""

    def __init__(self) -> None:
        self.view = View(rows=[row("tab22222"), row("older222", "tab22222")])
        self.page = Page({"press": self.press, "tab_close": self.close, "tab_new": {"tabId": "made2222"}})
        self.nursery: trio.Nursery | None = None

    def press(self, arguments: Any) -> dict[str, Any]:
        if self.nursery is None:
            self.opened()
        else:
            self.nursery.start_soon(self.opened_later)
        return {}

    async def opened_later(self) -> None:
        await trio.sleep(5)
        self.opened()

    def opened(self) -> None:
        self.view.rows = [*self.view.rows, row("other222", "older222"), row("second22", "tab22222")]
        self.view.tabs_changed.notify()

    def close(self, arguments: Any) -> dict[str, Any]:
        self.gone(arguments["tabId"])
        return {}

    def gone(self, tab_id: str) -> None:
        self.view.rows = [one for one in self.view.rows if one["tabId"] != tab_id]
        self.view.tabs_changed.notify()

    async def run(self, home: Path, *chain: Step) -> ScenarioRun:
        return await run(library(home, flow(*chain)), self.page, view=self.view)

    def made(self) -> list[tuple[str, str]]:
        return [(name, str(arguments["tabId"])) for name, arguments, _ in self.page.made]


@pytest.mark.parametrize("later", [False, True])
async def test_steps_run_on_the_tab_that_an_earlier_one_has_opened(
    tmp_path: Path, later: bool, autojump_clock: MockClock
) -> None:
    there = Browser()
    async with trio.open_nursery() as nursery:
        there.nursery = nursery if later else None
        chain = [OPENS, Step(command="reload", tab=2), Step(command="go_back"), Step(command="tab_close", tab=2)]
        answer = await there.run(tmp_path / "home", *chain)
    assert answer.status == "passed"
    assert there.made() == [
        ("press", "tab22222"),
        ("reload", "second22"),
        ("go_back", "tab22222"),
        ("tab_close", "second22"),
    ]


async def test_a_tab_that_a_command_opens_is_the_one_that_it_names(tmp_path: Path) -> None:
    there = Browser()
    chain = [Step(command="tab_new", opens=3), Step(command="reload", tab=3)]
    assert (await there.run(tmp_path / "home", *chain)).status == "passed"
    assert there.made()[-1] == ("reload", "made2222")


@pytest.mark.parametrize("code", [ErrorCode.TAB_DISCONNECTED, ErrorCode.DETACHED])
async def test_a_page_that_closes_its_tab_while_a_step_runs_has_done_what_was_recorded(
    tmp_path: Path, code: ErrorCode, autojump_clock: MockClock
) -> None:
    there = Browser()

    async def goes_later() -> None:
        await trio.sleep(0.5)
        there.gone("second22")

    async with trio.open_nursery() as nursery:

        def ends(arguments: Any) -> KaptureError:
            if code is ErrorCode.DETACHED:  # the page is known to have gone before its tab is
                nursery.start_soon(goes_later)
            else:
                there.gone("second22")
            return KaptureError(code, "It has closed.")

        there.page.answers["reload"] = ends
        chain = [OPENS, Step(command="reload", tab=2), Step(command="tab_close", tab=2), Step(command="go_back")]
        answer = await there.run(tmp_path / "home", *chain)
    assert answer.status == "passed"
    assert there.made()[-1] == ("go_back", "tab22222")
    assert "tab_close" not in there.page.names()


@pytest.mark.parametrize("reason", ["disconnected", "target_closed"])
async def test_a_tab_that_goes_away_otherwise_is_a_failure(tmp_path: Path, reason: str) -> None:
    there = Browser()
    error = KaptureError(ErrorCode.TAB_DISCONNECTED, "It is gone.", data={"reason": reason})
    there.page.answers["reload"] = error
    chain = [OPENS, Step(command="reload", tab=2), Step(command="tab_close", tab=2)]
    answer = await there.run(tmp_path / "home", *(chain if reason == "disconnected" else chain[:2]))
    assert answer.status == "failed"
