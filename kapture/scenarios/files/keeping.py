"""Storing and deleting scenarios, so that no secrets of one scenario become those of another.

The secrets of the name are removed first. A crash between two writes leaves a scenario whose secrets must be entered
again, and never one with the secrets of its predecessor.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kapture.errors import KaptureError
from kapture.scenarios.change_lock import change_lock
from kapture.scenarios.files.decode import invalid
from kapture.scenarios.files.index import forget
from kapture.scenarios.files.storage import ScenarioFolder
from kapture.scenarios.model import Scenario
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret


def keep(
    folder: ScenarioFolder,
    store: SecretStore,
    scenario: Scenario,
    values: Mapping[str, StoredSecret],
    *,
    replace: bool,
) -> Path:
    """Write a scenario under its name, with exactly these secrets; returns its file.

    `SCENARIO_INVALID`, without changing anything, if it is invalid or, without `replace`, if the name is taken.
    """
    with change_lock(folder.home):
        folder.check(scenario, replace=replace)
        forget(folder, scenario.name)
        store.drop(scenario.name)
        path = folder.save(scenario, replace=replace)
        store.put(scenario.name, values)
        return path


def remove(folder: ScenarioFolder, store: SecretStore, name: str) -> None:
    """Delete a scenario with its secrets; `SCENARIO_INVALID` if it does not exist."""
    with change_lock(folder.home):
        folder.check_known(name)
        forget(folder, name)
        store.drop(name)
        folder.delete(name)


def put_back(folder: ScenarioFolder, before: Scenario, after: Scenario) -> None:
    """Write a scenario over the one that it was made from; `SCENARIO_INVALID` if that has changed meanwhile."""
    with change_lock(folder.home):
        if folder.load(before.name) != before:
            raise changed_meanwhile(before.name)
        forget(folder, before.name)
        folder.save(after)


def changed_meanwhile(name: str) -> KaptureError:
    """`SCENARIO_INVALID`: somebody else has changed the scenario since it was read."""
    return invalid(name, "it was changed in the meantime; nothing was written.", hint="Look at it, and try again.")
