"""A profile's table: each row is a tool, with the command that it runs and the conversion of its arguments."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import attrs

from kapture.commands.core.params import MAY_BE_EMPTY, fitted
from kapture.commands.core.registry import Command, Scope, get_command
from kapture.commands.core.schema import Schema
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.tool import PlannedCall, Show, ShowError, Tool, annotations_of


@attrs.frozen(kw_only=True)
class Param:
    """One parameter of a tool: its schema, and where its value goes.

    `to` is the command's parameter; "" for none (the row's `then` or `show` reads it). With a row that chooses among
    commands, `only` lists the choices it is valid for, and `needed` those that it must be given for. `turn` converts
    the value.
    """

    schema: Schema
    to: str = ""
    turn: Callable[[Any], Any] | None = None
    only: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Row:
    """One tool of a profile.

    `command` is one command, or a choice by the value of the parameter `choose`; `default_choice` applies without one.
    `fixed` are arguments that are always passed, `fixed_by_choice` those that depend on the choice. Exactly one of
    the parameters in `one_of` must be given, at least one of those in `any_of`, and at most one of those in
    `at_most_one` (a flag counts where it is true). `finish` may change the command's arguments, where one depends on
    another. `then` makes a second command of the call, for `show` to format. `shows_prose` and `picks_tab`: see `Tool`.
    """

    name: str
    description: str
    command: str | Mapping[str, str]
    choose: str = ""
    default_choice: str = ""
    params: Mapping[str, Param] = attrs.field(factory=dict)
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    at_most_one: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = attrs.field(factory=dict)
    fixed_by_choice: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    finish: Callable[[dict[str, Any]], None] | None = None
    then: Callable[[Mapping[str, Any]], PlannedCall | None] | None = None
    show: Show | None = None
    show_error: ShowError | None = None
    shows_prose: bool = False
    picks_tab: str = ""


def row_tool(row: Row) -> Tool:
    """The tool of this row."""
    commands = [get_command(name) for name in _names(row)]
    schema: Schema = {
        "type": "object",
        "properties": {name: param.schema for name, param in row.params.items()},
    }
    if row.required:
        schema["required"] = list(row.required)
    schema["additionalProperties"] = False

    def plan(arguments: Mapping[str, Any]) -> PlannedCall:
        return plan_row(row, arguments)

    return Tool(
        name=row.name,
        description=row.description,
        schema=schema,
        annotations=_annotations(commands),
        access=max(command.access for command in commands),
        plan=plan,
        show=row.show,
        show_error=row.show_error,
        shows_prose=row.shows_prose,
        needs_tab=any(command.scope is Scope.TAB for command in commands),
        picks_tab=row.picks_tab,
        parameters=_parameter_names(row),
    )


def tool_names(rows: Iterable[Row]) -> dict[str, str]:
    """Tool name by command name: `snapshot`, or `interact (action click)`."""
    names: dict[str, str] = {}
    for row in rows:
        choices: dict[str, list[str]] = {}
        for choice, command in {"": row.command}.items() if isinstance(row.command, str) else row.command.items():
            choices.setdefault(command, []).append(choice)
        for command, chosen in choices.items():
            only_one_way = not row.choose or row.default_choice in chosen
            names[command] = row.name if only_one_way else f"{row.name} ({row.choose} {' or '.join(chosen)})"
    return names


def plan_row(row: Row, arguments: Mapping[str, Any]) -> PlannedCall:
    """The command that a call of this tool runs; `INVALID_PARAMS` if its arguments are invalid."""
    arguments = _as_meant(row, arguments)
    for name, value in arguments.items():
        if name not in row.params:
            near = difflib.get_close_matches(name, row.params, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Its parameters are: {', '.join(row.params) or 'none'}."
            raise _invalid(f"{row.name} has no parameter {name!r}.", hint, name)
        _check(row, name, value)
    for name in row.required:
        if name not in arguments:
            raise _invalid(f"{row.name} needs {name}.", "", name)
    given = [name for name in row.one_of if name in arguments]
    if row.one_of and len(given) != 1:
        raise _invalid(f"{row.name} takes exactly one of {listed(row.one_of, 'and')}.", "", row.one_of[0])
    if row.any_of and not any(name in arguments for name in row.any_of):
        raise _invalid(f"{row.name} needs {listed(row.any_of, 'or')}.", "", row.any_of[0])
    rivals = [name for name in row.at_most_one if arguments.get(name, False) is not False]
    if len(rivals) > 1:
        raise _invalid(f"{row.name} takes at most one of {listed(row.at_most_one, 'and')}.", "", rivals[1])

    choice = str(arguments.get(row.choose) or row.default_choice) if row.choose else ""
    command = row.command if isinstance(row.command, str) else row.command[choice]
    for name, param in row.params.items():
        if choice in param.needed and name not in arguments:
            raise _invalid(f"{row.name} needs {name} for {row.choose} {choice!r}.", "", name)
    planned: dict[str, Any] = {**row.fixed, **row.fixed_by_choice.get(choice, {})}
    for name, value in arguments.items():
        param = row.params[name]
        if param.only and choice not in param.only:
            raise _invalid(f"{row.name}: {name} does not go with {row.choose} {choice!r}.", "", name)
        if param.to in planned and param.to not in row.fixed:
            rivals = [other for other in arguments if row.params[other].to == param.to]
            raise _invalid(f"{row.name} takes only one of {listed(rivals, 'and')}.", "", name)
        if param.to:
            planned[param.to] = param.turn(value) if param.turn else value
    if row.finish:
        row.finish(planned)
    then = row.then(arguments) if row.then else None
    return PlannedCall(command=command, arguments=planned, given=arguments, then=then)


def _as_meant(row: Row, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments in the types of the tool's parameters, without null and empty text for "not given"."""
    meant: dict[str, Any] = {}
    for name, value in arguments.items():
        param = row.params.get(name)
        read = value if param is None else fitted(value, {param.schema["type"]})
        may_be_empty = param is None or name in row.required or param.needed or param.to in MAY_BE_EMPTY
        if read is not None and (read != "" or may_be_empty):
            meant[name] = read
    return meant


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
}


