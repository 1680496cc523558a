"""The messages of a CDP connection: commands of a script in; replies and events out, in order and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import attrs
import msgspec

from kapture.backends.backend import TabDocuments
from kapture.backends.outbox import Outbox, Socket
from kapture.cdp import CdpError, CdpSession
from kapture.errors import KaptureError
from kapture.page.documents.frames import SessionDocuments
from kapture.page.documents.read_gate import EVERY_SITE, ReadGate, names_no_site
from kapture.wire.codec import MAX_MESSAGE_BYTES, decode_with

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
SERVER_ERROR = -32000
SESSION_NOT_FOUND = -32001
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
RUNS_CODE = frozenset({"Runtime.evaluate", "Runtime.callFunctionOn", "Runtime.runScript", "Runtime.awaitPromise"})
"""Methods whose result is that of code."""


class Command(msgspec.Struct):
    """A command. `session_id` None: the browser itself."""

    id: int
    method: str
    params: dict[str, Any]
    session_id: str | None


class _Sent(msgspec.Struct, rename="camel"):
    """A command as it comes: the browser takes `params: null`, which some languages' libraries send, too."""

    id: int
    method: str
    params: dict[str, Any] | None = None
    session_id: str | None = None


class _Numbered(msgspec.Struct):
    id: int


_SENT = msgspec.json.Decoder(_Sent)
_NUMBERED = msgspec.json.Decoder(_Numbered)


