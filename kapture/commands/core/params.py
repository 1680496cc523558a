"""Decodes arguments (JSON) into a command's parameter class, with errors that say what to write instead."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

import attrs
import msgspec
from msgspec import UNSET, Meta, UnsetType, inspect

from kapture.commands.core.answer import DEFAULT_CHARS, MOST_CHARS, MOST_SAVED_CHARS, NOTE_CHARS
from kapture.commands.core.registry import Command, Scope
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.target import Target, TargetSpec

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
        for found in _unknown_in(given.get(name), part, name):
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


MAY_BE_EMPTY = {"value", "expected"}
"""Parameters whose empty text is something to write or compare with."""

_JSON_NAMES: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.ListType: "array",
    inspect.VarTupleType: "array",
    inspect.DictType: "object",
    inspect.DataclassType: "object",
}
_SEVERAL = ({"string", "array"}, {"string", "object"})
"""One text or a list of them, and an element's selector or description: JSON text of the second is the second."""


def as_meant(given: dict[str, Any], into: type) -> dict[str, Any]:
    """Return the arguments of a class as clients mean them where nothing else can be meant, also inside objects.

    Some send what is not text as JSON text (`"[1, 2]"`, `"3000"`, `"true"`), integers as `2.0`, option values as
    numbers, and empty text or null for "not given". Text for a parameter that takes text stays as it is.
    """
    read: dict[str, Any] = _read(given, _type_info(into))
    return read


def fitted(value: Any, types: AbstractSet[str]) -> Any:
    """Return the value as one of these JSON types if it can be nothing else, otherwise as it is."""
    if isinstance(value, str):
        wanted = types - {"string"} if types in _SEVERAL else types
        return value if "string" in wanted or not wanted else _from_json(value, wanted)
    if type(value) is float and value.is_integer() and "integer" in types and "number" not in types:
        return int(value)
    if type(value) is int and "string" in types and types <= {"string", "array"}:
        return str(value)
    return value


def _from_json(text: str, types: AbstractSet[str]) -> Any:
    """The value that the text is JSON of, if it is of one of these types or null; otherwise the text."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text
    if isinstance(value, float):
        value = fitted(value, types)
    number = type(value) in (int, float) and "number" in types
    fits = value is None or number or _OF_PYTHON.get(type(value)) in types
    return value if fits else text


_OF_PYTHON = {bool: "boolean", int: "integer", list: "array", dict: "object"}


def _read(value: Any, kind: inspect.Type) -> Any:
    value = fitted(value, _json_types(kind))
    if isinstance(value, list) and (item := _item(kind)) is not None:
        return [_read(one, item) for one in value]
    if isinstance(value, dict) and (fields := _class_fields(kind)):
        kinds = {field.encode_name: field for field in fields}
        read = {name: _read(part, kinds[name].type) if name in kinds else part for name, part in value.items()}
        return {name: part for name, part in read.items() if name not in kinds or not _is_empty(part, kinds[name])}
    return value


def _json_types(kind: inspect.Type) -> set[str]:
    """The names of the JSON types of a parameter; empty if it may have any."""
    types = set()
    for option in _options(kind):
        if isinstance(option, inspect.LiteralType):
            types |= {"string" if isinstance(one, str) else "integer" for one in option.values}
        elif isinstance(option, inspect.AnyType):
            return set()
        elif name := _JSON_NAMES.get(type(option)):
            types.add(name)
    return types


def _is_empty(value: Any, field: inspect.Field) -> bool:
    if field.required:
        return False
    if value == "":
        return field.encode_name not in MAY_BE_EMPTY
    may_be_null = any(isinstance(one, inspect.NoneType | inspect.AnyType) for one in _options(field.type))
    return value is None and (field.default is None or not may_be_null)


def argument(command: str, path: str) -> str:
    """Begin the template of a message about an argument: `{click}: {target}.nth`."""
    path = path.replace("{", "{{").replace("}", "}}")  # objects inside arguments may have any keys
    name = _NAME.match(path)
    return f"{{{command}}}: {{{name[0]}}}{path[name.end() :]}" if name else f"{{{command}}}: {path}"


def described(command: str, refusal: str, into: type) -> tuple[Wording, str]:
    """Turn msgspec's error into a message that names the parameter, and a hint (which may be empty)."""
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


@cache
def _type_info(into: type) -> inspect.Type:
    return inspect.type_info(into)


