"""Exports a scenario as a test file for pytest and Playwright: one function for each scenario needed, and one test.

Secrets are read from environment variables; no value is in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from kapture.scenarios.dependencies import Resolved
from kapture.scenarios.export.export_error import not_exportable
from kapture.scenarios.export.playwright_captures import captures
from kapture.scenarios.export.playwright_commands import statements
from kapture.scenarios.export.playwright_file import HEAD, helpers
from kapture.scenarios.export.playwright_locator import NoLocatorError, locator
from kapture.scenarios.export.playwright_step import StepWriter, page_of
from kapture.scenarios.export.python_text import expression, text_expression
from kapture.scenarios.files.step_tabs import closes_tab
from kapture.scenarios.model import Condition, Dependency, Scenario, Step
from kapture.scenarios.parameters.expression import as_python
from kapture.scenarios.parameters.parameter_values import bind
from kapture.scenarios.replay.conditions import SIGN_OUT

_INDENT = "    "


def playwright_test(root: Scenario, resolved: Resolved, given: Mapping[str, Any]) -> str:
    """The file's text. `given` are defaults of parameters; `SCENARIO_INVALID` names what Playwright cannot do."""
    declared = {name: root.parameters[name] for name in given if name in root.parameters}
    bind(msgspec.structs.replace(root, parameters=declared), given)  # a default may be missing, but must be valid
    needed = [one for one in resolved.scenarios.values() if one is not root]  # in the order of the run
    names = _names([*needed, root])
    secrets = _secret_variables([*needed, root])
    functions = [_function(one, resolved, names, secrets[one.name]) for one in (*needed, root)]
    variables = {name: f"KAPTURE_PARAMETER_{name}" for name in root.parameters}
    test = [f"def test_{names[root.name]}(page):"]
    test.append(f"{_INDENT}values = {{")
    for name, parameter in root.parameters.items():
        default = given.get(name, parameter.default)
        if isinstance(default, UnsetType) and not parameter.required:
            default = None
        written = "" if default is UNSET else f", {default!r}"
        test.append(f"{_INDENT * 2}{name!r}: parameter({variables[name]!r}, {parameter.type!r}{written}),")
    test += [f"{_INDENT}}}", f"{_INDENT}run_{names[root.name]}(page, values, Run(page))"]
    body = "\n\n\n".join("\n".join(lines) for lines in (*functions, test))
    head = HEAD.format(
        name=root.name,
        file=f"test_{names[root.name]}.py",
        variables=_described(variables.values(), [one for row in secrets.values() for one in row.values()]),
    )
    return "\n\n".join([head, *helpers(body, SIGN_OUT.pattern), f"{body}\n"])


def _described(parameters: Any, secrets: Sequence[str]) -> str:
    lines = [f"\nParameters, from environment variables: {', '.join(parameters)}.\n"] if parameters else []
    if secrets:
        lines.append(f"\nSecrets, which must be in environment variables: {', '.join(secrets)}.\n")
    return "".join(lines)


def _names(scenarios: Sequence[Scenario]) -> dict[str, str]:
    """The function name for each scenario."""
    names: dict[str, str] = {}
    for one in scenarios:
        name = wanted = re.sub(r"\W", "_", one.name, flags=re.ASCII)
        number = 1
        while name in names.values():
            number += 1
            name = f"{wanted}_{number}"
        names[one.name] = name
    return names


def _secret_variables(scenarios: Sequence[Scenario]) -> dict[str, dict[str, str]]:
    """The environment variables of each scenario's secrets. Two scenarios may have different secrets of the same name,
    and Windows ignores the case of variables."""
    everywhere = [secret.upper() for one in scenarios for secret in one.secrets]
    taken: set[str] = set()
    found: dict[str, dict[str, str]] = {}
    for one in scenarios:
        found[one.name] = {}
        for secret in one.secrets:
            alone = everywhere.count(secret.upper()) == 1
            words = secret if alone else re.sub(r"\W", "_", f"{one.name}_{secret}")
            name = wanted = f"KAPTURE_SECRET_{words.upper()}"
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            taken.add(name)
            found[one.name][secret] = name
    return found


def _function(
    scenario: Scenario, resolved: Resolved, names: Mapping[str, str], secrets: Mapping[str, str]
) -> list[str]:
    lines = [f"def run_{names[scenario.name]}(page, values, run):"]
    if captures(scenario):
        lines.append(f"{_INDENT}values, captured = dict(values), {{}}")
    for dependency in resolved.dependencies(scenario):
        lines += _dependency(scenario, dependency, resolved.scenarios[dependency.scenario], names)
    for number, (step, after) in enumerate(pairwise([*scenario.chain, None]), 1):
        assert step is not None  # noqa: S101  only the last of all is
        if _is_dialog(step):
            if number == 1 or _is_dialog(scenario.chain[number - 2]):
                raise not_exportable(scenario, "the step that opens the dialog must be right before it.", step)
            continue
        closing = closes_tab(after) and after is not None and after.tab == step.tab and not closes_tab(step)
        lines += [_INDENT + line for line in _step(scenario, number, step, after, secrets, closing=closing)]
    if captures(scenario):
        lines.append(f"{_INDENT}return captured")
    return lines