class MalformedCommandError(Exception):
    """A message that is not a command. `answer` is what the script gets, with its `id` if it has one."""

    def __init__(self, code: int, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.answer: dict[str, Any] = {"error": {"code": code, "message": message}}
        if number is not None:
            self.answer["id"] = number


def decode(frame: str | bytes) -> Command:
    """Decode the command in a frame; raises `MalformedCommandError`."""
    try:
        sent = decode_with(_SENT, frame)
    except msgspec.ValidationError as error:
        number = None
        with suppress(msgspec.MsgspecError, RecursionError):
            number = _NUMBERED.decode(frame).id
        raise MalformedCommandError(INVALID_REQUEST, f"This is not a command: {error}", number) from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedCommandError(PARSE_ERROR, f"This is not JSON: {error}") from error
    return Command(sent.id, sent.method, sent.params or {}, sent.session_id)


class Replies:
    """The messages to one script. `on_overflow` is called when it reads too slowly.

    `limit_bytes` of events may wait, and results until they are more than a message may be: a script has asked for
    these, and they are large together where it asks for several screenshots, or for all of a page's sources, at once.
    """

    def __init__(self, limit_bytes: int, on_overflow: Callable[[], None]) -> None:
        self._outbox = Outbox(limit_bytes)
        self._limit_bytes = limit_bytes
        self._on_overflow = on_overflow

    @property
    def room(self) -> float:
        """How much more may wait, as a part of the limit: 1 for a script that has read all events."""
        return 1 - self._outbox.limited_bytes / self._limit_bytes

    async def write_to(self, socket: Socket) -> None:
        """Send queued messages until cancelled or `ConnectionClosed`."""
        await self._outbox.write_to(socket)

    async def flushed(self) -> None:
        """Wait until everything queued has been sent."""
        await self._outbox.flushed()

    def resolve(self, command: Command, result: Mapping[str, Any]) -> None:
        """Send the command's result; an error if it is larger than a message may be."""
        frame = _frame({"id": command.id, "result": result}, command.session_id)
        if len(frame) > MAX_MESSAGE_BYTES:
            self._too_large(command)
        elif self._outbox.buffered_bytes > MAX_MESSAGE_BYTES:
            self._overflow()
        else:
            self._outbox.put(frame.decode(), limited=False)

    def _too_large(self, command: Command) -> None:
        """Refuse a result. Code has thrown that as an error: of any other failure of it Playwright says that the page
        navigated."""
        text = f"The result is larger than {MAX_MESSAGE_BYTES} bytes. Ask for less."
        if command.method in RUNS_CODE:
            error = {"type": "object", "subtype": "error", "className": "Error", "description": f"Error: {text}"}
            details = {"exceptionId": 0, "text": text, "lineNumber": 0, "columnNumber": 0, "exception": error}
            self.resolve(command, {"result": error, "exceptionDetails": details})
        else:
            self.refuse(command, text, SERVER_ERROR)

    def fail(self, command: Command, error: KaptureError) -> None:
        """Send the command's error: the browser's message and code, or Kapture's with its hint."""
        if "limitBytes" in error.data:  # the extension could not send it
            self._too_large(command)
        elif isinstance(error, CdpError):
            self.refuse(command, error.reason, error.cdp_code, error.cdp_data or None)
        else:
            self.refuse(command, error.explanation, SERVER_ERROR, error.code.value)

    def refuse(self, command: Command, message: str, code: int, data: str | None = None) -> None:
        """Send an error as the protocol defines it."""
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        self._put(_frame({"id": command.id, "error": error}, command.session_id))

    def malformed(self, error: MalformedCommandError) -> None:
        """Send the answer to a message that is not a command."""
        self._put(_frame(error.answer, None))

    def event(self, method: str, params: Mapping[str, Any], session_id: str | None) -> None:
        """Send an event of a session, or of the browser."""
        self._put(_frame({"method": method, "params": params}, session_id))

    def _put(self, frame: bytes) -> None:
        try:
            self._outbox.put(frame.decode())
        except KaptureError:
            self._overflow()

    def _overflow(self) -> None:
        self._outbox.close()
        self._on_overflow()


def _frame(message: dict[str, Any], session_id: str | None) -> bytes:
    return msgspec.json.encode(message if session_id is None else {**message, "sessionId": session_id})


CONTEXT_ID = "kapture"
"""The one browser context."""
BROWSER_TARGET_ID = "kapture-browser"


def browser_info() -> dict[str, Any]:
    """`TargetInfo` of the browser."""
    return {
        "targetId": BROWSER_TARGET_ID,
        "type": "browser",
        "title": "",
        "url": "",
        "attached": True,
        "canAccessOpener": False,
    }


@attrs.frozen(kw_only=True)
class PageTarget:
    """A tab's page. `target_id` is the browser's, and also the id of its main frame; `opener` is another target's
    id."""

    tab_id: str
    target_id: str
    url: str
    title: str
    opener: str | None = None

    @property
    def tab_target_id(self) -> str:
        """The id of the `tab` target around the page."""
        return f"tab-{self.target_id}"

    def id_of(self, kind: str) -> str:
        """The id of the target of this type, `page` or `tab`."""
        return self.target_id if kind == "page" else self.tab_target_id

    def info(self, kind: str, *, attached: bool) -> dict[str, Any]:
        """`TargetInfo` of the page or of the tab around it."""
        info: dict[str, Any] = {
            "targetId": self.id_of(kind),
            "type": kind,
            "title": self.title,
            "url": self.url,
            "attached": attached,
            "canAccessOpener": False,
            "browserContextId": CONTEXT_ID,
        }
        if self.opener is not None and kind == "page":
            info["openerId"] = self.opener
        return info


class ScriptDocuments:
    """The documents of one session. An unknown document is not granted.

    `target_id` is that of a frame or worker with a session of its own; None: the tab's page. `before`: the gate, while
    the tab has not had a document yet.
    """

    def __init__(
        self,
        tab: Callable[[], TabDocuments | None],
        target_id: str | None = None,
        before: Callable[[], ReadGate | None] = lambda: None,
    ) -> None:
        self._tab = tab
        self._target_id = target_id
        self._before = before

    @property
    def any_site(self) -> bool:
        """Whether the tab is granted any site, policy closes none, and its current documents are web pages."""
        if (gate := self._before()) is not None:
            return gate(EVERY_SITE)
        now = self._now()
        return now is not None and now.any_site

    @property
    def top_granted(self) -> bool:
        """Whether the outermost document of the session is granted."""
        now = self._now()
        return now is not None and now.top_granted

    @property
    def all_granted(self) -> bool:
        """Whether every document of the session is granted."""
        now = self._now()
        return now is not None and now.all_granted

    def covers(self, url: str) -> bool:
        """Whether the grant covers a URL that identifies a site."""
        if (gate := self._before()) is not None:
            return not names_no_site(url) and gate(url)
        now = self._now()
        return now is not None and now.covers(url)

    def frame_granted(self, frame_id: object) -> bool:
        """Whether the document of the frame with this CDP id is granted."""
        now = self._now()
        return now is not None and now.frame_granted(frame_id)

    def context_granted(self, context: object) -> bool:
        """Whether an execution context is the main world of a granted document."""
        now = self._now()
        return now is not None and now.context_granted(context)

    def unique_context(self, context: object | None) -> str | None:
        """The unique id of an execution context, or of the outermost document's main world; None if there is none."""
        now = self._now()
        return None if now is None else now.unique_context(context)

    def object_granted(self, object_id: object) -> bool:
        """Whether a remote object belongs to the main world of a granted document."""
        now = self._now()
        return now is not None and now.object_granted(object_id)

    def _now(self) -> SessionDocuments | None:
        tab = self._tab()
        if tab is None:
            return None
        return SessionDocuments(tab.frames, tab.gate, self._session(tab))

    def _session(self, tab: TabDocuments) -> CdpSession:
        """The hub's own session for the same documents; execution contexts have the same ids in every session."""
        main = tab.frames.main
        if self._target_id is None:
            return main.session
        frame = tab.frames.by_id(self._target_id)
        if frame is not None and frame.session is not main.session:
            return frame.session
        return CdpSession(main.session.connection, self._target_id)  # an empty session: no document of it is known
