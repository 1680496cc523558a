"""Decodes a scenario file into `Scenario`; `SCENARIO_INVALID` names the field, and the step by its number."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

import kapture.commands  # noqa: F401  declares the commands that steps may name
from kapture.commands.core.params import parameters_of
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.files.step_tabs import tab_problems
from kapture.scenarios.model import SCHEMA_VERSION, Condition, Parameter, Scenario, Step, StepTarget
from kapture.scenarios.parameters.expression import names
from kapture.scenarios.parameters.parameter_patterns import why_no_pattern
from kapture.scenarios.parameters.placeholders import encodes, roots

MAX_FILE_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 100
"""How many objects and lists may be inside each other; Python's own calls go a little deeper than ten times that."""
_ENCODES_SINCE = 3
_NEEDS_VERSION = "{{name|url}} needs version 3 of the format."
_DROPS_SINCE = 4
_PLACES_SINCE = 5
_TAKES_PLACE = frozenset({"click", "drag"})
_OF_DROP = ("target", "delta_x", "delta_y")
_OF_DISTANCE = ("target",)
_FIELD = re.compile(r" - at `(?:key` in `)?\$\.?([^`]*)`$")
_STEP = re.compile(r"chain\[(\d+)\]")
_NEEDED = {
    **dict.fromkeys(("element_present", "element_count", "element_number"), "target"),
    "url_matches": "url",
    "expression": "expression",
}
_WITHOUT_EXPECTED = frozenset({"no_console_error"})
_NEEDS_TARGET = frozenset({"state", "value", "count"})
ELEMENT_STATES = ("visible", "hidden", "gone", "enabled", "disabled", "checked", "unchecked", "focused")


def decode(content: bytes | str, *, source: str = "The scenario") -> Scenario:
    """Decode and check a file's content. `source` is the subject of error messages: a file's name, for example."""
    if len(content) > MAX_FILE_BYTES:
        raise invalid(source, f"it is longer than {MAX_FILE_BYTES} bytes.")
    if isinstance(content, bytes):
        content = content.removeprefix(BOM_UTF8)  # some editors write it
    try:
        raw = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise invalid(source, f"it is not JSON: {error}") from error
    return convert(raw, source=source)


