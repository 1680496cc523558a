"""Tabs of remote clients, which execute commands themselves."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import trio

from kapture.backends.tab_connection import TabConnection, in_own_words
from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import Targeted
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError, UnknownCommand
from kapture.page.target import Target, TargetSpec

# Converts a command's arguments to the first specification's, for tabs that execute commands themselves.
#
# That specification names elements only by `selector`, a CSS selector.

if TYPE_CHECKING:
    from kapture.page.documents.read_gate import ReadGate


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


# Converts answers of tabs that execute commands themselves to the fields of the command's own answer.
#
# The first specification leaves the shape of most answers open. Profiles show fields: so an answer whose meaning is
# known is converted to them.

RETURN_VALUES = frozenset({"evaluate"})
"""The commands that answer with a value of the page, for which null is one too. For the others it means: done."""

_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", type(None): "undefined"}


def as_fields(command: str, value: Any) -> dict[str, Any] | None:
    """The answer's fields; None if it has none."""
    if command in RETURN_VALUES:
        if isinstance(value, dict) and "value" in value:
            return value
        return {"value": value, "type": _TYPES.get(type(value), "object")}
    if command == "logs":
        entries = value
        if isinstance(value, dict):
            entries = next((value[key] for key in ("entries", "logs") if isinstance(value.get(key), list)), None)
        if isinstance(entries, list):
            return {"entries": [_log_entry(entry) for entry in entries]}
    return value if isinstance(value, dict) else {} if value is None else None


def _log_entry(entry: Any) -> dict[str, Any]:
    if not isinstance(entry, dict):
        entry = {"text": entry}
    text = str(entry.get("text", entry.get("message", "")))
    level = str(entry.get("level", "log"))
    return {
        "source": "console",
        "location": "",
        "stack": "",
        **entry,
        "level": "warn" if level == "warning" else level,
        "timestamp": _iso(entry.get("timestamp", 0)),
        "text": text,
        "message": text,
    }


def _iso(time: Any) -> str:
    """A time in ISO 8601. Numbers are milliseconds since 1970, as in JavaScript."""
    if isinstance(time, str):
        try:
            return datetime.datetime.fromisoformat(time).isoformat()
        except ValueError:
            return _iso(0)
    try:
        seconds = float(time) / 1_000 if isinstance(time, int | float) else 0.0
        return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return _iso(0)


# Tabs that execute commands themselves, as in the first specification.
#
# They receive `{"type": "command", "command": "kapturemcp_click", "params": …}` and answer with any JSON value, which
# is passed on as untrusted.

_PREFIX = "kapturemcp_"
_COMMAND = r"(command|method|tool|action)s?"
_UNKNOWN = re.compile(
    rf"(unknown|unsupported|unrecogni[sz]ed|unhandled|invalid|bad|no such) {_COMMAND}\b"
    rf"|\b{_COMMAND}\b[^.,:;]{{0,80}}\b(is|was)? ?(not|n't) (found|known|supported|recogni[sz]ed|implemented)\b"
    r"|^not implemented\b",
    re.IGNORECASE,
)
_PICTURES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp", "R0lGOD": "image/gif"}
"""The beginnings of base64-encoded pictures, from the first bytes of their formats."""
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]+")
_DATA_URL = re.compile(r"data:([\w.+-]{1,80}/[\w.+-]{1,80})(?:;[\w=.+-]{1,80}){0,9};base64,([A-Za-z0-9+/_=\s-]*+)")


@attrs.frozen(kw_only=True)
class RemoteAnswer(Answer):
    """The tab's answer: `value` without images and files, which are `blobs`. `is_null`: it is the value null; else null
    means that there is no answer."""

    value: Any
    blobs: tuple[Blob, ...] = ()
    is_null: bool = False

    def text(self) -> str:
        """A string as it is, anything else as JSON; `done` if there is no answer."""
        if self.value is None and not self.is_null:
            return "done"
        if isinstance(self.value, str):
            return self.value
        return json.dumps(self.value, ensure_ascii=False)

    def parts(self) -> tuple[Blob, ...]:
        """The images and files."""
        return self.blobs


class RemoteBackend(TabConnection):
    """A tab that executes commands itself."""

    executes_itself = True

    async def serve(self, gate: ReadGate) -> None:
        """Wait until cancelled: the hub reads none of the tab's documents."""
        await trio.sleep_forever()

    async def probe(self) -> None:
        """Return when the tab answers a ping: the first specification has no command without effect."""
        answered = self.messages.upcoming
        self.ping()
        await answered.wait()

    async def run(self, call: TabContext) -> CallResult:
        """Have the tab run a command; its answer."""
        name = call.command.name
        params = remote_params(name, call.given, call.arguments.params)
        try:
            result = await self.request(_PREFIX + name, params, call.arguments.timeout_ms)
        except KaptureError as error:
            raise self._unknown(name) if _says_unknown(error) else in_own_words(error) from error
        value, blobs = split_blobs(result, name=str(call.given.get("name", name)), picture=name == "screenshot")
        if isinstance(value, dict):
            url, title = value.get("url"), value.get("title")
            if isinstance(url, str) and call.command.acts:
                self.url = url
                self.title = title if isinstance(title, str) else self.title
                self.listener.changed()
        returns_value = name in RETURN_VALUES
        answer = RemoteAnswer(value=value, blobs=blobs, is_null=returns_value and result is None)
        fields = as_fields(name, value)
        return CallResult(
            answer=answer,
            text=answer.text(),
            data={"result": value} if fields is None else fields,
            parts=blobs,
            untrusted=True,
            url=self.url,
            has_fields=fields is not None and (value is not None or returns_value),
        )

    def _unknown(self, name: str) -> KaptureError:
        return KaptureError(
            ErrorCode.UNKNOWN_COMMAND,
            f"Tab {self.tab_id} executes commands itself and does not know {name}.",
            hint="Use another command, or a tab of a browser with the Kapture extension.",
            data={"tabId": self.tab_id, "command": name},
        )


def _says_unknown(error: KaptureError) -> bool:
    """Whether the error means that the tab does not know the command. The first specification has no code for it."""
    if isinstance(error, UnknownCommand):
        return True
    return isinstance(error, ExecutionFailed) and _UNKNOWN.search(error.message) is not None


def split_blobs(value: Any, *, name: str, picture: bool = False) -> tuple[Any, tuple[Blob, ...]]:
    """Take `data:` URLs out of an answer, if it is one or has some as values of its keys.

    `picture`: the answer is one, so that plain base64 of an image is taken too.
    """
    if isinstance(value, str) and (blob := _blob(value, name, picture)):
        return None, (blob,)
    if not isinstance(value, dict):
        return value, ()
    rest, blobs = {}, []
    for key, held in value.items():
        if isinstance(held, str) and (blob := _blob(held, name, picture)):
            blobs.append(blob)
        else:
            rest[key] = held
    return rest, tuple(blobs)


def _blob(text: str, name: str, picture: bool) -> Blob | None:
    if text.startswith("data:") and (found := _DATA_URL.fullmatch(text)) is not None:
        return Blob(base64=found[2], mime_type=found[1], name=name)
    if picture:
        for start, mime_type in _PICTURES.items():
            if text.startswith(start) and _BASE64.fullmatch(text.rstrip().rstrip("=")):
                return Blob(base64=text, mime_type=mime_type, name=name)
    return None
