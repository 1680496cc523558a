"""Storing and deleting scenarios, so that no secrets of one scenario become those of another.

The secrets of the name are removed first. A crash between two writes leaves a scenario whose secrets must be entered
again, and never one with the secrets of its predecessor.

A hub does this for several clients, each in a thread of its own. Every change reads the current state first, so a
change in between would be undone, or mix up secrets: hence the lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from kapture.scenarios.model import Scenario
from kapture.scenarios.secrets import SecretStore, StoredSecret
from kapture.scenarios.storage import ScenarioFolder

ONE_CHANGE = Lock()
"""Held while scenarios and secrets are changed, and while both are read for a run."""


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
    with ONE_CHANGE:
        folder.check(scenario, replace=replace)
        store.drop(scenario.name)
        path = folder.save(scenario, replace=replace)
        store.put(scenario.name, values)
        return path


def remove(folder: ScenarioFolder, store: SecretStore, name: str) -> None:
    """Delete a scenario with its secrets; `SCENARIO_INVALID` if it does not exist."""
    with ONE_CHANGE:
        folder.check_known(name)
        store.drop(name)
        folder.delete(name)
