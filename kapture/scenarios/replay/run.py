"""A run of a scenario: its dependencies, its steps in order, and the result of each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

import attrs
import msgspec
import trio

from kapture.commands.core.answer import Blob
from kapture.commands.core.context import HubCall, HubView, Progress
from kapture.commands.core.registry import get_command
from kapture.commands.scenarios import StepRun
from kapture.errors import Cancelled, ErrorCode, KaptureError
from kapture.scenarios.dependencies import Resolved
from kapture.scenarios.files.step_tabs import closes_tab
from kapture.scenarios.model import Dependency, Scenario, Step
from kapture.scenarios.parameters.parameter_values import bind
from kapture.scenarios.parameters.placeholders import substitute
from kapture.scenarios.replay.checks import CheckFailedError
from kapture.scenarios.replay.conditions import condition_holds
from kapture.scenarios.replay.finding import FoundElement
from kapture.scenarios.replay.page_hints import open_dialogs, page_hints
from kapture.scenarios.replay.redaction import Redaction
from kapture.scenarios.replay.run_tabs import CLOSED_ITSELF, RunTabs, runner_on
from kapture.scenarios.replay.step_run import StepOutcome, StepRunner
from kapture.scenarios.secrets.secret_origins import RunSecret, used_by

Secrets = Mapping[str, Mapping[str, RunSecret]]


class StepFailedError(Exception):
    """A step has failed; its result is in the run's steps."""


@attrs.define(kw_only=True)
class Run:
    """One run on one tab. `secrets` are the run's, by scenario and name."""

    resolved: Resolved
    secrets: Secrets
    call: HubCall
    tab_id: str
    progress: Progress
    screenshots: Literal["failure", "steps", "none"]
    runner: StepRunner
    hub: HubView
    redact: Redaction = attrs.field(factory=Redaction)
    steps: list[StepRun] = attrs.field(factory=list)
    warnings: list[str] = attrs.field(factory=list)
    blobs: list[Blob] = attrs.field(factory=list)
    found: list[tuple[str, int, FoundElement, bool]] = attrs.field(factory=list)
    """Elements that were found in another way than first: scenario, step, and whether something was dropped on it."""
    _finished: dict[tuple[str, bytes], dict[str, Any]] = attrs.field(factory=dict)
    _showing_secrets: set[str] = attrs.field(factory=set)
    _dialogs: dict[str, list[str]] = attrs.field(factory=dict)

    @classmethod
    async def start(
        cls,
        resolved: Resolved,
        secrets: Secrets,
        call: HubCall,
        hub: HubView,
        tab_id: str,
        progress: Progress,
        screenshots: Literal["failure", "steps", "none"],
    ) -> Run:
        """Start a run on this tab, without doing anything on it yet."""
        cursor = 0
        if any(_reads_log(step) for one in resolved.scenarios.values() for step in one.chain):
            cursor = (await call("logs", {"tabId": tab_id, "max": 1})).data["cursor"]
        run = cls(
            resolved=resolved,
            secrets=secrets,
            call=call,
            tab_id=tab_id,
            progress=progress,
            screenshots=screenshots,
            runner=runner_on(call, tab_id, cursor),
            hub=hub,
        )
        for named in secrets.values():
            run.redact.add({name: secret.value for name, secret in named.items()})
        return run

    async def scenario(self, scenario: Scenario, given: Mapping[str, Any]) -> dict[str, Any]:
        """Run its dependencies and its steps; returns what it captured. `StepFailedError` at the first step that
        fails."""
        variables = await trio.to_thread.run_sync(bind, scenario, given, abandon_on_cancel=True)
        for dependency in self.resolved.dependencies(scenario):
            output = await self._dependency(dependency, variables)
            if dependency.capture_output is not None:
                variables[dependency.capture_output] = output
        captured: dict[str, Any] = {}
        secrets = self.secrets.get(scenario.name, {})
        tabs = RunTabs(self.hub, self.call, self.runner)
        for number, (step, after) in enumerate(pairwise([*scenario.chain, None]), 1):
            assert step is not None  # noqa: S101  only the last of all is
            # Without the step's title, which may be words of a page: clients show progress without a fence.
            message = f"{scenario.name}, step {number}: {step.command or 'check'}"
            await self.progress(len(self.steps), self._total(), self.redact(message))
            outcome = await self._step(scenario, number, step, tabs, after, variables, used_by(step, secrets))
            for found in (outcome.found, outcome.onto):
                if found is not None and found.used is not None and not self._shows_value(found):
                    self.found.append((scenario.name, number, found, found is outcome.onto))
            captured |= outcome.captured
            variables |= outcome.captured
        return captured

    async def _dependency(self, dependency: Dependency, variables: Mapping[str, Any]) -> dict[str, Any]:
        name = dependency.scenario
        given = substitute(dependency.parameters, variables)
        key = (name, msgspec.json.encode(given, order="deterministic"))
        if key in self._finished:
            return self._finished[key]
        condition = dependency.condition
        try:
            if condition is not None and condition.skip_if is await condition_holds(
                condition, variables, self.call, self.tab_id
            ):
                self.warnings.append(f"{name} was skipped: {condition.check} is {str(condition.skip_if).lower()}")
                return {}
            self._finished[key] = await self.scenario(self.resolved.scenarios[name], given)
        except (KaptureError, StepFailedError) as error:
            if not dependency.optional or isinstance(error, Cancelled):
                raise
            self.warnings.append(f"{name} is optional and failed: {self.redact(str(error))}")
            return {}
        return self._finished[key]

    async def _step(
        self,
        scenario: Scenario,
        number: int,
        step: Step,
        tabs: RunTabs,
        after: Step | None,
        variables: Mapping[str, Any],
        secrets: Mapping[str, RunSecret],
    ) -> StepOutcome:
        began = time.perf_counter()
        tab_id = tabs.tab_id(step)
        if step.secret:
            self._showing_secrets.add(tab_id)
        try:
            outcome = await tabs.run(scenario.name, step, variables, secrets, after=after)
        except Cancelled:
            raise
        except (KaptureError, CheckFailedError) as error:
            hints = [*filter(None, [getattr(error, "hint", "")]), *await page_hints(self.call, tab_id)]
            self._note(scenario, number, step, began, **_failure(error), hints=hints)
            if self.screenshots != "none":
                await self._screenshot(scenario, number, tab_id)
            raise StepFailedError(f"{scenario.name}, step {number}: {error}") from error
        is_there = not closes_tab(step) and CLOSED_ITSELF not in outcome.hints
        if is_there and step.command and get_command(step.command).acts:
            outcome = attrs.evolve(outcome, hints=[*outcome.hints, *await self._new_dialogs(tab_id)])
        self._note(scenario, number, step, began, status="done", **_success(outcome))
        if outcome.new_document and not step.secret:
            self._showing_secrets.discard(tab_id)
        if is_there and (step.screenshot or self.screenshots == "steps"):
            await self._screenshot(scenario, number, tab_id)
        return outcome

    async def _new_dialogs(self, tab_id: str) -> list[str]:
        """A line for each dialog of the page that was not open after the step before."""
        before = self._dialogs.get(tab_id, [])
        now = self._dialogs[tab_id] = await open_dialogs(self.call, tab_id)
        return [f"a dialog is open: {name!r}" for name in now if name not in before]

    def _shows_value(self, found: FoundElement) -> bool:
        """Whether the element or its surroundings show the value of a secret: then they are not written to a file."""
        return self.redact.finds_in(found.seen)

    def _note(self, scenario: Scenario, number: int, step: Step, began: float, **facts: Any) -> None:
        self.steps.append(
            StepRun(
                scenario=scenario.name,
                number=number,
                step=self.redact(step.words),
                duration_ms=round((time.perf_counter() - began) * 1_000, 1),
                **self.redact(facts),
            )
        )

    async def _screenshot(self, scenario: Scenario, number: int, tab_id: str) -> None:
        """Describe the page, unless it may show a secret: the page that one was typed into is still there, or this
        one shows it, as a page does that was gone back to and that the browser has filled in again."""
        if tab_id in self._showing_secrets:
            return
        try:
            if self.redact.finds_in(await self._shown(tab_id)):
                return
            answer = await self.call("screenshot", {"tabId": tab_id, "name": f"{scenario.name}-{number}"})
        except KaptureError as error:
            self.warnings.append(f"no screenshot of step {number}: {self.redact(error.message)}")
            return
        self.blobs += answer.parts

    async def _shown(self, tab_id: str) -> Mapping[str, Any]:
        """The texts and values of a page; nothing in a run without secrets. `KaptureError` if it cannot be read."""
        if not self.redact:
            return {}
        return (await self.call("snapshot", {"tabId": tab_id, "format": "json", "max_chars": 200_000})).data

    def _total(self) -> int:
        return sum(row.steps for row in self.resolved.plan)


