"""Tabs that execute commands themselves, as in the first specification.

They receive `{"type": "command", "command": "kapturemcp_click", "params": …}` and answer with any JSON value, which is
passed on as untrusted.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import attrs
import trio

from kapture.backends.remote.remote_answers import RETURN_VALUES, as_fields
from kapture.backends.remote.remote_params import remote_params
from kapture.backends.tab_connection import TabConnection, in_own_words
from kapture.commands.core.answer import Answer, Blob, CallResult
from kapture.commands.core.context import TabContext
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError, UnknownCommand

if TYPE_CHECKING:
    from kapture.page.documents.read_gate import ReadGate

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
