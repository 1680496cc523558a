"""Who is told the names of a person's scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from kapture.policy.policy_file import PolicyFile, Section
from kapture.scenarios.library import Library
from tests.unit.hub.simulated import world


class OneScenario(Library):
    async def names(self) -> Sequence[str]:
        return ["sign_in_at_the_clinic"]


async def test_names_of_scenarios_are_for_clients_that_may_list_them(tmp_path: Path, autojump_clock: Any) -> None:
    closed = {"stranger": Section(level="none"), "tester": Section(commands_denied=("list_scenarios",))}
    async with world(tmp_path, rules=PolicyFile(clients=closed)) as there:
        there.hub.state = attrs.evolve(there.hub.state, scenarios=OneScenario(tmp_path))
        for name, names in (("stranger", []), ("tester", []), ("friend", ["sign_in_at_the_clinic"])):
            with there.hub.client(name=name, kind="stdio") as client:
                assert list(await there.hub.scenario_names(client)) == names, name
