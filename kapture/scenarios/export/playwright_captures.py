"""Captures of a command's answer, as statements of Playwright for Python."""

from __future__ import annotations

from collections.abc import Iterator

from kapture.commands.core.registry import get_command
from kapture.scenarios.export.playwright_step import StepWriter
from kapture.scenarios.model import Scenario

_OF_PAGE = {"url": "{page}.url", "title": "{page}.title()"}
_OF_ELEMENTS = {"get_text": ("content", "inner_text().strip()"), "elements": ("total", "count()")}
_SHOWS_PAGE = frozenset({"navigate", "go_back", "go_forward", "reload", "tab_info", "get_text"})


def captures(scenario: Scenario) -> bool:
    """Whether the scenario has variables beside its parameters."""
    return any(step.capture for step in scenario.chain) or any(one.capture_output for one in scenario.dependencies)


def captured(writer: StepWriter) -> Iterator[str]:
    """The statements that follow those of the step's command. `SCENARIO_INVALID` names what cannot be read."""
    command = get_command(writer.step.command).name
    path_of_elements, read = _OF_ELEMENTS.get(command, (None, ""))
    found = writer.optional_locator() if path_of_elements else None
    for variable, path in writer.step.capture.items():
        if path == path_of_elements:
            where = f"{writer.page}.locator('body')" if command == "get_text" and found is None else found
            if where is None:
                raise writer.refused("it has no target.")
            value = f"{where}.{read}"
        elif path in _OF_PAGE and command in _SHOWS_PAGE:
            value = _OF_PAGE[path].format(page=writer.page)
        else:
            what = f"{path!r} of what {command} answers" if path else f"all that {command} answers"
            raise writer.refused(f"there is nothing in Playwright for {what}, which it captures.")
        yield f"values[{variable!r}] = captured[{variable!r}] = settled({writer.page}, run, lambda: {value})"