def convert(raw: Any, *, source: str = "The scenario") -> Scenario:
    """Decode and check JSON values."""
    if _is_deeper(raw, MAX_DEPTH):
        raise invalid(source, f"it is nested more than {MAX_DEPTH} levels deep")
    version = raw.get("version") if isinstance(raw, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise invalid(
            source, f"its version is {version}; this Kapture reads {SCHEMA_VERSION}.", "version", hint="Update Kapture."
        )
    try:
        scenario = msgspec.convert(raw, Scenario)
    except msgspec.ValidationError as error:
        text = str(error)
        found = _FIELD.search(text)
        raise invalid(source, _FIELD.sub("", text) + ".", found[1] if found else "") from error
    check(scenario, source=source)
    return scenario


def encode(scenario: Scenario) -> bytes:
    """The file's content, indented for people and for diffs."""
    return msgspec.json.format(msgspec.json.encode(scenario), indent=2) + b"\n"


def check(scenario: Scenario, *, source: str = "The scenario") -> None:
    """Check what the types alone do not ensure; `SCENARIO_INVALID` if something is wrong."""
    for path, reason in _problems(scenario):
        raise invalid(source, reason, path)


def invalid(source: str, reason: str, field: str = "", *, hint: str = "") -> KaptureError:
    """`SCENARIO_INVALID` for a field. A field of the chain also names its step, counted from 1."""
    number = _STEP.match(field)
    step = int(number[1]) + 1 if number else None
    where = f" step {step}," if step is not None else ""
    where += f" {field}:" if field else ""
    data: dict[str, Any] = {"field": field} if field else {}
    if step is not None:
        data["step"] = step
    return KaptureError(
        ErrorCode.SCENARIO_INVALID,
        f"{source}:{where} {reason if reason.endswith(('.', '?')) else f'{reason}.'}",
        hint=hint or "docs/SCENARIOS.md describes the format.",
        data=data,
    )


def _is_deeper(raw: Any, levels: int) -> bool:
    level = [raw]
    for _ in range(levels + 1):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return bool(level)


def _problems(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Path and reason of every problem."""
    for name, parameter in scenario.parameters.items():
        yield from _parameter_problems(f"parameters.{name}", parameter)
    known = set(scenario.parameters)
    for index, secret in enumerate(scenario.secrets):
        if secret in known:
            yield f"secrets[{index}]", f"{secret!r} is the name of a parameter or of another secret."
        known.add(secret)
    for index, dependency in enumerate(scenario.dependencies):
        path = f"dependencies[{index}]"
        if dependency.condition is not None:
            readable = known.difference(scenario.secrets)
            yield from _condition_problems(f"{path}.condition", dependency.condition, readable)
        yield from _unknown_variables(f"{path}.parameters", roots(dependency.parameters), known)
        if used := sorted(set(roots(dependency.parameters)) & set(scenario.secrets)):
            yield (
                f"{path}.parameters",
                f"the secret {used[0]!r} cannot be passed on; {dependency.scenario} has its own.",
            )
        if dependency.capture_output is not None:
            if dependency.capture_output in known:
                yield f"{path}.capture_output", f"{dependency.capture_output!r} is in use already."
            known.add(dependency.capture_output)
        if scenario.version < _ENCODES_SINCE and encodes(msgspec.to_builtins(dependency)):
            yield path, _NEEDS_VERSION
    yield from tab_problems(scenario)
    secrets = set(scenario.secrets)
    for index, step in enumerate(scenario.chain):
        yield from _step_problems(f"chain[{index}]", step, known, secrets)
        for name in step.capture:
            if name in scenario.parameters or name in secrets:
                yield f"chain[{index}].capture.{name}", "it is the name of a parameter or secret."
        if scenario.version < _ENCODES_SINCE and encodes(msgspec.to_builtins(step)):
            yield f"chain[{index}]", _NEEDS_VERSION
        if scenario.version < _DROPS_SINCE and step.onto is not None:
            yield f"chain[{index}].onto", f"it needs version {_DROPS_SINCE} of the format."
        if scenario.version < _PLACES_SINCE and step.at is not None:
            yield f"chain[{index}].at", f"it needs version {_PLACES_SINCE} of the format."
        known |= set(step.capture)


def _step_problems(path: str, step: Step, known: set[str], secrets: set[str]) -> Iterator[tuple[str, str]]:
    if bool(step.command) == (step.check is not None):
        yield path, "a step has either a command or a check."
        return
    for index, target in enumerate(step.targets):
        yield from _target_problems(f"{path}.targets[{index}]", target)
    if step.check is not None:
        kind, expected = step.check.kind, step.check.expected
        if (expected is None) != (kind in _WITHOUT_EXPECTED):
            word = "takes nothing" if kind in _WITHOUT_EXPECTED else "needs a value"
            yield f"{path}.check.expected", f"the check {kind!r} {word} here."
        if kind == "state" and expected not in ELEMENT_STATES:
            yield f"{path}.check.expected", f"a state is one of {', '.join(ELEMENT_STATES)}."
        if kind in _NEEDS_TARGET and not step.targets:
            yield f"{path}.targets", f"the check {kind!r} needs a target."
        if step.arguments:
            yield f"{path}.arguments", "a check takes no arguments."
        if step.onto is not None:
            yield f"{path}.onto", "a check drops nothing."
        if step.at is not None:
            yield f"{path}.at", "a check presses nothing."
    else:
        yield from _command_problems(path, step)
    onto = [] if step.onto is None else step.onto.targets
    for index, target in enumerate(onto):
        yield from _target_problems(f"{path}.onto.targets[{index}]", target)
    parts = {
        "arguments": step.arguments,
        "targets": [target.as_argument() for target in step.targets],
        "onto.targets": [target.as_argument() for target in onto],
        "check.expected": step.check.expected if step.check is not None else None,
    }
    named = {part: list(roots(value)) for part, value in parts.items()}
    for part, variables in named.items():
        yield from _unknown_variables(f"{path}.{part}", variables, known)
    for part in ("targets", "onto.targets", "check.expected"):
        if shown := sorted(set(named[part]) & secrets):
            yield f"{path}.{part}", f"the secret {shown[0]!r} can stand in arguments only."
    used = sorted(set(named["arguments"]) & secrets)
    if used and not step.secret:
        yield f"{path}.secret", f"it uses the secret {used[0]!r}, so it must be true."
    if step.secret and not used:
        yield f"{path}.arguments", "it types a secret: name it under secrets and write {{its_name}} for the value."


def _command_problems(path: str, step: Step) -> Iterator[tuple[str, str]]:
    try:
        command = get_command(step.command)
    except KaptureError as error:
        yield f"{path}.command", error.explanation
        return
    if command.toolset == "scenarios":
        yield f"{path}.command", f"{command.name} cannot be a step; name the other scenario under dependencies."
    for name in sorted(set(step.arguments) - parameters_of(command)):
        yield f"{path}.arguments.{name}", f"{command.name} has no such argument."
    own = target_parameter(step.command)
    given = {"tabId", *({own, "selector"} if step.targets else ())}
    for name in sorted(given & set(step.arguments)):
        yield f"{path}.arguments.{name}", "the run sets it: leave it out."
    if step.at is not None and (command.name not in _TAKES_PLACE or not step.targets):
        yield f"{path}.at", f"{command.name} is not at a place of an element here."
    if step.onto is not None and command.name != "drag":
        yield f"{path}.onto", f"{command.name} drops nothing."
    elif step.onto is not None:
        taken = _OF_DROP if step.onto.at is None else _OF_DISTANCE  # with a place the distance is what it was
        for name in sorted(set(taken) & set(step.arguments)):
            yield f"{path}.arguments.{name}", "`onto` says where it is dropped: leave it out."


def target_parameter(command: str) -> str:
    """The parameter of the command that a step's targets are for."""
    return "source" if get_command(command).name == "drag" else "target"


def _target_problems(path: str, target: StepTarget) -> Iterator[tuple[str, str]]:
    if len(ways := target.ways()) != 1:
        yield path, f"a target names its element in one way; this one uses {', '.join(ways) or 'none'}."


def _condition_problems(path: str, condition: Condition, known: set[str]) -> Iterator[tuple[str, str]]:
    """`known`: the parameters, and what dependencies before this one capture."""
    needed = _NEEDED.get(condition.check)
    if needed is not None and getattr(condition, needed) is None:
        yield f"{path}.{needed}", f"the check {condition.check!r} needs it."
    if condition.target is not None:
        yield from _target_problems(f"{path}.target", condition.target)
    used = {"url": list(roots(condition.url)), "target": list(roots(msgspec.to_builtins(condition.target)))}
    if condition.expression is not None:
        try:
            used["expression"] = names(condition.expression)
        except KaptureError as error:
            yield f"{path}.expression", error.message
    for part, variables in used.items():
        for name in variables:
            if name not in known:
                yield f"{path}.{part}", f"{name!r} is not a parameter, and no dependency before this one captures it."


def _parameter_problems(path: str, parameter: Parameter) -> Iterator[tuple[str, str]]:
    if parameter.pattern is not None and (reason := why_no_pattern(parameter.pattern)) is not None:
        yield f"{path}.pattern", f"it is not a regular expression: {reason}."
    for name, inner in (parameter.properties or {}).items():
        yield from _parameter_problems(f"{path}.properties.{name}", inner)
    if parameter.items is not None:
        yield from _parameter_problems(f"{path}.items", parameter.items)


def _unknown_variables(path: str, variables: Iterable[str], known: set[str]) -> Iterator[tuple[str, str]]:
    for name in variables:
        if name not in known:
            yield (
                path,
                f"{{{{{name}}}}} is not a parameter or a secret, and no dependency or earlier step captures it.",
            )
