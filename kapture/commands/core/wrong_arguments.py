"""Says in words what is wrong with arguments: names that their objects do not have, and what msgspec refuses."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import attrs
from msgspec import inspect

from kapture.errors import Wording

_MISSING = re.compile(r"Object missing required field `(?P<name>\w+)`")
_CHOICE = re.compile(r"Invalid enum value (?P<value>.*)", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<types>[^`]+)`(?P<bound>[^,]*)(?:, got `(?P<got>\w+)`)?")
_NAME = re.compile(r"\w+")
_STEPS = re.compile(r"\w+|\[(?:\d+|\.\.\.)\]")
_MAX_CHARACTERS = 60

_NAMES = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
}


@attrs.frozen
class Unknown:
    """A name that an object in the arguments has and its class does not: `target`, `rol`, the names that there are."""

    path: str
    name: str
    known: tuple[str, ...]


def unknown_name(given: dict[str, Any], into: type) -> Unknown | None:
    """The first unknown name in an object inside the arguments; the names of the arguments are checked elsewhere."""
    if not any(isinstance(value, dict | list) for value in given.values()):
        return None
    for name, part in _fields(_type_info(into)).items():
        for found in _unknown(given.get(name), part, name):
            return found
    return None


def infinite(given: Mapping[str, Any]) -> str:
    """Where the first number is that is infinite or NaN: `x`, `region.width`; empty if none is.

    JSON has no such numbers (RFC 8259, section 6), but some clients write them, and they would reach the page as null.
    """
    parts: list[tuple[str, Any]] = [*given.items()]
    for path, value in parts:
        if isinstance(value, float) and not math.isfinite(value):
            return path
        if isinstance(value, dict):
            parts += [(f"{path}.{name}", inner) for name, inner in value.items()]
        elif isinstance(value, list):
            parts += [(f"{path}[{number}]", inner) for number, inner in enumerate(value)]
    return ""


_MAY_BE_EMPTY = {"value", "expected"}
"""Parameters whose empty text is something to write or compare with."""


def without_empty(given: dict[str, Any], into: type) -> dict[str, Any]:
    """Return the arguments without empty texts for optional parameters, and without nulls for those that cannot be
    null, also inside objects: clients write them for "not given"."""
    kept: dict[str, Any] = _without_empty(given, _type_info(into))
    return kept


def _without_empty(given: Any, kind: inspect.Type) -> Any:
    if isinstance(given, list) and (item := _item(kind)) is not None:
        return [_without_empty(one, item) for one in given]
    if not isinstance(given, dict) or not (fields := _class_fields(kind)):
        return given
    kinds = {field.encode_name: field for field in fields}
    return {
        name: _without_empty(value, kinds[name].type) if name in kinds else value
        for name, value in given.items()
        if name not in kinds or not _is_empty(value, kinds[name])
    }


def _is_empty(value: Any, field: inspect.Field) -> bool:
    if field.required:
        return False
    if value == "":
        return field.encode_name not in _MAY_BE_EMPTY
    return value is None and not _may_be_null(field.type)


def with_numbers_as_text(given: dict[str, Any], into: type) -> dict[str, Any]:
    """The arguments with integers as text where only text can be meant: clients write 4 for the option "4"."""
    if not any(isinstance(one, int) for value in given.values() for one in _listed(value)):
        return given
    kinds = {field.encode_name: field.type for field in _class_fields(_type_info(into))}
    return {name: _with_numbers_as_text(value, kinds[name]) for name, value in given.items()}


def argument(command: str, path: str) -> str:
    """Begin the template of a message about an argument: `{click}: {target}.nth`."""
    path = path.replace("{", "{{").replace("}", "}}")  # objects inside arguments may have any keys
    name = _NAME.match(path)
    return f"{{{command}}}: {{{name[0]}}}{path[name.end() :]}" if name else f"{{{command}}}: {path}"


def described(command: str, refusal: str, into: type) -> tuple[Wording, str]:
    """What msgspec refused, as a message that names the parameter, and a hint (which may be empty)."""
    what, _, where = refusal.partition(" - at `$")
    path = where.removesuffix("`").removeprefix(".")
    if (missing := _MISSING.fullmatch(what)) and path:
        return Wording(f"{argument(command, path)} needs {missing['name']}."), ""
    if missing:
        return Wording(f"{{{command}}} needs {{{missing['name']}}}."), ""
    if choice := _CHOICE.fullmatch(what):
        choices = _choices(into, path)
        value = choice["value"].strip("'")
        message = f"{argument(command, path)} is {{value}}; it must be {_one_of(choices)}."
        return Wording(message, value=repr(value[:_MAX_CHARACTERS])), did_you_mean(value, choices)
    if expected := _EXPECTED.fullmatch(what):
        types = [_NAMES.get(name, name) for name in expected["types"].split(" | ") if name != "null"]
        got = "a boolean" if expected["got"] == "bool" else _NAMES.get(expected["got"], expected["got"])
        but_is = f", not {got}" if got else ""
        must = f"must be {' or '.join(types)}{{bound}}{but_is}."
        return Wording(f"{argument(command, path)} {must}", bound=expected["bound"].rstrip()), ""
    return Wording(f"{{{command}}}: {{what}}{f' (at {path})' if path else ''}.", what=what), ""


def did_you_mean(name: str, known: tuple[str, ...]) -> str:
    """`Did you mean 'left'?` for `Left` or `lefft`; empty if nothing is close."""
    same = [one for one in known if one.casefold() == name.casefold()]
    close = same or difflib.get_close_matches(name, known, n=1)
    return f"Did you mean {close[0]!r}?" if close else ""


def _with_numbers_as_text(value: Any, kind: inspect.Type) -> Any:
    options = [option for option in _options(kind) if not isinstance(option, inspect.NoneType)]
    if isinstance(value, list):
        item = _item(kind)
        return value if item is None else [_with_numbers_as_text(one, item) for one in value]
    if type(value) is int and all(isinstance(option, inspect.StrType | inspect.ListType) for option in options):
        return str(value) if any(isinstance(option, inspect.StrType) for option in options) else value
    return value


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@cache
def _type_info(into: type) -> inspect.Type:
    return inspect.type_info(into)


def _unknown(value: Any, kind: inspect.Type, path: str) -> Iterator[Unknown]:
    if isinstance(value, dict) and (fields := _fields(kind)):
        for name, inner in value.items():
            if name not in fields:
                yield Unknown(path, name, tuple(fields))
            else:
                yield from _unknown(inner, fields[name], f"{path}.{name}")
    elif isinstance(value, list) and (item := _item(kind)) is not None:
        for number, inner in enumerate(value):
            yield from _unknown(inner, item, f"{path}[{number}]")


def _choices(into: type, path: str) -> tuple[str, ...]:
    kind: inspect.Type | None = _type_info(into)
    for step in _STEPS.findall(path):
        kind = None if kind is None else _item(kind) if step.startswith("[") else _fields(kind).get(step)
    options = () if kind is None else _options(kind)
    return tuple(str(value) for option in options if isinstance(option, inspect.LiteralType) for value in option.values)


def _options(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    """The types of a union, or the type itself, without descriptions."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        return tuple(option for part in kind.types for option in _options(part))
    return (kind,)


def _fields(kind: inspect.Type) -> dict[str, inspect.Type]:
    """The fields of the class that an object becomes; empty if it may have any names."""
    return {field.encode_name: field.type for field in _class_fields(kind)}


def _class_fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    for option in _options(kind):
        if isinstance(option, inspect.DataclassType):
            return option.fields
    return ()


def _may_be_null(kind: inspect.Type) -> bool:
    return any(isinstance(option, inspect.NoneType | inspect.AnyType) for option in _options(kind))


def _item(kind: inspect.Type) -> inspect.Type | None:
    for option in _options(kind):
        if isinstance(option, inspect.ListType | inspect.VarTupleType):
            return option.item_type
    return None


def _one_of(choices: tuple[str, ...]) -> str:
    *first, last = choices or ("another value",)
    return f"{', '.join(first)} or {last}" if first else last