def _unknown_in(value: Any, kind: inspect.Type, path: str) -> Iterator[Unknown]:
    if isinstance(value, dict) and (fields := _fields(kind)):
        for name, inner in value.items():
            if name not in fields:
                yield Unknown(path, name, tuple(fields))
            else:
                yield from _unknown_in(inner, fields[name], f"{path}.{name}")
    elif isinstance(value, list) and (item := _item(kind)) is not None:
        for number, inner in enumerate(value):
            yield from _unknown_in(inner, item, f"{path}[{number}]")


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


def _item(kind: inspect.Type) -> inspect.Type | None:
    for option in _options(kind):
        if isinstance(option, inspect.ListType | inspect.VarTupleType):
            return option.item_type
    return None


def _one_of(choices: tuple[str, ...]) -> str:
    *first, last = choices or ("another value",)
    return f"{', '.join(first)} or {last}" if first else last


OptionalTarget: TypeAlias = Target | None

ELEMENT_REQUIRED = {"anyOf": [{"required": ["target"]}, {"required": ["selector"]}]}
"""Keywords of the schema of `ElementRequired` and its subclasses: which names they require cannot say otherwise."""


@attrs.frozen(kw_only=True)
class Targeted:
    """Parameters of a command that may work on an element: a target, or a CSS selector instead."""

    target: OptionalTarget = None
    selector: Annotated[str | None, Meta(description="CSS selector, in place of target.")] = None

    @property
    def element(self) -> OptionalTarget:
        """The given one, or None; `INVALID_PARAMS` for both."""
        if self.target is not None and self.selector is not None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "Give either target or selector, not both.",
                data={"parameters": ["target", "selector"]},
            )
        return self.selector if self.target is None else self.target

    @property
    def required_element(self) -> Target:
        """The given one; `INVALID_PARAMS` for both or neither."""
        found = self.element
        if found is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "An element is required: give target or selector.",
                hint="A plain string is a ref from a snapshot (e12) or a CSS selector.",
                data={"missing": "target"},
            )
        return found


@attrs.frozen(kw_only=True)
class ElementRequired(Targeted):
    """Parameters of a command that always works on an element: their schema says so."""


SnapshotMode = Literal["none", "diff", "full"]

MAX_TIMEOUT_MS = 600_000
_MOST_SHOWN_CHARS = 200
_TARGET_FIELDS = frozenset(field.name for field in attrs.fields(TargetSpec))


@attrs.frozen(kw_only=True)
class CommonArguments:
    """The arguments that every call may have besides the command's own parameters."""

    tabId: str | None = None  # noqa: N815  the name clients send
    timeout: float | UnsetType = UNSET
    snapshot: SnapshotMode | UnsetType = UNSET
    max_chars: Annotated[int, Meta(ge=1, le=MOST_CHARS)] | UnsetType = UNSET
    save_to: Annotated[str, Meta(min_length=1, max_length=500)] | UnsetType = UNSET


@attrs.frozen(kw_only=True)
class Arguments:
    """One call's decoded arguments. `given`: the arguments as they are meant, in JSON. `snapshot` None: the runner
    decides by what the client was shown. `max_chars` None: the default limit of answers; `save_to`: the name of a file
    for the whole answer."""

    params: Any
    given: Mapping[str, Any]
    tab_id: str | None
    timeout_ms: float
    snapshot: SnapshotMode | None
    max_chars: int | None = None
    save_to: str | None = None

    @property
    def limit(self) -> int:
        """How many characters the answer may have, without its notes."""
        if self.save_to is not None:
            return MOST_SAVED_CHARS
        return DEFAULT_CHARS - NOTE_CHARS if self.max_chars is None else self.max_chars

    @property
    def whole(self) -> bool:
        """Whether long URLs and attributes are shown whole."""
        return self.max_chars is not None or self.save_to is not None

    def most(self, given: int | None, default: int, whole: int) -> int:
        """How many entries a list may have: the given number, or the default; all that are kept for a file."""
        return given if given is not None else whole if self.save_to is not None else default


def parameters_of(command: Command) -> frozenset[str]:
    """The names of all arguments that a call may have, the common ones included."""
    own = _own_parameters(command.params)
    return own | _common_arguments(own, of_tab=command.scope is Scope.TAB, shows_page=command.shows_page)


@cache
def _own_parameters(params: type) -> frozenset[str]:
    return frozenset(field.name for field in attrs.fields(params))


