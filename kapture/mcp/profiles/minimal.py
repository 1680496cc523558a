"""The `minimal` profile: four tools, TOON answers, one current tab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import toons

from kapture.commands.core.answer import CallResult
from kapture.errors import ErrorCode
from kapture.mcp.profiles.shapes import ErrorCodes, Fields, as_element, choice, epoch_seconds, flag, pick, text
from kapture.mcp.profiles.table import Param, Row
from kapture.mcp.tool import PlannedCall, Show, ShowContext

ERROR_CODES: ErrorCodes = {
    ErrorCode.COMMAND_TIMEOUT: "TIMEOUT",
    ErrorCode.ELEMENT_NOT_ACTIONABLE: "TIMEOUT",
    ErrorCode.REF_EXPIRED: "ELEMENT_NOT_FOUND",
    ErrorCode.TAB_NOT_FOUND: "NO_TAB",
    ErrorCode.TAB_DISCONNECTED: "NO_TAB",
    ErrorCode.NO_BACKEND: "NO_TAB",
}

_LOG: Fields = {"level": "level", "ts": ("timestamp", epoch_seconds), "text": "message"}


def _toon_fields(fields: Fields) -> Show:
    def show(result: CallResult, context: ShowContext) -> str | None:
        # A tab that executes commands itself may answer with none of them: its answer is shown as it is then.
        return toons.dumps(pick(result.data, fields)) or None

    return show


def _success(result: CallResult, context: ShowContext) -> str:
    effects = result.data.get("effects")
    facts: dict[str, Any] = {"success": True, **({"outcome": effects} if effects else {})}
    done = toons.dumps({**facts, "snapshotError": context.failed} if context.failed else facts)
    return done if context.after is None else f"{done}\n{context.after.text}"


def _logs(result: CallResult, context: ShowContext) -> str:
    return toons.dumps({"logs": [pick(entry, _LOG) for entry in reversed(result.data.get("entries", ()))]})


def _snapshot_after(arguments: Mapping[str, Any]) -> PlannedCall | None:
    return PlannedCall(command="snapshot", arguments={"format": "toon"}) if arguments.get("snapshot") else None


ROWS = (
    Row(
        name="snapshot",
        description="The page as a table of elements: ref, role, name, states.",
        command="snapshot",
        params={"start": Param(schema=text("start= of an earlier snapshot: what follows there"), to="start")},
        fixed={"format": "toon"},
    ),
    Row(
        name="navigate",
        description="Go to a URL.",
        command="navigate",
        params={"url": Param(schema=text("Where to"), to="url")},
        required=("url",),
        show=_toon_fields({"url": "url", "title": "title"}),
    ),
    Row(
        name="interact",
        description="Act on an element, press a key, or answer a dialog.",
        command={
            **{action: action for action in ("click", "type", "hover", "select", "press")},
            "accept_dialog": "handle_dialog",
            "dismiss_dialog": "handle_dialog",
        },
        choose="action",
        fixed_by_choice={"dismiss_dialog": {"accept": False}},
        params={
            "action": Param(
                schema=choice(
                    "What to do", "click", "type", "hover", "select", "press", "accept_dialog", "dismiss_dialog"
                )
            ),
            "element": Param(
                schema={
                    "type": "object",
                    "properties": {
                        "ref": text("From snapshot: e1"),
                        "css": text("CSS selector"),
                        "role": text("ARIA role"),
                        "name": text("Accessible name, with role"),
                    },
                    "description": "One of ref, css, role (with name); not for press and dialogs",
                },
                to="target",
                turn=as_element,
                only=("click", "type", "hover", "select", "press"),
                needed=("click", "hover", "select"),
            ),
            "text": Param(
                schema=text("For type, or a prompt"), to="text", only=("type", "accept_dialog"), needed=("type",)
            ),
            "key": Param(schema=text("For press: Enter, Control+a"), to="key", only=("press",), needed=("press",)),
            "value": Param(
                schema=text("For select: option's value or label"), to="value", only=("select",), needed=("select",)
            ),
            "snapshot": Param(schema=flag("Answer with the page afterwards")),
        },
        required=("action",),
        then=_snapshot_after,
        show=_success,
    ),
    Row(
        name="console",
        description="The latest console messages and errors, oldest first.",
        command="logs",
        show=_logs,
    ),
)
