"""The parameters of a run: defaults filled in, types and limits checked before the first step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import UnsetType

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Parameter, Scenario
from kapture.scenarios.parameters.parameter_patterns import Fits, fits_of

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def bind(scenario: Scenario, given: Mapping[str, Any]) -> dict[str, Any]:
    """The value of every declared parameter; `INVALID_PARAMS` names one that is missing, unknown or invalid.

    It may wait for a process that matches patterns: call it in a thread.
    """
    for name in given:
        if name not in scenario.parameters:
            known = ", ".join(scenario.parameters) or "none"
            raise _refused(scenario, name, "there is no such parameter", f"The scenario's parameters: {known}.")
    values: dict[str, Any] = {}
    fits = fits_of(scenario.parameters, given)
    for name, parameter in scenario.parameters.items():
        if name in given:
            reason = misfit(parameter, given[name], "", fits)
            if reason:
                raise _refused(scenario, name, reason, parameter.description)
            values[name] = given[name]
        elif not isinstance(parameter.default, UnsetType):
            values[name] = parameter.default
        elif parameter.required:
            example = (
                "" if isinstance(parameter.example, UnsetType) else f"For example {json.dumps(parameter.example)}."
            )
            raise _refused(scenario, name, f"it is required ({parameter.type})", example or parameter.description)
        else:
            values[name] = None
    return values


def misfit(parameter: Parameter, value: Any, path: str, fits: Fits) -> str:
    """Why a value is invalid; "" if it is valid."""
    where = f"{path} " if path else ""
    if not isinstance(value, _TYPES[parameter.type]) or (isinstance(value, bool) and parameter.type != "boolean"):
        article = "an" if parameter.type[0] in "aeio" else "a"
        return f"{where}must be {article} {parameter.type}, not {_kind(value)}"
    if parameter.enum is not None and value not in parameter.enum:
        return f"{where}must be one of {', '.join(json.dumps(one, ensure_ascii=False) for one in parameter.enum)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if parameter.minimum is not None and value < parameter.minimum:
            return f"{where}must be at least {parameter.minimum:g}"
        if parameter.maximum is not None and value > parameter.maximum:
            return f"{where}must be at most {parameter.maximum:g}"
    if isinstance(value, str | list):
        unit = "characters" if isinstance(value, str) else "items"
        if parameter.min_length is not None and len(value) < parameter.min_length:
            return f"{where}must have at least {parameter.min_length} {unit}"
        if parameter.max_length is not None and len(value) > parameter.max_length:
            return f"{where}must have at most {parameter.max_length} {unit}"
    if isinstance(value, str) and parameter.pattern is not None and not fits(parameter.pattern, value):
        return f"{where}must match {parameter.pattern}"
    return _misfit_inside(parameter, value, path, fits)


def _misfit_inside(parameter: Parameter, value: Any, path: str, fits: Fits) -> str:
    if isinstance(value, dict):
        for name, inner in (parameter.properties or {}).items():
            if name in value:
                if reason := misfit(inner, value[name], f"{path}.{name}", fits):
                    return reason
            elif inner.must_be_given:
                return f"{path}.{name} is missing"
    if isinstance(value, list) and parameter.items is not None:
        for index, item in enumerate(value):
            if reason := misfit(parameter.items, item, f"{path}[{index}]", fits):
                return reason
    return ""


def from_text(parameter: Parameter | None, text: str) -> Any:
    """A value from a command line: text for strings, otherwise JSON, or the text if it is not JSON."""
    if parameter is not None and parameter.type == "string":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _kind(value: Any) -> str:
    for name in ("boolean", "string", "integer", "number", "object", "array"):
        if isinstance(value, _TYPES[name]):
            return name
    return "null"


def _refused(scenario: Scenario, name: str, reason: str, about: str) -> KaptureError:
    """`about` and most reasons are the file's words, which a stranger may have written."""
    return KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"Parameter {name!r} of scenario {scenario.name}: {reason}. {about}".rstrip(),
        hint="Pass a value that fits: list_scenarios shows the parameters.",
        data={"scenario": scenario.name, "parameter": name},
        quotes_page=True,
    )