@cache
def _common_arguments(own: frozenset[str], *, of_tab: bool, shows_page: bool) -> frozenset[str]:
    """The common arguments that a command takes, without those that its own parameters have the names of."""
    names = ["timeout", "max_chars", "save_to", *(["tabId"] if of_tab else []), *(["snapshot"] if shows_page else [])]
    return frozenset(names) - own


def decode_arguments(command: Command, arguments: Mapping[str, Any]) -> Arguments:
    """Separate the common arguments and decode the rest; `INVALID_PARAMS` if they are invalid."""
    if where := infinite(arguments):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            Wording(f"{argument(command.name, where)} must be a finite number."),
            data={"parameter": where},
        )
    own = _own_parameters(command.params)
    common = _common_arguments(own, of_tab=command.scope is Scope.TAB, shows_page=command.shows_page)
    given, others = {}, {}
    for key, value in arguments.items():
        if key in own:
            given[key] = value
        elif key in common:
            others[key] = value
        else:
            raise _unknown(command, key, arguments, own | common)

    given, others = as_meant(given, command.params), as_meant(others, CommonArguments)
    shared = _convert(command, others, CommonArguments)
    params = _convert(command, given, command.params)
    if command.scope is Scope.TAB and "tabId" in common and not shared.tabId:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            Wording(f"{{{command.name}}} needs a tabId."),
            hint=Wording("{list_tabs} shows the connected tabs and their ids."),
            data={"missing": "tabId"},
        )
    timeout_ms = command.timeout_ms if shared.timeout is UNSET else shared.timeout
    if not 0 < timeout_ms <= MAX_TIMEOUT_MS:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            Wording(f"{{timeout}} is {timeout_ms:g} ms; it must be greater than 0 and at most {MAX_TIMEOUT_MS} ms."),
            data={"parameter": "timeout"},
        )
    return Arguments(
        params=params,
        given={**others, **given},
        tab_id=shared.tabId,
        timeout_ms=timeout_ms,
        snapshot=None if shared.snapshot is UNSET else shared.snapshot,
        max_chars=None if shared.max_chars is UNSET else shared.max_chars,
        save_to=None if shared.save_to is UNSET else shared.save_to,
    )


def missing_parameter(parameter: str, purpose: str) -> KaptureError:
    """`INVALID_PARAMS` for a parameter that is required only for a certain purpose: `set a cookie`."""
    return KaptureError(
        ErrorCode.INVALID_PARAMS, Wording(f"{{{parameter}}} is required to {purpose}."), data={"missing": parameter}
    )


def _convert(command: Command, arguments: dict[str, Any], into: type) -> Any:
    if unknown := unknown_name(arguments, into):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            Wording(f"{argument(command.name, unknown.path)} has no field {{name}}.", name=repr(unknown.name[:60])),
            hint=did_you_mean(unknown.name, unknown.known) or f"Its fields are: {', '.join(unknown.known)}.",
            data={"parameter": unknown.path, "known": sorted(unknown.known)},
        )
    try:
        return msgspec.convert(arguments, into)
    except msgspec.ValidationError as error:
        message, hint = described(command.name, str(error), into)
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, message, hint=hint or _usage(command), data={"command": command.name}
        ) from error


def _unknown(command: Command, key: str, arguments: Mapping[str, Any], known: frozenset[str]) -> KaptureError:
    hint = _inside_target(key, arguments, known) or did_you_mean(key, tuple(known)) or _usage(command, known)
    return KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"{command.name} has no parameter {key[:60]!r}.",
        hint=hint,
        data={"parameter": key, "known": sorted(known)},
    )


def _inside_target(key: str, arguments: Mapping[str, Any], known: frozenset[str]) -> str:
    """Where a target's fields belong that were given beside it; empty if `key` is none of them."""
    if "target" not in known or key not in _TARGET_FIELDS:
        return ""
    fields = {name: value for name, value in arguments.items() if name in _TARGET_FIELDS and name not in known}
    written = msgspec.json.encode(fields).decode()
    return f"Give it in target: {written}." if len(written) <= _MOST_SHOWN_CHARS else "Give it in target."


def _usage(command: Command, common: frozenset[str] = frozenset()) -> str | Wording:
    names = [
        field.name if field.default is attrs.NOTHING else f"[{field.name}]" for field in attrs.fields(command.params)
    ]
    if names:
        names += [f"[{field.name}]" for field in attrs.fields(CommonArguments) if field.name in common]
    return (
        Wording("Its parameters are: {usage}.", usage=", ".join(names))
        if names
        else "It takes no parameters of its own."
    )