def _check(row: Row, name: str, value: Any) -> None:
    """Check types and choices, so that errors name the tool's own parameters; the command checks bounds."""
    schema = row.params[name].schema
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise _invalid(f"{row.name}: {name} must be {kind}.", "", name)
    if schema.get("minProperties") and not value:
        raise _invalid(f"{row.name}: {name} is empty.", "", name)
    if "enum" in schema and value not in schema["enum"]:
        choices = ", ".join(map(str, schema["enum"]))
        raise _invalid(f"{row.name}: {name} is {value!r}; it must be one of {choices}.", "", name)


def _invalid(message: str, hint: str, parameter: str) -> KaptureError:
    return KaptureError(ErrorCode.INVALID_PARAMS, message, hint=hint, data={"parameter": parameter})


def listed(names: Iterable[str], conjunction: str) -> str:
    """Join names: `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def _parameter_names(row: Row) -> dict[str, str]:
    """The tool's own parameters by the command's: `{"target": "selector or ref"}`."""
    names: dict[str, list[str]] = {}
    for name, param in row.params.items():
        if param.to:
            names.setdefault(param.to, []).append(name)
    return {to: listed(own, "or") for to, own in names.items()}


def _names(row: Row) -> list[str]:
    return [row.command] if isinstance(row.command, str) else list(row.command.values())


def _annotations(commands: list[Command]) -> dict[str, Any]:
    """The MCP annotations that are true of every command that the tool may run."""
    hints = [annotations_of(command) for command in commands]
    return {key: value for key, value in hints[0].items() if all(hint.get(key) == value for hint in hints)}
