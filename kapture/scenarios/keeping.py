"""Keeping a scenario under a name, and removing one, such that nobody's secrets come to be another scenario's.

The secrets of the name go first. A crash between two writes leaves a scenario whose secrets must be entered again, and
never one that finds the secrets of its predecessor.

A hub does so for several clients, each in a thread of its own. Every change of what is kept looks first at what there
is, so that one that came in between would be undone, or would get the secrets of the other.
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
    """Write a scenario that is new under its name, with these secrets and no other; its file.

    `SCENARIO_INVALID`, with everything as it was, if it is none or, without `replace`, if the name is taken.
    """
    with ONE_CHANGE:
        folder.check(scenario, replace=replace)
        store.drop(scenario.name)
        path = folder.save(scenario, replace=replace)
        store.put(scenario.name, values)
        return path


def remove(folder: ScenarioFolder, store: SecretStore, name: str) -> None:
    """Remove a scenario with its secrets; `SCENARIO_INVALID` for an unknown one."""
    with ONE_CHANGE:
        folder.check_known(name)
        store.drop(name)
        folder.delete(name)
