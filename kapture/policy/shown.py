"""What a person is shown of a step before allowing it: the code, the address, the files, the CDP command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import attrs

from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Command
from kapture.errors import KaptureError
from kapture.page.documents.read_gate import origin_of
from kapture.policy import arguments
from kapture.policy.decision import Request
from kapture.policy.escaped import escaped, escaped_address
from kapture.policy.question import Shown

MAX_CHARACTERS = 20_000
"""The limit of one part. Longer parts are truncated, and say so."""


def shown_of(request: Request) -> Sequence[Shown]:
    """What this call would do, and in which frames, if it needs frames outside the grant."""
    frames = (Shown("In a frame of", origin_of(frame)) for frame in request.frames)
    if request.shown is not None:
        return (*frames, *(Shown(_name(name), _cut(_plain(value))) for name, value in request.shown.items()))
    return (*frames, *_arguments(request.command, request.params, request.url))


def _arguments(command: Command, params: Any, url: str) -> Sequence[Shown]:
    """The parts for one command. Relative addresses are resolved against `url`."""
    if params is None:
        return ()
    if command.name in arguments.EVALUATES:
        return (Shown("Code", _cut(params.code)),)
    if command.name == "cdp":
        return (Shown("CDP method", escaped(params.method)), Shown("Parameters", _cut(_json(params.params))))
    if command.name in arguments.UPLOADS:
        return (Shown("Files", _cut("\n".join(params.paths))),)
    parts = []
    for field in attrs.fields(type(params)):
        value = getattr(params, field.name)
        if value == field.default or value is None:
            continue
        if field.name in arguments.ADDRESSES.get(command.name, ()):
            parts.append(Shown("Address", _cut(_address(value, url))))
        else:
            parts.append(Shown(_name(field.name), _cut(_plain(value))))
    return tuple(parts)


def _name(argument: str) -> str:
    return escaped(argument.replace("_", " ").capitalize())


def _address(text: str, base: str) -> str:
    """The whole address, as the browser gets it."""
    try:
        return escaped_address(destination(text, base=base, may_open=lambda _: True).url)
    except KaptureError:
        return text


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if attrs.has(type(value)):
        return ", ".join(f"{name}: {_plain(part)}" for name, part in _given(value).items())
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(
        value, indent=2, ensure_ascii=False, default=lambda one: _given(one) if attrs.has(type(one)) else str(one)
    )


def _given(value: Any) -> dict[str, Any]:
    """The fields of an attrs object that differ from their defaults."""
    fields = attrs.fields(type(value))
    return {field.name: part for field in fields if (part := getattr(value, field.name)) != field.default}


def _cut(text: str) -> str:
    left = len(text) - MAX_CHARACTERS
    shown = escaped(text[:MAX_CHARACTERS])
    return shown if left <= 0 else f"{shown}\n… {left} more characters are not shown."
