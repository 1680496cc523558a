"""The tabs of one scenario's run: that of the run is 1, others are the ones that its steps open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import trio

from kapture.commands.core.context import HubCall, HubView
from kapture.errors import Detached, ErrorCode, KaptureError, TabDisconnected, TabNotFound, Unsupported
from kapture.scenarios.files.step_tabs import closes_tab
from kapture.scenarios.model import Step
from kapture.scenarios.replay.checks import Checker
from kapture.scenarios.replay.finding import Finder
from kapture.scenarios.replay.step_run import StepOutcome, StepRunner
from kapture.scenarios.secrets.secret_origins import RunSecret

_OPENS_WITHIN_MS = 10_000.0
_CLOSES_ITSELF_WITHIN_S = 1.0
_BY_PERSON = frozenset({"disconnected", "canceled_by_user"})
CLOSED_ITSELF = "the page closed its tab"


def runner_on(call: HubCall, tab_id: str, log_cursor: int = 0) -> StepRunner:
    """The runner of steps on a tab. `log_cursor`: the position of its console log when the run began."""
    return StepRunner(
        call=call,
        tab_id=tab_id,
        finder=Finder(call=call, tab_id=tab_id),
        checker=Checker(call=call, tab_id=tab_id, log_cursor=log_cursor),
    )


class RunTabs:
    """The tabs by their numbers in the scenario. `first` is that of the run."""

    def __init__(self, hub: HubView, call: HubCall, first: StepRunner) -> None:
        self._hub = hub
        self._call = call
        self._runners = {1: first}
        self._last_used = 1

    def tab_id(self, step: Step) -> str:
        """The tab that a step works on."""
        return self._runners[step.tab].tab_id

    async def run(
        self,
        scenario: str,
        step: Step,
        variables: Mapping[str, Any],
        secrets: Mapping[str, RunSecret],
        *,
        after: Step | None,
    ) -> StepOutcome:
        """Run a step on its tab; `after` is the next one. `SCENARIO_FAILED` if it opens no tab although it is to."""
        runner, last_used = self._runners[step.tab], self._last_used
        self._last_used = step.tab
        if any(secret.origins is not None for secret in secrets.values()):
            self._hub.check_vouched(runner.tab_id)  # a tab that a step has opened, too
        if closes_tab(step):
            return await self._close(runner, scenario, step, worked_in=last_used == step.tab)
        before = self._children(runner.tab_id) if step.opens is not None else frozenset()
        try:
            outcome = await runner.run(scenario, step, variables, secrets)
        except (TabDisconnected, TabNotFound, Detached) as error:
            if after is None or not closes_tab(after) or after.tab != step.tab or _is_persons(error):
                raise
            if not await self._is_gone(runner.tab_id):  # its page has gone before the tab
                raise
            return StepOutcome(hints=[CLOSED_ITSELF])
        if step.opens is not None:
            tab_id = outcome.opened_tab or await self._opened(runner.tab_id, before, step)
            self._runners[step.opens] = runner_on(self._call, tab_id)
        return outcome

    def _children(self, tab_id: str) -> frozenset[str]:
        """The connected tabs that a tab has opened."""
        return frozenset(str(row["tabId"]) for row in self._hub.tab_rows() if row["opener"] == tab_id)

    async def _opened(self, opener: str, before: frozenset[str], step: Step) -> str:
        """The tab that the step has opened, once it is connected."""
        limit_ms = step.timeout or _OPENS_WITHIN_MS
        with trio.move_on_after(limit_ms / 1_000):
            while True:
                if new := self._children(opener) - before:
                    return min(new)
                await self._hub.tabs_changed.wait()
        raise KaptureError(
            ErrorCode.SCENARIO_FAILED,
            f"The step opened no tab within {limit_ms:g} ms, or one that Kapture is not connected to.",
            hint="Look at the page: it may ask something first, or the browser may block new windows.",
        )

    async def _close(self, runner: StepRunner, scenario: str, step: Step, *, worked_in: bool) -> StepOutcome:
        """Close the tab, unless the page does so itself after what was done in it."""
        if worked_in and await self._is_gone(runner.tab_id):
            return StepOutcome(hints=[CLOSED_ITSELF])
        try:
            return await runner.run(scenario, step, {}, {})
        except (TabDisconnected, TabNotFound) as error:
            if _is_persons(error):
                raise
            return StepOutcome(hints=[CLOSED_ITSELF])
        except Unsupported as error:
            return StepOutcome(hints=[f"the tab was left open: {error.message}"])

    async def _is_gone(self, tab_id: str) -> bool:
        """Whether the tab goes away by itself."""
        with trio.move_on_after(_CLOSES_ITSELF_WITHIN_S):
            while any(row["tabId"] == tab_id for row in self._hub.tab_rows()):
                await self._hub.tabs_changed.wait()
            return True
        return False


def _is_persons(error: KaptureError) -> bool:
    """Whether the tab is there, but its person has disconnected it."""
    return error.data.get("reason") in _BY_PERSON
