"""Validates arguments against the input schema of a page's tool, before anything runs.

Schemas come from the page: one may be invalid, recurse without end, or have patterns that take very long to match. So
the work is counted, nothing is fetched, and patterns, which are JavaScript's, are matched in the page within a time
limit. Messages quote nothing of a schema but the names of its parameters.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from kapture.cdp import CdpError, Refusal
from kapture.errors import ErrorCode, KaptureError
from kapture.page.documents.frame import Frame
from kapture.page.page_tools import PageTool

Matches: TypeAlias = Callable[[str, str], bool]
"""Whether a JavaScript pattern is found in a text."""

MOST_STEPS = 20_000
"""The limit of schema keywords applied for one call."""
_MOST_CPU_S = 0.3
_MOST_PROBLEMS = 5
_PATTERN_TIMEOUT_MS = 2_000
_NAME = re.compile(r"[\w.$-]{1,64}")
_UNCHECKED = ("unevaluatedItems", "unevaluatedProperties", "$dynamicRef", "format")

_TYPES = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}
_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
    "minItems": "a list of at least {} entries",
    "maxItems": "a list of at most {} entries",
    "minProperties": "an object of at least {} entries",
    "maxProperties": "an object of at most {} entries",
}


class UnusableSchema(Exception):  # noqa: N818  it is the page's, not an error of ours
    """The schema cannot be used to validate arguments; the message says why."""


async def check_arguments(tool: PageTool, arguments: Mapping[str, Any]) -> None:
    """Check that the tool can be called with these arguments; `INVALID_PARAMS`, or `UNSUPPORTED` for its schema."""
    try:
        if tool.problem:
            raise UnusableSchema(tool.problem)
        if tool.schema is None:
            return
        problems = problems_of(tool.schema, arguments, await _matches(tool.frame, tool.schema, arguments))
    except UnusableSchema as reason:
        raise KaptureError(
            ErrorCode.UNSUPPORTED,
            f"The arguments of the page's tool {tool.name!r} cannot be checked: its schema is unusable, {reason}.",
            hint="Use the page's own controls instead.",
            data={"tool": tool.name},
            quotes_page=True,
        ) from None
    if problems:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"The arguments do not fit the page's tool {tool.name!r}, which has not been called. {' '.join(problems)}",
            hint="page_tools shows its schema.",
            data={"tool": tool.name, "problems": problems},
            quotes_page=True,
        )


def problems_of(schema: Mapping[str, Any], arguments: Mapping[str, Any], matches: Matches) -> list[str]:
    """Return the defects, one sentence each; `UnusableSchema` if the schema is invalid."""
    from jsonschema import Draft202012Validator, SchemaError, validators  # type: ignore[import-untyped]
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    steps = iter(range(MOST_STEPS))
    until = time.thread_time() + _MOST_CPU_S

    def counted(check: Any) -> Any:
        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            if next(steps, None) is None or time.thread_time() > until:
                raise UnusableSchema("it takes too long to check")
            yield from check(validator, value, instance, schema) or ()

        return checked

    own = {**_own_checks(matches), **dict.fromkeys(_UNCHECKED, lambda *_: ())}
    checks = {name: counted(own.get(name, check)) for name, check in Draft202012Validator.VALIDATORS.items()}
    try:
        Draft202012Validator.check_schema(schema, format_checker=None)
        checker = validators.extend(Draft202012Validator, checks)(schema, registry=Registry())
        found = [sentence for error in checker.iter_errors(arguments) for sentence in _sentences(error)]
    except SchemaError as error:
        raise UnusableSchema(f"{error.json_path} is not as JSON Schema wants it") from None
    except Unresolvable:
        raise UnusableSchema("it refers to something that is not in it") from None
    except RecursionError:
        raise UnusableSchema("it refers to itself without end") from None
    unique = list(dict.fromkeys(found))
    return [
        *unique[:_MOST_PROBLEMS],
        *([f"{len(unique) - _MOST_PROBLEMS} more."] if len(unique) > _MOST_PROBLEMS else []),
    ]


def _own_checks(matches: Matches) -> dict[str, Any]:
    """Checks in place of the library's own, which match patterns as Python, or compare every item with every other."""
    from jsonschema import ValidationError

    def pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
        if isinstance(instance, str) and not matches(pattern, instance):
            yield ValidationError("pattern")

    def pattern_properties(validator: Any, patterns: Mapping[str, Any], instance: Any, schema: Any) -> Iterator[Any]:
        for pattern, inner in patterns.items() if isinstance(instance, dict) else ():
            for name, value in instance.items():
                if matches(pattern, name):
                    yield from validator.descend(value, inner, path=name, schema_path=pattern)

    def additional(validator: Any, more: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
        if not isinstance(instance, dict):
            return
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name in known or any(matches(pattern, name) for pattern in patterns):
                continue
            if more is False:
                yield ValidationError("unknown", path=[name])
            elif isinstance(more, dict):
                yield from validator.descend(value, more, path=name)

    def unique(validator: Any, wanted: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if wanted and isinstance(instance, list):
            texts = {json.dumps(item, sort_keys=True) for item in instance}
            if len(texts) < len(instance):
                yield ValidationError("uniqueItems")

    return {
        "pattern": pattern,
        "patternProperties": pattern_properties,
        "additionalProperties": additional,
        "uniqueItems": unique,
    }


def _sentences(error: Any) -> Iterator[str]:
    """An error as sentences, with the path of the value."""
    path = ".".join(str(part) for part in error.absolute_path)
    subject = path or "The object of arguments"
    keyword, wanted = error.validator, error.validator_value
    match keyword:
        case "required":
            for name in wanted:
                if name not in error.instance:
                    yield f"{'.'.join(filter(None, [path, _name(name)]))} is required."
        case "additionalProperties":
            yield f"{subject} is not a parameter." if error.message == "unknown" else f"{subject} does not fit."
        case "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            yield f"{subject} must be {' or '.join(_TYPES[one] for one in types)}."
        case "enum" | "const":
            yield f"{subject} must be one of the values that the schema lists."
        case _ if keyword in _BOUNDS:
            yield f"{subject} must be {_BOUNDS[keyword].format(wanted)}."
        case _:
            yield f"{subject} does not fit {keyword or 'the schema, which allows no value there'}."


def _name(name: str) -> str:
    """A parameter name of the page, if it looks like one."""
    return name if _NAME.fullmatch(name) else "a parameter with an unusual name"


async def _matches(frame: Frame, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Matches:
    """Every pattern of a schema, matched with every text of the arguments, by the page's JavaScript.

    An invalid pattern matches everything.
    """
    patterns, texts = sorted(set(_patterns(schema))), sorted(set(_texts(arguments)))
    if not patterns or not texts:
        return lambda *_: True
    context = await frame.context()
    frame.check_granted()
    script = (
        "((patterns, texts) => patterns.map((pattern) => { let is; try { is = new RegExp(pattern, 'u') } catch"
        " { return null } return texts.map((text) => is.test(text) ? 1 : 0) }))"
    )
    call = f"{script}({json.dumps(patterns)}, {json.dumps(texts)})"
    timeout = {"returnByValue": True, "timeout": _PATTERN_TIMEOUT_MS, "uniqueContextId": context.context_id}
    try:
        answer = await frame.renderer.send(
            context.session, "Runtime.evaluate", {"expression": call, **timeout}, context
        )
    except CdpError as error:
        if error.means(Refusal.SCRIPT_TERMINATED):
            raise UnusableSchema("its patterns take too long to match") from None
        raise
    rows = answer["result"].get("value")
    if not isinstance(rows, list):
        raise UnusableSchema("its patterns cannot be matched")
    found = {
        (pattern, text): hit
        for pattern, row in zip(patterns, rows, strict=True)
        if row is not None
        for text, hit in zip(texts, row, strict=True)
    }
    return lambda pattern, text: bool(found.get((pattern, text), True))


def _patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "pattern" and isinstance(value, str):
                yield value
            elif key == "patternProperties" and isinstance(value, dict):
                yield from value
            yield from _patterns(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _patterns(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def page_tool_count(count: int) -> str:
    """`3 page tools`."""
    return f"{count} page tool{'' if count == 1 else 's'}"
