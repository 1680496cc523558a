"""Converts a recording to a scenario, with names of secrets and parameters instead of what was typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kapture.commands.core.recorder import SaveWish
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.files.decode import check
from kapture.scenarios.model import (
    SCHEMA_VERSION,
    VARIABLE_PATTERN,
    Destination,
    Metadata,
    Parameter,
    Scenario,
    Step,
    StepTarget,
)
from kapture.scenarios.parameters.placeholders import escape
from kapture.scenarios.record.captured import Captured, CapturedStep, same_element
from kapture.scenarios.record.optimizer import is_search, optimize
from kapture.scenarios.record.recorded_addresses import OPENS, Addressed, addressed, known_secrets, unused_name
from kapture.scenarios.record.tool_arguments import ToolArguments
from kapture.scenarios.record.typed_in_address import Typed
from kapture.scenarios.record.without_values import without_values
from kapture.scenarios.secrets.secret_store import StoredSecret

_OPENABLE = ("http:", "https:", "file:")
_TYPED_IN = {"type": "text", "paste": "text"}
"""The argument with the typed text, for commands that do not call it `value`."""
_VARIABLE = re.compile(VARIABLE_PATTERN)
_REPEAT = re.compile(
    r"repeat|confirm|again|re-?(enter|type)|verif|wiederhol|bestätig|repetir|ripeti|conferma|répét", re.IGNORECASE
)
"""How the second of two fields asks for the same secret."""


def scenario_of(
    captured: Sequence[Captured],
    wish: SaveWish,
    *,
    url: str,
    recorded_at: str,
    forgotten: Sequence[CapturedStep] = (),
) -> tuple[Scenario, dict[str, StoredSecret]]:
    """The scenario, and its secrets by name, each with the origins where it was typed; `SCENARIO_INVALID` if there is
    no step. `forgotten`: deleted steps that have typed a secret, which may stand in an address."""
    steps = without_values(optimize(captured, url, shorten=wish.optimize), forgotten)
    if not steps:
        raise KaptureError(
            ErrorCode.SCENARIO_INVALID, "Nothing was recorded.", hint="Do something on the page while it is recorded."
        )
    if (steps[0].command != "navigate" or steps[0].tab != 1) and url.startswith(_OPENABLE):
        steps = [CapturedStep(command="navigate", arguments={"url": url}), *steps]
    names = secret_names([*steps, *forgotten])
    secrets = known_secrets([*steps, *forgotten], names, [url])
    parameters = _chosen(steps, wish.parameters)
    tools = ToolArguments(secrets, parameters)
    queries: list[Typed] = []
    done = []
    chain = []
    for step, name in zip(steps, names[: len(steps)], strict=True):
        opened = addressed(step, secrets, queries)
        done.append(opened)
        chain.append(_step(opened, name, parameters, tools, wish.parameters.get(step.id)))
        if name is None and (is_search(step) or step.id in wish.parameters):
            queries.insert(0, _query(step, wish.parameters.get(step.id) or next(reversed(parameters))))
    values = _values(steps, names, done, secrets)
    began = addressed(CapturedStep(command="navigate", arguments={"url": url}), secrets).step.arguments["url"]
    scenario = Scenario(
        version=SCHEMA_VERSION,
        name=wish.name,
        description=wish.description,
        tags=list(wish.tags),
        metadata=Metadata(title=wish.title, url=began, recorded_at=recorded_at, author="person"),
        parameters=parameters,
        secrets=list(
            dict.fromkeys([*filter(None, names[: len(steps)]), *(name for one in done for name in one.secrets)])
        ),
        chain=chain,
    )
    check(scenario, source=f"The recording {wish.name!r}")
    return scenario, values


def _values(
    steps: Sequence[CapturedStep], names: Sequence[str | None], done: Sequence[Addressed], secrets: Sequence[Typed]
) -> dict[str, StoredSecret]:
    """The values of the secrets that the steps name, with the origins of the documents and addresses that got them. One
    that only documents with an opaque origin got is left out: no run could type it."""
    values = {secret.name: secret.value for secret in secrets}
    origins: dict[str, list[str]] = {}
    for step, name, opened in zip(steps, names, done, strict=False):
        if name is not None and step.secret_value is not None:
            values.setdefault(name, step.secret_value)
            origins.setdefault(name, []).append(step.origin)
        for named in opened.secrets:
            origins.setdefault(named, []).append(opened.origin)
    return {
        name: StoredSecret(values[name], tuple(dict.fromkeys(filter(None, found))))
        for name, found in origins.items()
        if any(found)
    }


def _query(step: CapturedStep, name: str) -> Typed:
    field = "" if step.element is None else step.element.attributes.get("name", "")
    return Typed(name=name, value=str(step.arguments.get(_TYPED_IN.get(step.command, "value"), "")), field=field)


def secret_names(steps: Sequence[CapturedStep]) -> list[str | None]:
    """For each step the name of the secret that it types. A secret has one name, whether it is typed into the same
    field again or into another one, such as a repeated password."""
    named: list[tuple[str, CapturedStep]] = []
    names: list[str | None] = []
    for step in steps:
        if step.secret is None:
            names.append(None)
            continue
        known = next((name for name, other in named if _same_secret(step, other)), None)
        name = known or unused_name(step.secret, [name for name, _ in named])
        named.append((name, step))
        names.append(name)
    return names


def _same_secret(one: CapturedStep, other: CapturedStep) -> bool:
    """Whether both steps type one secret: with the same value into the same field, or again where a page asks for it
    twice. Secrets that happen to be equal, as of two sites, stay two."""
    if one.secret != other.secret or one.secret_value != other.secret_value:
        return False
    if same_element(one, other):
        return True
    return one.secret_value is not None and one.origin == other.origin and _repeats(one, other)


def _repeats(one: CapturedStep, other: CapturedStep) -> bool:
    """Whether one of two fields asks for what was typed into the other once more."""
    words = [_words(one), _words(other)]
    return all("new-password" in found for found in words) or any(map(_REPEAT.search, words))


def _words(step: CapturedStep) -> str:
    element = step.element
    if element is None:
        return ""
    return " ".join([element.name, element.text, *element.attributes.values()])


def _chosen(steps: Sequence[CapturedStep], wanted: Mapping[str, str]) -> dict[str, Parameter]:
    """The parameters that texts of steps become; `INVALID_PARAMS` if a step types none, or two steps would give one
    parameter two values."""
    parameters: dict[str, Parameter] = {}
    by_id = {step.id: step for step in steps}
    for step_id, name in wanted.items():
        step = by_id.get(step_id)
        text = None if step is None or step.secret else step.arguments.get(_TYPED_IN.get(step.command, "value"))
        if not isinstance(text, str) or not _VARIABLE.match(name):
            reason = f"{name!r} is no name" if isinstance(text, str) else f"{step_id!r} is no step that types a text"
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"No text can become the parameter {name!r}: {reason}.",
                hint="Names have letters, digits and _; the steps are those that record_stop lists.",
            )
        if name in parameters and parameters[name].default != text:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"The parameter {name!r} would have two values.")
        parameters[name] = Parameter(required=False, default=text)
    return parameters


def _step(
    opened: Addressed,
    secret: str | None,
    parameters: dict[str, Parameter],
    tools: ToolArguments,
    parameter: str | None = None,
) -> Step:
    step = opened.step
    arguments = {
        key: value if key == "url" and step.command in OPENS else _escaped(value)
        for key, value in step.arguments.items()
    }
    if step.command == "call_page_tool":
        arguments["arguments"] = tools.of(step.arguments.get("arguments", {}))
    elif secret is not None:
        arguments[_TYPED_IN.get(step.command, "value")] = _placeholder(secret)
    elif parameter is not None:
        arguments[_TYPED_IN.get(step.command, "value")] = _placeholder(parameter)
    elif is_search(step):
        key = _TYPED_IN.get(step.command, "value")
        name = unused_name("query", list(parameters))
        parameters[name] = Parameter(
            description="What to search for.", required=False, default=step.arguments.get(key, "")
        )
        arguments[key] = _placeholder(name)
    elif step.command == "upload":
        name = unused_name("files", list(parameters))
        recorded = ", ".join(map(str, step.arguments.get("paths", ())))
        parameters[name] = Parameter(type="array", description=f"Paths of files. When recorded: {recorded}.")
        arguments["paths"] = _placeholder(name)
    checked = (
        None if step.check is None else type(step.check)(kind=step.check.kind, expected=_escaped(step.check.expected))
    )
    return Step(
        command=step.command,
        check=checked,
        title=step.title,
        arguments=arguments,
        targets=[_escaped_target(target) for target in step.targets],
        element=step.element,
        at=None if step.at is None else list(step.at),
        onto=_escaped_destination(step.onto),
        secret=secret is not None or bool(opened.secrets),
        tab=step.tab,
        opens=step.opens,
    )


def _placeholder(name: str) -> str:
    return "{{" + name + "}}"


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, Mapping):
        return {key: _escaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    return value


def _escaped_destination(onto: Destination | None) -> Destination | None:
    if onto is None:
        return None
    return Destination(targets=[_escaped_target(target) for target in onto.targets], element=onto.element, at=onto.at)


def _escaped_target(target: StepTarget) -> StepTarget:
    return StepTarget(**_escaped(target.as_argument()))
