"""Converts `key=value` arguments of a command line to JSON, by the types in the command's JSON Schema."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kapture.errors import ErrorCode, KaptureError

_REF = re.compile(r"(f\d+)?e\d+", re.ASCII)
_KEY = re.compile(r"[\w-]+:?")
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


def parse_arguments(words: Iterable[str], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments. `key:=JSON` is JSON whatever the schema says; a repeated key makes a list.

    A bare ref is the target, for a command that takes one.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    arguments: dict[str, Any] = {}
    for word in words:
        if _REF.fullmatch(word) and "target" in properties and "target" not in arguments:
            arguments["target"] = {"ref": word}
            continue
        key, separator, value = word.partition("=")
        if not separator or not _KEY.fullmatch(key):
            raise _wrong(f"{word!r} is not of the form key=value.", _how_to_write(word, schema))
        if key.endswith(":"):
            key, parsed = key[:-1], _json(key[:-1], value)
        else:
            kind = properties.get(key, {})
            types = _types(kind)
            # A parameter that takes one text or several gets one; if the key is repeated, several.
            listed = types == {"array"} and not value.lstrip().startswith("[")
            parsed = [_typed(key, value, kind.get("items", {}))] if listed else _typed(key, value, kind)
        if key in arguments:
            arguments[key] = [*_as_list(arguments[key]), *_as_list(parsed)]
        else:
            arguments[key] = parsed
    return arguments


def with_absolute_paths(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with absolute `paths`: the hub runs in another folder."""
    paths = arguments.get("paths", ())
    return {**arguments, "paths": [str(Path(path).absolute()) for path in _as_list(paths)]} if paths else {**arguments}


def with_format_of(output: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the `format` by which the output file is named, if the command has it: `page.webp`."""
    suffix = Path(output).suffix.removeprefix(".").lower()
    wanted = {"jpg": "jpeg"}.get(suffix, suffix)
    known = schema.get("properties", {}).get("format", {}).get("enum", ())
    return {"format": wanted, **arguments} if wanted in known else {**arguments}


def _how_to_write(word: str, schema: Mapping[str, Any]) -> str:
    """The word with the name of the first parameter that is required, or with that of the target."""
    required = [*schema.get("required", ()), *(name for name in ("target",) if name in schema.get("properties", ()))]
    return f"Write {required[0]}={shlex.quote(word)}." if required else "Write text='two words' or count=3."


def _typed(key: str, value: str, schema: Mapping[str, Any]) -> Any:
    """The value, as the first type of the schema that it can be converted to."""
    types = _types(schema)
    if not types:
        return _guess(value)
    text = value.strip()
    if text[:1] in ("{", "[") and types & {"object", "array"}:
        return _json(key, value)
    if "integer" in types or "number" in types:
        number = _number(text)
        if number is not None and ("number" in types or isinstance(number, int)):
            return number
    if "boolean" in types and text.lower() in (_TRUE | _FALSE):
        return text.lower() in _TRUE
    if "null" in types and text == "null":
        return None
    if "string" in types:
        return value
    wanted = " or ".join(sorted(types))
    raise _wrong(f"{key} is {value!r}; it must be of type {wanted}.", "")


def _types(schema: Mapping[str, Any]) -> set[str]:
    """The JSON types that a schema allows; empty: any."""
    if "type" in schema:
        named = schema["type"]
        return {named} if isinstance(named, str) else set(named)
    if "enum" in schema:
        return {_NAMES.get(type(value), "string") for value in schema["enum"]}
    found: set[str] = set()
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        found |= _types(part)
    return found


_NAMES: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def _guess(value: str) -> Any:
    """A parameter of any type, or an unknown one: JSON if it is valid JSON, otherwise text."""
    try:
        return json.loads(value)
    except ValueError:
        return value


def _json(key: str, value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError as error:
        raise _wrong(f"{key} is not JSON: {error}.", "Quote it for the shell: key='{\"a\": 1}'.") from error


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _wrong(message: str, hint: str) -> KaptureError:
    return KaptureError(ErrorCode.INVALID_PARAMS, message, hint=hint)
