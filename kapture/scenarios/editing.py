"""Showing a scenario to people, and replacing it by an edited one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kapture.commands.scenarios import NeededSecret, ScenarioEdited, ShownScenario
from kapture.errors import KaptureError
from kapture.scenarios.change_lock import change_lock
from kapture.scenarios.dependencies import resolve
from kapture.scenarios.files.decode import convert, invalid
from kapture.scenarios.files.index import forget
from kapture.scenarios.files.keeping import changed_meanwhile
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.parameters.parameter_schema import parameter_schema
from kapture.scenarios.secrets.secret_store import SecretStore


def shown(folder: ScenarioFolder, store: SecretStore, name: str) -> ShownScenario:
    """A scenario with what a run of it needs. If a scenario that it depends on is missing, `problem` says so."""
    scenario = folder.load(name)
    problem = None
    needed = [scenario]
    try:
        needed = list(resolve(scenario, folder.load).scenarios.values())
    except KaptureError as error:
        problem = error.message
    secrets = []
    for one in needed:
        stored: list[str] = []
        try:
            stored = store.names(one.name) if one.secrets else []
        except KaptureError as error:
            problem = error.message
        secrets += [NeededSecret(scenario=one.name, name=secret, stored=secret in stored) for secret in one.secrets]
    return ShownScenario(
        scenario=msgspec.to_builtins(scenario),
        parameters=parameter_schema(scenario.parameters),
        secrets=secrets,
        problem=problem,
    )


def replaced(
    folder: ScenarioFolder,
    store: SecretStore,
    name: str,
    changed: Mapping[str, Any],
    edited: Mapping[str, Any] | None = None,
) -> ScenarioEdited:
    """Replace the scenario of this name; `SCENARIO_INVALID` if there is none or the new one is invalid, or cannot run
    after a scenario that it did not depend on before; or if it is not the `edited` one any more.

    Stored secrets are dropped unless they still go where the person agreed to when they were stored: an edit must not
    be a way to have a password typed into another page or field.
    """
    after = convert(dict(changed), source="The changed scenario")
    if after.name != name:
        raise invalid("The changed scenario", f"its name is {after.name!r}, not {name!r}.", "name")
    with change_lock(folder.home):
        before = folder.load(name)
        if edited is not None and convert(dict(edited), source="The edited scenario") != before:
            raise changed_meanwhile(name)
        _check_dependencies(folder, before, after)
        gone = _forgotten(store, before, after)
        forget(folder, name)
        if gone:
            store.drop(name, *gone)
        folder.save(after)
    return ScenarioEdited(edited=name, forgotten=gone)


def _check_dependencies(folder: ScenarioFolder, before: Scenario, after: Scenario) -> None:
    """`SCENARIO_INVALID` for a new or changed dependency that does not exist, leads back, or has no such parameters as
    it is given. Those that were there before stay, whatever is wrong with them."""
    for index, dependency in enumerate(after.dependencies):
        if dependency in before.dependencies:
            continue
        try:
            resolve(msgspec.structs.replace(after, dependencies=[dependency]), folder.load)
        except KaptureError as error:
            field = "parameters" if "parameter" in error.data else "scenario"
            raise invalid(
                "The changed scenario", error.message, f"dependencies[{index}].{field}", hint=error.hint or ""
            ) from error


def _forgotten(store: SecretStore, before: Scenario, after: Scenario) -> list[str]:
    """The stored secrets to drop: all of them (also those that a manual edit of the file has left unnamed for a while),
    or those that are not used any more."""
    if _may_go_elsewhere(before, after):
        return store.names(before.name)
    removed = set(before.secrets) - set(after.secrets)
    return [secret for secret in store.names(before.name) if secret in removed] if removed else []


def _may_go_elsewhere(before: Scenario, after: Scenario) -> bool:
    """Whether anything before a secret is typed, or the way it is typed, has changed."""
    return bool(_way_of_secrets(before) != _way_of_secrets(after))


def _way_of_secrets(scenario: Scenario) -> Any:
    last = max((number for number, step in enumerate(scenario.chain) if step.secret), default=-1)
    way = [_doing(step) for step in scenario.chain[: last + 1] if step.check is None]
    return way and (way, scenario.parameters, scenario.dependencies)


def _doing(step: Step) -> Step:
    """A step without the fields that have no effect on the page."""
    return msgspec.structs.replace(step, title="", timeout=None, screenshot=False)
