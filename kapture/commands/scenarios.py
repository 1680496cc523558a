"""Scenarios: listing, running and editing them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import HubContext, ScenarioLibrary, ScenarioWish
from kapture.commands.core.params import MAX_TIMEOUT_MS
from kapture.commands.core.registry import Access, Lane, Scope, command
from kapture.commands.formatters.scenarios import (
    ScenarioDeleted,
    ScenarioEdited,
    ScenarioList,
    ScenarioRun,
    ShownScenario,
)
from kapture.errors import ErrorCode, KaptureError

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
