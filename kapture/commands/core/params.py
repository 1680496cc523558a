"""Decodes arguments (JSON) into a command's parameter class, with errors that say what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import attrs
import msgspec
from msgspec import UNSET, UnsetType

from kapture.commands.core.registry import Command, Scope
from kapture.commands.core.wrong_arguments import (
    argument,
    described,
    did_you_mean,
    infinite,
    unknown_name,
    with_numbers_as_text,
    without_empty,
)
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.target import TargetSpec

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


@attrs.frozen(kw_only=True)
class Arguments:
    """One call's decoded arguments. `snapshot` None: the runner decides by what the client was shown."""

    params: Any
    tab_id: str | None
    timeout_ms: float
    snapshot: SnapshotMode | None


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
    names = ["timeout", *(["tabId"] if of_tab else []), *(["snapshot"] if shows_page else [])]
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

    shared = _convert(command, others, CommonArguments)
    params = _convert(command, with_numbers_as_text(given, command.params), command.params)
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
        tab_id=shared.tabId,
        timeout_ms=timeout_ms,
        snapshot=None if shared.snapshot is UNSET else shared.snapshot,
    )


def missing_parameter(parameter: str, purpose: str) -> KaptureError:
    """`INVALID_PARAMS` for a parameter that is required only for a certain purpose: `set a cookie`."""
    return KaptureError(
        ErrorCode.INVALID_PARAMS, Wording(f"{{{parameter}}} is required to {purpose}."), data={"missing": parameter}
    )


def _convert(command: Command, given: Mapping[str, Any], into: type) -> Any:
    arguments = without_empty(dict(given), into)
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
