"""Schemas of common parameters, conversions of arguments, and shapes of answers, shared by the profiles' tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

import msgspec

from kapture.commands.core.answer import CallResult
from kapture.commands.core.schema import Schema
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.profiles.table import Param
from kapture.mcp.tool import Show, ShowContext


def text(description: str) -> Schema:
    """Schema of a string."""
    return {"type": "string", "description": description}


def flag(description: str) -> Schema:
    """Schema of a boolean."""
    return {"type": "boolean", "description": description}


def number(description: str) -> Schema:
    """Schema of a number."""
    return {"type": "number", "description": description}


def choice(description: str, *values: str) -> Schema:
    """Schema of one of these values."""
    return {"type": "string", "enum": list(values), "description": description}


def as_css(selector: str) -> dict[str, Any]:
    """A selector as a target."""
    return {"css": selector}


def as_ref(ref: str) -> dict[str, Any]:
    """A ref as a target."""
    return {"ref": ref}


def as_element(element: Mapping[str, Any]) -> dict[str, Any]:
    """`{ref}`, `{css}` or `{role, name?}` as a target; anything else is `INVALID_PARAMS`."""
    keys = frozenset(element)
    if keys not in _ELEMENT_KEYS or not all(isinstance(value, str) for value in element.values()):
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"element is {dict(element)!r}.",
            hint="It must be {ref}, {css}, or {role} with or without name.",
            data={"parameter": "element"},
        )
    return dict(element)


_ELEMENT_KEYS = frozenset(map(frozenset, ({"ref"}, {"css"}, {"role"}, {"role", "name"})))

TAB = Param(schema=text("Tab; default: the current one"), to="tabId")


def epoch_seconds(timestamp: str) -> int:
    """An ISO 8601 time as whole seconds since 1970."""
    return int(datetime.fromisoformat(timestamp).timestamp())


ErrorCodes: TypeAlias = Mapping[ErrorCode | tuple[ErrorCode, str], str]
"""A profile's names of errors: by code, or by code and reason (`data.reason`)."""

Fields = Mapping[str, str | tuple[str, Callable[[Any], Any]]]


def pick(data: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
    """The fields of an answer, renamed for a profile; missing ones are left out."""
    shaped: dict[str, Any] = {}
    for name, source in fields.items():
        key, turn = source if isinstance(source, tuple) else (source, None)
        value = data.get(key)
        if value is not None:
            shaped[name] = turn(value) if turn else value
    return shaped


def as_json(value: Any) -> str:
    """Compact JSON."""
    return msgspec.json.encode(value).decode()


def json_fields(fields: Fields) -> Show:
    """A formatter: a JSON object of these fields. An answer that has none of them, as a tab's that executes commands
    itself, stays as it is."""

    def show(result: CallResult, context: ShowContext) -> str | None:
        shaped = pick(result.data, fields)
        return as_json(shaped) if shaped or not result.data else None

    return show


def json_rows(key: str, fields: Fields, *, wrap: str = "") -> Show:
    """A formatter: a JSON array of the rows under `key`, each with these fields; in an object if `wrap` names its
    key."""

    def show(result: CallResult, context: ShowContext) -> str:
        rows = [pick(row, fields) for row in result.data.get(key, ())]
        return as_json({wrap: rows} if wrap else rows)

    return show


def json_constant(value: Any) -> Show:
    """A formatter that always returns the same value: the call did what it was asked to."""

    def show(result: CallResult, context: ShowContext) -> str:
        return as_json(value)

    return show
