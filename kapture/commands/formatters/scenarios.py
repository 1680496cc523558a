"""Lists of scenarios, and results of runs."""

from __future__ import annotations

import json
from typing import Any

import attrs

from kapture.commands.core.answer import Answer, Blob

_NONE = "No scenario was found. Record one (record_start, record_save), or import a file (kapture scenario import)."


@attrs.frozen(kw_only=True)
class ScenarioRow:
    """One scenario. `parameters` maps names to types, with `?` for optional ones."""

    name: str
    title: str
    description: str
    tags: list[str]
    parameters: dict[str, str]
    secrets: list[str]
    dependencies: list[str]
    steps: int
    problem: str | None = None


@attrs.frozen(kw_only=True)
class ScenarioList(Answer):
    """The scenarios found, best match first."""

    scenarios: list[ScenarioRow]

    def text(self) -> str:
        """One line per scenario."""
        return "\n".join(map(_row, self.scenarios)) or _NONE

    def has_page_text(self) -> bool:
        """Whether there are any: files come from strangers too, and steps are named after what a page showed."""
        return bool(self.scenarios)


def _row(row: ScenarioRow) -> str:
    if row.problem is not None:
        return f"{row.name}: cannot be read: {row.problem}"
    parameters = ", ".join(f"{name}: {kind}" for name, kind in row.parameters.items())
    steps = f"{row.steps} step{'' if row.steps == 1 else 's'}"
    line = f"{row.name}({parameters}): {row.description or row.title or steps}"
    for word, items in (("tags", row.tags), ("after", row.dependencies), ("secrets", row.secrets)):
        if items:
            line += f" [{word}: {', '.join(items)}]"
    return line


@attrs.frozen(kw_only=True)
class ScenarioDeleted(Answer):
    """The deleted scenario."""

    deleted: str

    def text(self) -> str:
        """Which."""
        return f"Deleted {self.deleted}."


@attrs.frozen(kw_only=True)
class NeededSecret:
    """A secret that a run needs, for the scenario or one that it depends on; `stored`: it has a value."""

    scenario: str
    name: str
    stored: bool


@attrs.frozen(kw_only=True)
class ShownScenario(Answer):
    """A scenario as in its file. `parameters` is the JSON Schema of a run's parameters; `problem` says why the
    scenarios that it depends on, or the secrets, cannot be read.
    """

    scenario: dict[str, Any]
    parameters: dict[str, Any]
    secrets: list[NeededSecret]
    problem: str | None = None

    def text(self) -> str:
        """The file, then what a run still needs."""
        lines = [json.dumps(self.scenario, ensure_ascii=False, indent=1)]
        if missing := [f"{one.scenario}.{one.name}" for one in self.secrets if not one.stored]:
            lines.append(f"Secrets without a stored value: {', '.join(missing)}.")
        return "\n".join(lines + ([self.problem] if self.problem else []))


@attrs.frozen(kw_only=True)
class ScenarioEdited(Answer):
    """A scenario that was replaced; `forgotten` are secrets whose values were dropped, because they could go
    elsewhere."""

    edited: str
    forgotten: list[str]

    def text(self) -> str:
        """Its name, and which secrets must be entered again."""
        if not self.forgotten:
            return f"Changed {self.edited}."
        names = ", ".join(self.forgotten)
        return (
            f"Changed {self.edited}. Its stored secrets were forgotten, for the steps that use them changed: {names}."
        )


@attrs.frozen(kw_only=True)
class StepRun:
    """The result of one step; `number` counts from 1 in its scenario.

    `used` says how its element was found, if not by the first target: by another target, or by its role and name.
    `expected` and `found` are those of a check that failed.
    """

    scenario: str
    number: int
    step: str
    status: str
    duration_ms: float
    used: str | None = None
    expected: str | None = None
    found: str | None = None
    error: dict[str, Any] | None = None
    hints: list[str] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class PlanRow:
    """One scenario of a planned run, in order. `condition`: when it is skipped."""

    scenario: str
    steps: int
    needed_by: str
    reason: str
    condition: str
    optional: bool


@attrs.frozen(kw_only=True)
class ScenarioRun(Answer):
    """A run, step by step. `status` is "passed", "failed" or "planned"."""

    scenario: str
    status: str
    duration_ms: float
    plan: list[PlanRow]
    steps: list[StepRun]
    captured: dict[str, Any]
    warnings: list[str]
    healed: list[str]
    blobs: tuple[Blob, ...] = ()

    def text(self) -> str:
        """A heading, then one line per step."""
        if self.status == "planned":
            return "\n".join([f"{self.scenario} would run:", *map(_planned, self.plan), *self._notes()])
        done = sum(step.status == "done" for step in self.steps)
        lines = [f"{self.scenario} {self.status}: {done} of {len(self.steps)} steps, {self.duration_ms:.0f} ms"]
        for step in self.steps:
            lines += _step(step, other=step.scenario != self.scenario)
        return "\n".join(lines + self._notes())

    def _notes(self) -> list[str]:
        lines = [f"captured {name}: {value}" for name, value in self.captured.items()]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return lines + [f"written back: {healed}" for healed in self.healed]

    def parts(self) -> tuple[Blob, ...]:
        """Screenshots, in order."""
        return self.blobs


def _planned(row: PlanRow) -> str:
    notes = [row.reason, row.condition, "optional" if row.optional else ""]
    after = f" ({'; '.join(note for note in notes if note)})" if any(notes) else ""
    needed = f" for {row.needed_by}" if row.needed_by else ""
    return f"- {row.scenario}{needed}: {row.steps} step{'' if row.steps == 1 else 's'}{after}"


def _step(step: StepRun, *, other: bool) -> list[str]:
    where = f"{step.scenario} " if other else ""
    status = "" if step.status == "done" else f" {step.status}"
    line = f"{where}{step.number}. {step.step}{status}"
    if step.used is not None:
        line += f" (found by {step.used})"
    lines = [line]
    if step.error is not None:
        lines.append(f"   {step.error['code']}: {step.error['message']}")
    if step.expected is not None:
        lines.append(f"   expected: {step.expected}")
        lines.append(f"   found: {step.found}")
    return lines + [f"   {hint}" for hint in step.hints]
