"""The parts of a step that a person sees before allowing it: the code, the address, the files, the CDP command."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import attrs

from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Command
from kapture.errors import KaptureError
from kapture.page.documents.read_gate import origin_of
from kapture.policy import arguments
from kapture.policy.grant import parse
from kapture.policy.policy import Request
from kapture.policy.question import Shown

# Printable by their category, but drawn as nothing, or as a blank: fillers, variation selectors, and the like. From the
# property Default_Ignorable_Code_Point of Unicode, and the empty Braille pattern.
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
_DRAWN_AS_NOTHING = re.compile(f"[{_UNSEEN}]")

_STRIPPED = "".join(map(chr, range(0x21)))
_KEPT_IN_URL = "".join(map(chr, range(0x21, 0x7F)))


def escaped(text: str) -> str:
    """The text, with every character that is not visible as itself escaped: `‹U+202E›`. Line ends and tabs are kept."""
    if text.isprintable() and _DRAWN_AS_NOTHING.search(text) is None:
        return text
    return "".join(char if _is_seen(char) else f"‹U+{ord(char):04X}›" for char in text.replace("\r\n", "\n"))


def escaped_address(url: str) -> str:
    """An address as the browser gets it: its host in ASCII and without a user name before it, slashes for backslashes,
    other letters percent-encoded. Text that is no address of a site or a file is escaped."""
    address = parse(url)
    if address is None:
        return escaped(url)
    text = url.strip(_STRIPPED).translate(dict.fromkeys(map(ord, "\t\r\n")))
    scheme, _, rest = text.partition(":")
    if scheme.lower() == "blob":
        return f"blob:{escaped_address(rest)}"
    if address.scheme != "file":
        # As `parse` reads it, and not `urlsplit`: that takes a path after a backslash for a part of the host.
        before, after = re.fullmatch(r"([^?#]*)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
        _, slash, path = before.replace("\\", "/").lstrip("/").partition("/")
        text = f"{address.origin}{slash}{path}{after}"
    return quote(text, _KEPT_IN_URL, errors="replace")


def _is_seen(char: str) -> bool:
    return char in "\n\t" or (char.isprintable() and _DRAWN_AS_NOTHING.match(char) is None)


MAX_CHARACTERS = 20_000
"""The limit of one part. Longer parts are truncated, and say so."""


def shown_of(request: Request) -> Sequence[Shown]:
    """Describe the effect of this call, and its frames, if it needs frames outside the grant."""
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
