"""Tabs that execute commands themselves, as the first specification has it.

They receive `{"type": "command", "command": "kapturemcp_click", "params": …}` and answer with any JSON value. What
they say is theirs: it is passed on as untrusted.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import attrs
import trio

from kapture.backends.backend import BackendCall
from kapture.backends.tab_connection import TabConnection
from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.result import CallResult

if TYPE_CHECKING:
    from kapture.page.read_gate import ReadGate

_PREFIX = "kapturemcp_"
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,([A-Za-z0-9+/_=\s-]*)")


@attrs.frozen(kw_only=True)
class RemoteAnswer(Answer):
    """Whatever the tab answered: `value` without the images and files, which are `blobs`."""

    value: Any
    blobs: tuple[Blob, ...] = ()

    def text(self) -> str:
        """A text as it is, anything else as JSON; nothing for null."""
        if self.value is None:
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
        """There is nothing to do: the hub reads none of the tab's documents."""
        await trio.sleep_forever()

    async def run(self, call: BackendCall) -> CallResult:
        """Have the tab run a command."""
        params = dict(call.arguments)
        if isinstance(params.get("target"), str) and "selector" not in params:
            params["selector"] = params.pop("target")  # the name that the first specification has
        result = await self.request(_PREFIX + call.command.name, params, call.timeout_ms)
        value, blobs = split_blobs(result, name=str(call.arguments.get("name", call.command.name)))
        if isinstance(value, dict):
            url, title = value.get("url"), value.get("title")
            if isinstance(url, str) and call.command.acts:
                self.url = url
                self.title = title if isinstance(title, str) else self.title
                self.on_address()
        answer = RemoteAnswer(value=value, blobs=blobs)
        data = value if isinstance(value, dict) else {} if value is None else {"result": value}
        return CallResult(answer=answer, text=answer.text(), data=data, parts=blobs, untrusted=True, url=self.url)


def split_blobs(value: Any, *, name: str) -> tuple[Any, tuple[Blob, ...]]:
    """Take `data:` URLs out of an answer, at the top or as values of an object's keys."""
    if isinstance(value, str) and (blob := _blob(value, name)):
        return None, (blob,)
    if not isinstance(value, dict):
        return value, ()
    rest, blobs = {}, []
    for key, held in value.items():
        if isinstance(held, str) and (blob := _blob(held, name)):
            blobs.append(blob)
        else:
            rest[key] = held
    return rest, tuple(blobs)


def _blob(text: str, name: str) -> Blob | None:
    if not text.startswith("data:") or (found := _DATA_URL.fullmatch(text)) is None:
        return None
    return Blob(base64=found[2], mime_type=found[1], name=name)