def _success(outcome: StepOutcome) -> dict[str, Any]:
    found, onto, hints = outcome.found, outcome.onto, outcome.hints
    if onto is not None and onto.used is not None:
        hints = [f"what it is dropped on was found by {onto.used}", *hints]
    if found is None or found.used is None:
        return {"hints": hints}
    return {"hints": hints, "used": found.used}


def _failure(error: KaptureError | CheckFailedError) -> dict[str, Any]:
    if isinstance(error, CheckFailedError):
        code, message = ErrorCode.SCENARIO_FAILED, "The check does not hold."
        facts: dict[str, Any] = {"expected": error.expected, "found": error.found}
    else:
        code, message, facts = error.code, error.message, {}
    return {"status": "failed", "error": {"code": str(code), "message": message}, **facts}


async def only_tab(call: HubCall) -> str:
    """The tab to run on if none is named."""
    rows = [row for row in (await call("list_tabs", {})).data["tabs"] if not row.get("elsewhere")]
    tabs = [row for row in rows if row.get("kind") not in ("token", "open")]
    tabs = tabs or [row for row in rows if row.get("kind") == "open"]
    if len(tabs) == 1:
        return str(tabs[0]["tabId"])
    try:
        return str((await call("tab_info", {})).data["tabId"])  # the hub chooses, or its error lists the tabs
    except KaptureError as error:
        if error.data.get("missing") != "tabId":
            raise
        raise KaptureError(
            error.code, f"{len(tabs)} tabs are connected: name the one to run on.", hint=error.advice, data=error.data
        ) from error


def _reads_log(step: Step) -> bool:
    return step.check is not None and step.check.kind == "no_console_error"
