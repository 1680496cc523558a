"""The tabs of a scenario's steps: each is opened by an earlier step, and none is used after it was closed."""

from __future__ import annotations

from collections.abc import Iterator

from kapture.scenarios.model import Scenario, Step

_CLOSES = "tab_close"


def tab_problems(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Path and reason of every step whose tab is not there then, or whose number is taken."""
    opened: dict[int, str] = {1: "the tab of the run"}
    closed: dict[int, int] = {}
    for index, step in enumerate(scenario.chain):
        path = f"chain[{index}]"
        if scenario.version == 1 and (step.tab != 1 or step.opens is not None):
            yield f"{path}.{'tab' if step.tab != 1 else 'opens'}", "it needs version 2 of the format."
        if step.tab not in opened:
            yield f"{path}.tab", f"no earlier step opens tab {step.tab}."
        elif step.tab in closed:
            yield f"{path}.tab", f"step {closed[step.tab]} has closed tab {step.tab}."
        if step.opens is not None:
            if step.opens in opened:
                yield f"{path}.opens", f"{step.opens} is {opened[step.opens]} already."
            elif step.check is not None or closes_tab(step):
                yield f"{path}.opens", "neither a check nor a step that closes its tab opens one."
            opened.setdefault(step.opens, f"the tab that step {index + 1} opens")
        if closes_tab(step):
            closed.setdefault(step.tab, index + 1)


def closes_tab(step: Step | None) -> bool:
    """Whether a step closes the tab that it works on."""
    return step is not None and step.command.removeprefix("kapturemcp_") == _CLOSES
