"""Parameters as JSON Schema, from which forms are made and against which input is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UnsetType

from kapture.scenarios.model import Parameter

_LENGTHS = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}


def parameter_schema(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """The schema of an object with exactly these properties."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _schema(parameter) for name, parameter in parameters.items()},
        "additionalProperties": False,
    }
    if required := [name for name, parameter in parameters.items() if parameter.must_be_given]:
        schema["required"] = required
    return schema


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": parameter.type}
    if parameter.properties is not None:
        schema |= parameter_schema(parameter.properties) | {"additionalProperties": True}
    if parameter.items is not None:
        schema["items"] = _schema(parameter.items)
    if parameter.pattern is not None:
        schema["pattern"] = f"^(?:{parameter.pattern})$"  # a parameter's must match the whole text
    for key, limit in zip(_LENGTHS.get(parameter.type, ()), (parameter.min_length, parameter.max_length), strict=False):
        if limit is not None:
            schema[key] = limit
    for key in ("description", "enum", "minimum", "maximum"):
        if (value := getattr(parameter, key)) not in (None, ""):
            schema[key] = value
    if not isinstance(parameter.default, UnsetType):
        schema["default"] = parameter.default
    if not isinstance(parameter.example, UnsetType):
        schema["examples"] = [parameter.example]
    return schema
