"""A scenario as the arguments of one call of `batch`, with the parameters filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from kapture.commands.batch import MAX_STEPS
from kapture.commands.core.registry import Scope, get_command
from kapture.scenarios.dependencies import Resolved
from kapture.scenarios.export.export_error import not_exportable
from kapture.scenarios.files.decode import target_parameter
from kapture.scenarios.model import Scenario, Step
from kapture.scenarios.parameters.parameter_values import bind
from kapture.scenarios.parameters.placeholders import roots, substitute

_CHECK_TIMEOUT_MS = 5_000
_WAITS = frozenset({"visible", "hidden", "gone"})


def batch_arguments(root: Scenario, resolved: Resolved, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, without tabId. `SCENARIO_INVALID` names what a batch cannot do; scenarios with secrets are
    refused, because the values would appear in the call, and so in transcripts and histories of clients."""
    steps = list(_Chain(resolved).steps(root, given))
    if len(steps) > MAX_STEPS:
        raise not_exportable(root, f"it has {len(steps)} steps, and a batch at most {MAX_STEPS}.")
    return {"steps": steps}


class _Chain:
    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._done: set[tuple[str, bytes]] = set()

    def steps(self, scenario: Scenario, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The steps of its dependencies, then its own."""
        if scenario.secrets:
            raise not_exportable(
                scenario,
                f"it has secrets ({', '.join(scenario.secrets)}), whose values would stand in the call. "
                "Run it with kapturemcp_run_scenario, which fills them in on this machine.",
            )
        if used := _used_captures(scenario):
            raise not_exportable(
                scenario, f"it uses what it captures as {used[0]}, and a batch fills in nothing from answers."
            )
        variables = bind(scenario, given)
        for dependency in self._resolved.dependencies(scenario):
            about = f"its dependency {dependency.scenario}"
            if dependency.condition is not None:
                raise not_exportable(scenario, f"{about} has a condition, and a batch cannot branch.")
            if dependency.optional:
                raise not_exportable(scenario, f"{about} is optional, and a batch stops at a failure.")
            passed = substitute(dependency.parameters, variables)
            key = (dependency.scenario, msgspec.json.encode(passed, order="deterministic"))
            if key not in self._done:
                self._done.add(key)
                yield from self.steps(self._resolved.scenarios[dependency.scenario], passed)
        for step in scenario.chain:
            if step.tab != 1 or step.opens is not None:
                raise not_exportable(scenario, "it works in several tabs, and a batch in one.", step)
            yield _check(scenario, step, variables) if step.check is not None else _command(scenario, step, variables)


def _used_captures(scenario: Scenario) -> list[str]:
    """The captured variables that placeholders name; the others are in the batch's answers."""
    captured = {name for step in scenario.chain for name in step.capture}
    captured |= {one.capture_output for one in scenario.dependencies if one.capture_output is not None}
    return sorted(captured & set(roots(msgspec.to_builtins([scenario.dependencies, scenario.chain]))))


def _command(scenario: Scenario, step: Step, variables: Mapping[str, Any]) -> dict[str, Any]:
    command = get_command(step.command)
    if command.scope is not Scope.TAB or command.name == "batch":
        raise not_exportable(scenario, "it cannot run in a batch.", step)
    if step.at is not None:
        raise not_exportable(scenario, "a batch presses an element in its middle only.", step)
    arguments = dict(substitute(step.arguments, variables))
    if step.targets:
        arguments[target_parameter(step.command)] = substitute(step.targets[0].as_argument(), variables)
    if step.onto is not None and step.onto.at is None:
        arguments["target"] = substitute(step.onto.targets[0].as_argument(), variables)
    if step.timeout is not None:
        arguments["timeout"] = step.timeout
    return {"command": command.name, "arguments": arguments}


def _check(scenario: Scenario, step: Step, variables: Mapping[str, Any]) -> dict[str, Any]:
    """A check as a wait, if there is an equivalent one."""
    assert step.check is not None  # noqa: S101  the caller has looked
    kind, expected = step.check.kind, substitute(step.check.expected, variables)
    condition: dict[str, Any]
    if kind == "url":
        condition = {"url": str(expected)}
    elif kind in ("text", "no_text") and not step.targets:
        condition = {"text" if kind == "text" else "text_gone": str(expected)}
    elif kind == "state" and expected in _WAITS:
        condition = {"target": substitute(step.targets[0].as_argument(), variables), "state": expected}
    else:
        raise not_exportable(
            scenario,
            "a batch can wait for a URL, for text on the page, and for elements that are visible, hidden or gone.",
            step,
        )
    return {"command": "wait_for", "arguments": {**condition, "timeout": step.timeout or _CHECK_TIMEOUT_MS}}
