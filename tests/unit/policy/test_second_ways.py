"""What the policy forbids is forbidden whichever way it is done."""

from __future__ import annotations

from types import SimpleNamespace

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.registry import get_command
from kapture.policy.policy_file import PolicyFile, Section
from tests.unit.policy.deciding import decide, grant, policy


def test_where_code_is_taken_away_nothing_carries_it_into_a_page() -> None:
    rules = policy(rules=PolicyFile(evaluate=False))
    evaluates = SimpleNamespace(method="Runtime.evaluate", params={"expression": "1"})
    script = SimpleNamespace(action="mock", url="https://example.com/app.js", body="steal()")
    for name, params in (("cdp", evaluates), ("route", script)):
        assert decide(name, given_=grant("full"), params=params).allowed
        assert decide(name, given_=grant("full"), params=params, rules=rules).rule == "evaluate: false"
    assert decide("route", given_=grant("full"), params=SimpleNamespace(action="block"), rules=rules).allowed


def test_what_changes_stored_scenarios_is_no_reading() -> None:
    for name in ("run_scenario", "edit_scenario", "delete_scenario", "batch"):
        assert not get_command(name).read_only, name
    for name in ("edit_scenario", "delete_scenario"):
        assert not decide(name, given_=None, rules=policy(safe_mode=True)).allowed
    for heal in (False, True):
        run = decide("run_scenario", given_=None, params=SimpleNamespace(heal=heal), rules=policy(safe_mode=True))
        assert run.allowed is not heal
    nothing = policy(rules=PolicyFile(clients={"stranger": Section(level="none")}))
    for name in ("list_scenarios", "search_scenarios", "show_scenario"):
        assert decide(name, given_=None, rules=nothing).allowed
        assert not decide(name, given_=None, rules=nothing, client="stranger").allowed
