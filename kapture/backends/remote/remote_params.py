"""Converts a command's arguments to the first specification's, for tabs that execute commands themselves.

That specification names elements only by `selector`, a CSS selector.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.commands.core.params import Targeted
from kapture.errors import ErrorCode, KaptureError
from kapture.page.target import Target, TargetSpec

FIRST_COMMANDS = frozenset(
    {"navigate", "go_back", "go_forward", "screenshot", "click", "hover", "fill", "select", "evaluate", "logs"}
)
"""The commands of the first specification, which every such tab knows."""

_NEED_ELEMENT = frozenset({"click", "hover", "fill", "select", "type", "upload"})
_NEED_NAME = frozenset({"screenshot"})


def remote_params(command: str, arguments: Mapping[str, Any], params: Any) -> dict[str, Any]:
    """The parameters to send for a call; `params` are its decoded arguments.

    `INVALID_PARAMS` if a required element is not named, `UNSUPPORTED` if it is named in a way that only Kapture's own
    engine understands.
    """
    sent = dict(arguments)
    if isinstance(params, Targeted):
        target = params.required_element if command in _NEED_ELEMENT else params.element
        sent.pop("target", None)
        if target is not None:
            sent["selector"] = selector_of(target)
    if command in _NEED_NAME:
        sent.setdefault("name", command)
    return sent


def selector_of(target: Target) -> str:
    """The CSS selector of a target; `UNSUPPORTED` if it is not named by one."""
    if isinstance(target, str):
        return target
    given = target.as_json()
    if target.css is not None and given.keys() <= {"css", "nth"} and not target.nth:
        return target.css  # the first match is what a selector means to such a tab
    if target.testId is not None and given.keys() == {"testId"}:
        escaped = target.testId.replace("\\", "\\\\").replace('"', '\\"')
        return f'[data-testid="{escaped}"]'
    raise KaptureError(
        ErrorCode.UNSUPPORTED,
        f"This tab executes commands itself and finds elements by CSS selector only, not by {_ways(target)}.",
        hint='Give a CSS selector: "#save", or {"css": "#save"}.',
        data={"target": given},
    )


def _ways(target: TargetSpec) -> str:
    return ", ".join(name for name in target.as_json() if name != "css") or "css"
