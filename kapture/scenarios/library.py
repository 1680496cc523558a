"""The scenarios of one data folder, for the hub's commands."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from kapture.commands.core.context import HubContext, ScenarioWish
from kapture.commands.core.deadline import before_timeout
from kapture.commands.scenarios import (
    PlanRow,
    ScenarioEdited,
    ScenarioList,
    ScenarioRow,
    ScenarioRun,
    ScenarioStats,
    ShownScenario,
)
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.change_lock import change_lock
from kapture.scenarios.dependencies import Resolved, resolve
from kapture.scenarios.editing import replaced, shown
from kapture.scenarios.files.index import Entry, listed, search
from kapture.scenarios.files.keeping import put_back, remove
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Appearance, Destination, Scenario, Step, StepTarget
from kapture.scenarios.parameters.parameter_values import bind
from kapture.scenarios.parameters.placeholders import escape, roots
from kapture.scenarios.replay.finding import FoundElement
from kapture.scenarios.replay.run import Run, Secrets, StepFailedError, only_tab
from kapture.scenarios.replay.same_element import PART, Seen
from kapture.scenarios.secrets.secret_origins import RunSecret, check_steps
from kapture.scenarios.secrets.secret_store import SecretStore

_TO_END_S = 1.5


class Library:
    """Lists, runs and deletes scenarios. Files are read each time: they may be edited by hand."""

    def __init__(self, home: Path, secrets: SecretStore | None = None) -> None:
        self.folder = ScenarioFolder(home)
        self.secrets = secrets or SecretStore(home)

    async def names(self) -> Sequence[str]:
        """The names of all scenarios."""
        return await trio.to_thread.run_sync(self.folder.names)

    async def search(self, text: str, tags: Sequence[str], has_dependencies: bool | None = None) -> ScenarioList:
        """The matching scenarios; without any condition all, including unreadable ones."""
        entries = await trio.to_thread.run_sync(listed, self.folder)
        found = search([entry for entry in entries if entry.problem is None], text, tags, has_dependencies)
        every = not text and not tags and has_dependencies is None
        unreadable = [entry for entry in entries if every and entry.problem is not None]
        readable = [entry for entry in entries if entry.problem is None]
        stats = ScenarioStats(
            scenarios=len(readable),
            secrets=sum(len(entry.secrets) for entry in readable),
            last_recorded=max((entry.recorded_at for entry in readable), default=""),
        )
        return ScenarioList(scenarios=[_row(entry) for entry in (*found, *unreadable)], stats=stats)

    async def delete(self, name: str) -> None:
        """Delete a scenario and its secrets."""
        await trio.to_thread.run_sync(remove, self.folder, self.secrets, name)

    async def show(self, name: str) -> ShownScenario:
        """A scenario as in its file, with what a run of it needs."""
        return await trio.to_thread.run_sync(shown, self.folder, self.secrets, name)

    async def edit(
        self, name: str, scenario: Mapping[str, Any], before: Mapping[str, Any] | None = None
    ) -> ScenarioEdited:
        """Replace it by an edited one; `before` is what was edited, if that must not have changed since."""
        return await trio.to_thread.run_sync(replaced, self.folder, self.secrets, name, scenario, before)

    async def run(self, wish: ScenarioWish, hub: HubContext) -> ScenarioRun:
        """Run a scenario on a tab."""
        began = time.perf_counter()
        resolved = await trio.to_thread.run_sync(self._checked, wish)
        scenario = resolved.scenarios[wish.name]
        answer = ScenarioRun(
            scenario=wish.name,
            status="planned",
            duration_ms=0,
            plan=[PlanRow(**attrs.asdict(row)) for row in resolved.plan],
            steps=[],
            captured={},
            warnings=[f"{name} is optional and left out: {error.message}" for name, error in resolved.missing.items()],
            healed=[],
        )
        if wish.dry_run:
            return answer
        tab_id = wish.tab_id or await only_tab(hub.call)
        if stored := _any_stored(resolved, wish):
            hub.hub.check_vouched(tab_id)  # before they are decrypted
        resolved, secrets = await trio.to_thread.run_sync(partial(self._prepare, wish, stored=stored))
        scenario = resolved.scenarios[wish.name]
        run = await Run.start(resolved, secrets, hub.call, hub.hub, tab_id, hub.progress, wish.screenshots)
        status = "failed"
        captured: dict[str, object] = {}
        with before_timeout(_TO_END_S) as patience:
            try:
                captured = await run.scenario(scenario, wish.parameters)
                status = "passed"
            except StepFailedError:
                pass  # the step's result says why
        if patience.ran_out:
            run.warnings.append("The run timed out; the step after the last one listed may have taken effect.")
        healed: list[str] = []
        if wish.heal and status == "passed":
            try:
                healed = await trio.to_thread.run_sync(self._heal, resolved, run.found)
            except KaptureError as error:
                run.warnings.append(error.message)
        return attrs.evolve(
            answer,
            status=status,
            duration_ms=round((time.perf_counter() - began) * 1_000, 1),
            steps=run.steps,
            captured=run.redact(captured),
            warnings=answer.warnings + run.warnings,
            healed=healed,
            blobs=tuple(run.blobs),
        )

    def _prepare(self, wish: ScenarioWish, *, stored: bool) -> tuple[Resolved, Secrets]:
        """The scenarios of the run with their secrets, as they are now. `stored`: those may be among them."""
        with change_lock(self.folder.home):  # read a scenario together with its own secrets
            resolved = self._loaded(wish)
            if _any_stored(resolved, wish) and not stored:
                raise KaptureError(ErrorCode.SCENARIO_INVALID, f"{wish.name} was changed just now.", hint="Try again.")
            return resolved, {
                one.name: self._secrets_of(one, wish) for one in resolved.scenarios.values() if one.secrets
            }

    def _checked(self, wish: ScenarioWish) -> Resolved:
        """The scenarios of a run that can begin, but for its secrets and its tab."""
        resolved = self._loaded(wish)
        bind(resolved.scenarios[wish.name], wish.parameters)
        return resolved

    def _loaded(self, wish: ScenarioWish) -> Resolved:
        resolved = resolve(self.folder.load(wish.name), self.folder.load)
        if wish.dry_run:
            return resolved
        known = {name for one in resolved.scenarios.values() for secret in one.secrets for name in _names(one, secret)}
        if unknown := sorted(set(wish.override_secrets) - known):
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"No scenario of this run has a secret {unknown[0]!r}.",
                hint=f"Its secrets: {', '.join(sorted(known)) or 'none'}.",
                data={"secret": unknown[0]},
            )
        return resolved

    def _secrets_of(self, scenario: Scenario, wish: ScenarioWish) -> dict[str, RunSecret]:
        given = {
            secret: RunSecret(value=wish.override_secrets[name])
            for secret in scenario.secrets
            for name in _names(scenario, secret)
            if name in wish.override_secrets
        }
        stored = self.secrets.of(scenario.name) if _stored(scenario, wish) else {}
        known = {name: RunSecret(value=secret.value, origins=secret.origins) for name, secret in stored.items()} | given
        if missing := [name for name in scenario.secrets if name not in known]:
            raise KaptureError(
                ErrorCode.SCENARIO_INVALID,
                f"The secret {missing[0]!r} of scenario {scenario.name} has no value.",
                hint=f"Set it: kapture scenario secrets {scenario.name} {missing[0]}.",
                data={"scenario": scenario.name, "secret": missing[0]},
            )
        secrets = {name: known[name] for name in scenario.secrets}
        check_steps(scenario, secrets)
        return secrets

    def _heal(self, resolved: Resolved, found: list[tuple[str, int, FoundElement, bool]]) -> list[str]:
        """Put the way in which an element was found first among its step's targets. Where those name it by values of
        the run, another run means another element: such steps stay."""
        healed: list[str] = []
        scenarios = dict(resolved.scenarios)
        for name, number, element, dropped_on in found:
            chain = list(scenarios[name].chain)
            if _depends_on_run(chain[number - 1], dropped_on=dropped_on):
                continue
            chain[number - 1] = _healed(chain[number - 1], element, dropped_on=dropped_on)
            scenarios[name] = msgspec.structs.replace(scenarios[name], chain=chain)
            healed.append(f"{name}, step {number}: {element.seen.role} {element.seen.name!r}")
        with change_lock(self.folder.home):
            for name in (name for name, changed in scenarios.items() if changed is not resolved.scenarios[name]):
                put_back(self.folder, resolved.scenarios[name], scenarios[name])
        return healed


def _stored(scenario: Scenario, wish: ScenarioWish) -> bool:
    """Whether a run needs stored secrets of this scenario: the caller has not given all of them."""
    return any(wish.override_secrets.keys().isdisjoint(_names(scenario, secret)) for secret in scenario.secrets)


def _any_stored(resolved: Resolved, wish: ScenarioWish) -> bool:
    return any(_stored(one, wish) for one in resolved.scenarios.values())


def _names(scenario: Scenario, secret: str) -> tuple[str, str]:
    """The names of a secret for a run: alone, in all scenarios that have it, or prefixed with this scenario."""
    return secret, f"{scenario.name}.{secret}"


def _depends_on_run(step: Step, *, dropped_on: bool) -> bool:
    targets = _part(step, dropped_on=dropped_on).targets
    return any(True for target in targets for _ in roots(target.as_argument()))


def _part(step: Step, *, dropped_on: bool) -> Step | Destination:
    return step.onto if dropped_on and step.onto is not None else step


def _healed(step: Step, element: FoundElement, *, dropped_on: bool) -> Step:
    part = _part(step, dropped_on=dropped_on)
    targets, look = _as_found(part.targets, part.element, element.seen)
    if isinstance(part, Step):
        return msgspec.structs.replace(step, targets=targets, element=look)
    return msgspec.structs.replace(step, onto=msgspec.structs.replace(part, targets=targets, element=look))


def _as_found(
    targets: Sequence[StepTarget], look: Appearance | None, seen: Seen
) -> tuple[list[StepTarget], Appearance]:
    targets = list(targets)
    if seen.role and seen.name and not seen.shared_name:
        new = StepTarget(role=seen.role, name=escape(seen.name), exact=True)
        targets = [new, *(target for target in targets if target != new)]
    look = look or Appearance()
    look = msgspec.structs.replace(
        look,
        role=seen.role or look.role,
        name=seen.name or look.name,
        tag=seen.tag or look.tag,
        attributes={name: seen.attributes.get(name, value) for name, value in look.attributes.items()},
        neighbours=list(seen.neighbours) or look.neighbours,
        within=_sections(seen.within, look.within) or look.within,
    )
    return targets, look


def _sections(seen: Sequence[str], recorded: Sequence[str]) -> list[str]:
    """Return the containers of an element and the distinguishing texts that are still beside it."""
    return [*(one for one in recorded if one.startswith(PART)), *(one for one in seen if not one.startswith(PART))]


def _row(entry: Entry) -> ScenarioRow:
    shown = {field.name: getattr(entry, field.name) for field in attrs.fields(ScenarioRow)}
    return ScenarioRow(**shown)
