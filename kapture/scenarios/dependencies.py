"""The scenarios that a run needs, in order. No page is read here: conditions are evaluated during the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs
import msgspec

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Dependency, Scenario


@attrs.frozen(kw_only=True)
class Planned:
    """One row of a plan. `needed_by` is empty for the requested scenario."""

    scenario: str
    needed_by: str = ""
    reason: str = ""
    condition: str = ""
    optional: bool = False
    steps: int = 0


@attrs.frozen(kw_only=True)
class Resolved:
    """The scenarios of a run by name, in the order of the run. `missing` are optional ones that do not exist."""

    scenarios: Mapping[str, Scenario]
    plan: Sequence[Planned]
    missing: Mapping[str, KaptureError]

    def dependencies(self, scenario: Scenario) -> Iterator[Dependency]:
        """The dependencies of a scenario that can run."""
        return (one for one in scenario.dependencies if one.scenario not in self.missing)


def resolve(root: Scenario, load: Callable[[str], Scenario]) -> Resolved:
    """Load all scenarios that this one depends on.

    `SCENARIO_INVALID` names a cycle, a dependency that does not exist, or parameters that it does not have; optional
    dependencies that cannot be loaded are left out.
    """
    return _Resolver(load).run(root)


class _Resolver:
    def __init__(self, load: Callable[[str], Scenario]) -> None:
        self._load = load
        self._loaded: dict[str, Scenario] = {}
        self._done: dict[str, Scenario] = {}
        self._missing: dict[str, KaptureError] = {}
        self._plan: dict[tuple[str, bytes], Planned] = {}

    def run(self, root: Scenario) -> Resolved:
        self._loaded[root.name] = root
        self._visit(root, (root.name,))
        self._plan[root.name, b""] = Planned(scenario=root.name, steps=len(root.chain))
        return Resolved(scenarios=self._done, plan=list(self._plan.values()), missing=self._missing)

    def _visit(self, scenario: Scenario, path: tuple[str, ...]) -> None:
        for dependency in scenario.dependencies:
            name = dependency.scenario
            if name in path:
                cycle = " → ".join((*path[path.index(name) :], name))
                raise KaptureError(
                    ErrorCode.SCENARIO_INVALID,
                    f"Scenarios depend on each other in a cycle: {cycle}.",
                    hint="Remove one of these dependencies.",
                    data={"cycle": [*path[path.index(name) :], name]},
                )
            needed = self._find(dependency, scenario)
            if needed is None:
                continue
            _check_parameters(dependency, needed, scenario)
            if name not in self._done:
                self._visit(needed, (*path, name))
            key = (name, msgspec.json.encode(dependency.parameters, order="deterministic"))
            self._plan.setdefault(
                key,
                Planned(
                    scenario=name,
                    needed_by=scenario.name,
                    reason=dependency.reason,
                    condition=_condition(dependency),
                    optional=dependency.optional,
                    steps=len(needed.chain),
                ),
            )
        self._done[scenario.name] = scenario

    def _find(self, dependency: Dependency, by: Scenario) -> Scenario | None:
        name = dependency.scenario
        if name in self._missing and dependency.optional:
            return None
        if name not in self._loaded:
            try:
                self._loaded[name] = self._load(name)
            except KaptureError as error:
                if dependency.optional:
                    self._missing[name] = error
                    return None
                raise KaptureError(
                    error.code,
                    f"{by.name} depends on {name}: {error.message}",
                    hint=error.advice,
                    data={**error.data, "needed_by": by.name},
                ) from error
        return self._loaded[name]


def _check_parameters(dependency: Dependency, needed: Scenario, by: Scenario) -> None:
    unknown = [name for name in dependency.parameters if name not in needed.parameters]
    missing = [
        name
        for name, parameter in needed.parameters.items()
        if parameter.must_be_given and name not in dependency.parameters
    ]
    if unknown or missing:
        reason = f"has no parameter {unknown[0]!r}" if unknown else f"needs the parameter {missing[0]!r}"
        raise KaptureError(
            ErrorCode.SCENARIO_INVALID,
            f"{by.name} depends on {needed.name}, which {reason}.",
            hint=f"Its parameters: {', '.join(needed.parameters) or 'none'}.",
            data={"scenario": by.name, "dependency": needed.name, "parameter": (unknown or missing)[0]},
        )


def _condition(dependency: Dependency) -> str:
    condition = dependency.condition
    if condition is None:
        return ""
    about = condition.url or condition.expression or ""
    if condition.target is not None:
        about = ", ".join(f"{key}={value}" for key, value in condition.target.as_argument().items())
        about += f" ≥ {condition.minimum}" if condition.check in ("element_count", "element_number") else ""
    return f"skipped if {'' if condition.skip_if else 'not '}{condition.check}{f' ({about})' if about else ''}"
