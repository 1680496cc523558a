"""The parts of one exported step's statements: its arguments, its element, its options, and its check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_type_hints

import attrs
import msgspec

from kapture.commands.core.registry import SLOW_TIMEOUT_MS, get_command
from kapture.errors import KaptureError
from kapture.scenarios.export.export_error import not_exportable
from kapture.scenarios.export.playwright_locator import NoLocatorError, locator
from kapture.scenarios.export.python_text import expression, has_placeholder, text_expression
from kapture.scenarios.model import Check, Scenario, Step, StepTarget
from kapture.scenarios.parameters.placeholders import substitute

_WITHOUT_EFFECT = frozenset({"snapshot"})


def _type_of(command: str, parameter: str) -> Any:
    return get_type_hints(get_command(command).params, include_extras=True)[parameter]


def page_of(tab: int) -> str:
    """The variable that holds the page of a tab."""
    return "page" if tab == 1 else f"page_{tab}"


@attrs.define
class StepWriter:
    """Writes parts of one step's statements. `left` are the arguments that no statement has used yet."""

    scenario: Scenario
    step: Step
    secrets: Mapping[str, str]
    left: dict[str, Any] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.left = {key: value for key, value in self.step.arguments.items() if key not in _WITHOUT_EFFECT}

    @property
    def page(self) -> str:
        """The variable that holds the step's page."""
        return page_of(self.step.tab)

    @property
    def position(self) -> dict[str, float] | None:
        """Where in its element the step presses."""
        return None if self.step.at is None else dict(zip("xy", self.step.at, strict=True))

    def dialog_answer(self) -> str:
        """For `handle_dialog`: the handler, which must be registered before the dialog opens."""
        if self.step.capture:
            raise self.refused("what a command answers cannot be captured.")
        if self.step.secret:
            raise self.refused("it types a secret into a dialog.")
        accept, text = self.literal("accept", True), self.left.pop("text", None)
        if self.left:
            raise self.refused(f"there is nothing in Playwright for its argument {next(iter(self.left))!r}.")
        given = "" if text is None or not accept else self.text(text)
        return f"{self.page}.once('dialog', lambda dialog: dialog.{'accept' if accept else 'dismiss'}({given}))"

    def refused(self, reason: str) -> KaptureError:
        """The error that names this step."""
        return not_exportable(self.scenario, reason, self.step)

    def value(self, value: Any) -> str:
        """A JSON value as Python."""
        return expression(value, self.secrets)

    def text(self, value: Any) -> str:
        """A JSON value as an expression for a text."""
        return text_expression(value, self.secrets)

    def literal(self, name: str, default: Any) -> Any:
        """An argument that determines the statement: it has no placeholders, and is what the command takes. A file from
        a stranger could have code in it otherwise."""
        if name not in self.left:
            return default
        value = self.left.pop(name)
        if any(map(has_placeholder, value if isinstance(value, list) else [value])):
            raise self.refused(f"its argument {name!r} must not have placeholders.")
        try:
            return msgspec.convert(substitute(value, {}), _type_of(self.step.command, name))
        except msgspec.ValidationError as error:
            raise self.refused(f"its argument {name!r} is not one that {self.step.command} takes.") from error

    def options(self, **given: Any) -> str:
        """Keyword arguments of a Playwright call, with the step's timeout."""
        given = {key: value for key, value in given.items() if value is not None}
        timeout = self.step.timeout
        if timeout is None and self.step.command == "wait_for":
            timeout = SLOW_TIMEOUT_MS  # that of Playwright's expectations is shorter
        if timeout is not None:
            given["timeout"] = timeout
        return ", ".join(f"{key}={value!r}" for key, value in given.items())

    def call(self, function: str, *arguments: str, **options: Any) -> str:
        """A call; empty arguments are left out."""
        return f"{function}({', '.join(filter(None, (*arguments, self.options(**options))))})"

    def locator(self) -> str:
        """The step's element."""
        found = self.optional_locator()
        if found is None:
            raise self.refused("it has no target.")
        return found

    def optional_locator(self) -> str | None:
        """The step's element, if it has one."""
        if self.step.targets:
            return self.first(self.step.targets)
        if "selector" in self.left:
            return self.locate({"css": self.left.pop("selector")})
        return self.locate(self.left.pop("target")) if "target" in self.left else None

    def first(self, targets: Sequence[StepTarget]) -> str:
        """The first target that there is a locator for; `SCENARIO_INVALID` says why there is none for the best one."""
        for target in targets:
            with suppress(NoLocatorError):
                return locator(target, self.secrets, self.page)
        return self.locate(targets[0])

    def locate(self, given: StepTarget | str | Mapping[str, Any]) -> str:
        """A target as a locator."""
        try:
            target = given if isinstance(given, StepTarget) else msgspec.convert(given, StepTarget)
            return locator(target, self.secrets, self.page)
        except msgspec.ValidationError as error:
            raise self.refused("a ref, or a target that is a plain text, cannot be found again.") from error
        except NoLocatorError as error:
            raise self.refused(str(error)) from error

    def check(self, check: Check) -> str:
        """A check as an expectation."""
        kind, text = check.kind, self.text(check.expected)
        if kind == "url":
            return self.call(f"expect({self.page}).to_have_url", f"glob({text})")
        if kind == "no_console_error":
            if self.step.tab != 1:
                raise self.refused("it checks the console of a tab that another one has opened.")
            return "assert not run.errors, run.errors"
        if kind in ("text", "no_text"):
            where = self.optional_locator() or f"{self.page}.locator('body')"
            negated = "" if kind == "text" else "not_"
            return self.call(f"expect({where}).{negated}to_contain_text", text, use_inner_text=True)
        if kind == "value":
            return self.call(f"expect({self.locator()}).to_have_value", text)
        if kind == "count":
            return self.call(
                f"expect({self.locator()}).to_have_count",
                self.value(check.expected) if isinstance(check.expected, int) else f"int({text})",
            )
        return self.state(str(check.expected))

    def state(self, state: str) -> str:
        """An expectation on the state of the step's element."""
        found = self.locator()
        if state in ("hidden", "gone"):
            counted = f"{found}.filter(visible=True)" if state == "hidden" else found
            return self.call(f"expect({counted}).to_have_count", "0")
        if state == "visible":
            return self.call(f"expect({found}.filter(visible=True).first).to_be_visible")
        if state == "attached":
            return self.call(f"expect({found}.first).to_be_attached")
        return self.call(f"expect({found}).{'not_to_be_checked' if state == 'unchecked' else f'to_be_{state}'}")
