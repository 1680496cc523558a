"""The error of exports: which step could not be exported, and why."""

from __future__ import annotations

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Scenario, Step


def not_exportable(scenario: Scenario, reason: str, step: Step | None = None) -> KaptureError:
    """The error that names the scenario, and the step by its number and what it does."""
    where = scenario.name
    data: dict[str, object] = {"scenario": scenario.name}
    if step is not None:
        number = next(number for number, one in enumerate(scenario.chain, 1) if one is step)
        done = step.command or (f"check {step.check.kind}" if step.check is not None else "")
        where += f", step {number} ({done})"
        data |= {"step": number, "command": done}
    return KaptureError(
        ErrorCode.SCENARIO_INVALID,
        f"{where} cannot be exported: {reason}",
        hint="docs/SCENARIOS.md, Exporting, lists what can be.",
        data=data,
    )
