"""Scenarios: listing, running and editing them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeVar

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.context import HubContext, ScenarioLibrary, ScenarioWish
from kapture.commands.core.params import MAX_TIMEOUT_MS
from kapture.commands.core.registry import Access, Lane, Scope, command
from kapture.errors import ErrorCode, KaptureError

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
class ScenarioStats:
    """Figures on all scenarios that can be read. `last_recorded` is ISO 8601; empty if none was recorded."""

    scenarios: int
    secrets: int
    last_recorded: str = ""


@attrs.frozen(kw_only=True)
class ScenarioList(Answer):
    """The scenarios found, best match first, and figures on all that there are."""

    scenarios: list[ScenarioRow]
    stats: ScenarioStats

    def text(self) -> str:
        """One line per scenario."""
        if not self.scenarios:
            return _NONE
        stats = self.stats
        last = f", the last recorded {stats.last_recorded}" if stats.last_recorded else ""
        many = f"{stats.scenarios} scenario{'' if stats.scenarios == 1 else 's'}"
        return "\n".join([*map(_row, self.scenarios), f"[{many} in all with {stats.secrets} secrets{last}]"])

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


_A = TypeVar("_A", bound=Answer)


@attrs.frozen(kw_only=True)
class ListScenarios:
    """List the scenarios: recorded flows that can be run."""

    tags: Annotated[list[str] | None, Meta(description="Only those with all of these.")] = None
    has_dependencies: Annotated[
        bool | None, Meta(description="Only those that depend on others; false: only those that do not.")
    ] = None


@command(
    "list_scenarios",
    access=Access.READ,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    idempotent=True,
    open_world=False,
)
async def list_scenarios(hub: HubContext, params: ListScenarios) -> ScenarioList:
    """List all scenarios, by name."""
    return _as(ScenarioList, await _library(hub).search("", params.tags or [], params.has_dependencies))


@attrs.frozen(kw_only=True)
class SearchScenarios:
    """Search the scenarios by words and tags, best first."""

    text: Annotated[str, Meta(max_length=500, description="Words in name, title, description, tags or steps.")]
    tags: Annotated[list[str] | None, Meta(description="Only those with all of these.")] = None
    has_dependencies: Annotated[
        bool | None, Meta(description="Only those that depend on others; false: only those that do not.")
    ] = None


@command(
    "search_scenarios",
    access=Access.READ,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    idempotent=True,
    open_world=False,
)
async def search_scenarios(hub: HubContext, params: SearchScenarios) -> ScenarioList:
    """List the scenarios that contain every word."""
    return _as(ScenarioList, await _library(hub).search(params.text, params.tags or [], params.has_dependencies))


@attrs.frozen(kw_only=True)
class RunScenario:
    """Run a scenario on a tab, after the scenarios that it depends on."""

    name: Annotated[str, Meta(description="The scenario's name.")]
    parameters: Annotated[dict[str, Any] | None, Meta(description="Its parameters.")] = None
    tabId: Annotated[str | None, Meta(description="Tab id")] = None  # noqa: N815  as in every command
    override_secrets: Annotated[
        dict[str, str] | None,
        Meta(description="Secrets for this run, in place of the stored ones; SCENARIO.NAME is one scenario's."),
    ] = None
    dry_run: Annotated[bool, Meta(description="Only show what would run.")] = False
    heal: Annotated[bool, Meta(description="Write back how elements were found that had changed.")] = False
    screenshots: Annotated[Literal["failure", "steps", "none"], Meta(description="When to take one.")] = "failure"


# It reads and acts as its steps do; each of them is a call of its own, which policy judges.
@command(
    "run_scenario",
    access=Access.NONE,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    timeout_ms=MAX_TIMEOUT_MS,
    destructive=True,
)
async def run_scenario(hub: HubContext, params: RunScenario) -> ScenarioRun:
    """Run it step by step; a failed step ends the run."""
    wish = ScenarioWish(
        name=params.name,
        parameters=params.parameters or {},
        override_secrets=params.override_secrets or {},
        tab_id=params.tabId,
        dry_run=params.dry_run,
        heal=params.heal,
        screenshots=params.screenshots,
    )
    return _as(ScenarioRun, await _library(hub).run(wish, hub))


@attrs.frozen(kw_only=True)
class ShowScenario:
    """Show a scenario: its file, the JSON Schema of its parameters, and which secrets have no value yet."""

    name: Annotated[str, Meta(description="The scenario's name.")]


@command(
    "show_scenario",
    access=Access.READ,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    idempotent=True,
    open_world=False,
)
async def show_scenario(hub: HubContext, params: ShowScenario) -> ShownScenario:
    """Values of secrets are never shown."""
    return _as(ShownScenario, await _library(hub).show(params.name))


@attrs.frozen(kw_only=True)
class EditScenario:
    """Replace a scenario by a changed one. Stored secrets are forgotten if where they go may have changed."""

    name: Annotated[str, Meta(description="The scenario's name.")]
    scenario: Annotated[dict[str, Any], Meta(description="All of it, as show_scenario answers it.")]
    before: (
        Annotated[dict[str, Any], Meta(description="As show_scenario answered it: fails if it has changed since.")]
        | None
    ) = None


@command(
    "edit_scenario",
    access=Access.INTERACT,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    destructive=True,
    idempotent=True,
    open_world=False,
    reads_page=False,
)
async def edit_scenario(hub: HubContext, params: EditScenario) -> ScenarioEdited:
    """Replace the scenario; if the new one is invalid, nothing is changed."""
    return _as(ScenarioEdited, await _library(hub).edit(params.name, params.scenario, params.before))


@attrs.frozen(kw_only=True)
class DeleteScenario:
    """Delete a scenario and its secrets."""

    name: Annotated[str, Meta(description="The scenario's name.")]


@command(
    "delete_scenario",
    access=Access.INTERACT,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="scenarios",
    destructive=True,
    open_world=False,
    reads_page=False,
)
async def delete_scenario(hub: HubContext, params: DeleteScenario) -> ScenarioDeleted:
    """Delete it; this cannot be undone."""
    await _library(hub).delete(params.name)
    return ScenarioDeleted(deleted=params.name)


def _library(hub: HubContext) -> ScenarioLibrary:
    if hub.scenarios is None:
        raise KaptureError(ErrorCode.UNSUPPORTED, "This hub keeps no scenarios.", hint="Start it with `kapture serve`.")
    return hub.scenarios


def _as(kind: type[_A], answer: Answer) -> _A:
    assert isinstance(answer, kind)  # noqa: S101  the library answers so
    return answer