def _step(
    scenario: Scenario,
    number: int,
    step: Step,
    after: Step | None,
    secrets: Mapping[str, str],
    *,
    closing: bool,
) -> Iterator[str]:
    """The statements of a step. `closing`: its page may close itself meanwhile."""
    yield f"# {number}: {step.words!r}"
    writer = StepWriter(scenario, step, secrets)
    lines = statements(writer)
    around = []
    popup = f"popup_{step.opens}" if step.opens is not None and not _is_tab_new(step) else None
    if popup is not None:
        around.append(f"with {writer.page}.expect_popup() as {popup}:")
    if after is not None and _is_dialog(after):
        if step.check is not None or after.tab != step.tab:
            raise not_exportable(scenario, "the step that opens the dialog must be right before it.", after)
        answer = StepWriter(scenario, after, secrets)
        yield answer.dialog_answer()
        around.append(f"with {writer.page}.expect_event('dialog'):")
    if closing and step.check is None and not _is_tab_new(step):
        yield "def closing():"
        yield from (_INDENT + statement for statement in lines)
        lines = [f"closing_step({writer.page}, closing)"]
    if step.secret:
        yield "def secretly():"
        yield from (_INDENT + statement for statement in lines)
        lines = [f"secret_step({f'{scenario.name}, step {number}'!r}, secretly)"]
    for depth, line in enumerate(around):
        yield _INDENT * depth + line
    for statement in lines:
        yield _INDENT * len(around) + statement
    if popup is not None and step.opens is not None:
        yield f"{page_of(step.opens)} = {popup}.value"


def _dependency(
    scenario: Scenario,
    dependency: Dependency,
    needed: Scenario,
    names: Mapping[str, str],
) -> Iterator[str]:
    """Run the dependency unless its condition, or an earlier run with the same parameters, makes that unnecessary."""
    function = f"run_{names[needed.name]}"
    defaults = {
        name: None if isinstance(parameter.default, UnsetType) else parameter.default
        for name, parameter in needed.parameters.items()
        if name not in dependency.parameters
    }
    given = [f"{name!r}: {value!r}" for name, value in defaults.items()]
    given += [f"{name!r}: {expression(value, {})}" for name, value in dependency.parameters.items()]
    yield f"{_INDENT}call = ({needed.name!r}, {{{', '.join(given)}}})"
    condition = ""
    if dependency.condition is not None:
        negated = "not " if dependency.condition.skip_if else ""
        condition = f" and {negated}{_condition(scenario, dependency, dependency.condition)}"
    lines = [
        f"if not run.has_finished(call){condition}:",
        f"{_INDENT}run.finished.append((call, {function}(page, call[1], run)))",
    ]
    if dependency.optional:
        words = f"{needed.name} is optional and failed: "
        compares = dependency.condition is not None and dependency.condition.check == "expression"
        lines = [
            "try:",
            *(_INDENT + line for line in lines),
            f"except (Error, AssertionError{', TypeError' if compares else ''}) as error:",
            f"{_INDENT}warnings.warn({words!r} + str(error))",
        ]
    yield from (_INDENT + line for line in lines)
    if dependency.capture_output is not None:
        yield f"{_INDENT}values[{dependency.capture_output!r}] = run.captured(call)"


def _condition(scenario: Scenario, dependency: Dependency, condition: Condition) -> str:
    if condition.check == "expression":
        return as_python(condition.expression or "", "values", "item_of")
    if condition.check == "url_matches":
        return f"bool(glob({text_expression(condition.url, {})}).match(page.url))"
    if condition.check == "element_number":
        raise not_exportable(scenario, f"the condition of its dependency {dependency.scenario} reads a number.")
    counts = condition.check == "element_count"
    if condition.target is None:
        return "offers_sign_out(page)"
    try:
        shown = f"{locator(condition.target, {})}.filter(visible=True)"
        return f"{shown}.count() >= {condition.minimum}" if counts else f"{shown}.first.is_visible()"
    except NoLocatorError as error:
        raise not_exportable(scenario, f"of the condition of its dependency {dependency.scenario}, {error}") from error


def _is_tab_new(step: Step) -> bool:
    return step.command.removeprefix("kapturemcp_") == "tab_new"


def _is_dialog(step: Step | None) -> bool:
    return step is not None and step.command.removeprefix("kapturemcp_") == "handle_dialog"
