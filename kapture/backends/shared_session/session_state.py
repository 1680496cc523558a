"""What the browser reports only once in a session that several users share.

Where every user has a session of its own, the browser reports the objects that exist to each session that asks for
them. Here that is done for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

import attrs
import msgspec

from kapture.cdp.program import Json
from kapture.cdp.session_settings import SessionId

_MAX_OBJECTS = 5_000
_MAX_MESSAGES = 1_000
"""As many as V8 keeps (`V8ConsoleMessageStorage`)."""
_MAX_MESSAGE_BYTES = 4_000_000


@attrs.frozen
class _Kind:
    """Objects that the browser reports when they are created, or when `enable` asks for them.

    `key` is found in the parameters of both events; `list_in`: the events report several at once, in this parameter.
    """

    created: str
    key: Callable[[Json], object]
    removed: str = ""
    cleared: str = ""
    list_in: str = ""


_KINDS: Mapping[str, _Kind] = {
    "Runtime": _Kind(
        "Runtime.executionContextCreated",
        lambda params: params["context"]["id"] if "context" in params else params.get("executionContextId"),
        "Runtime.executionContextDestroyed",
        "Runtime.executionContextsCleared",
    ),
    "Debugger": _Kind(
        "Debugger.scriptParsed", lambda params: params["scriptId"], cleared="Runtime.executionContextsCleared"
    ),
    "CSS": _Kind(
        "CSS.styleSheetAdded",
        lambda params: params["header"]["styleSheetId"] if "header" in params else params.get("styleSheetId"),
        "CSS.styleSheetRemoved",
    ),
    "WebMCP": _Kind(
        "WebMCP.toolsAdded",
        lambda tool: (tool.get("frameId"), tool.get("name")),
        "WebMCP.toolsRemoved",
        list_in="tools",
    ),
}
REPORTED_ON_ENABLE = frozenset(_KINDS)
"""The domains whose `enable` reports what exists, once in a session."""


class LiveObjects:
    """What `enable` reports, by session and domain: the newest 5,000 of a kind, and the console's newest messages."""

    def __init__(self) -> None:
        self._known: dict[tuple[SessionId, str], dict[object, Json]] = {}
        self._messages = ConsoleMessages()

    def take(self, method: str, params: Json, session_id: SessionId) -> None:
        """Process an event."""
        self._messages.take(method, params, session_id)
        for domain, kind in _KINDS.items():
            if method == kind.created:
                known = self._known.setdefault((session_id, domain), {})
                for one in params[kind.list_in] if kind.list_in else [params]:
                    known[kind.key(one)] = one
                while len(known) > _MAX_OBJECTS:
                    del known[next(iter(known))]
            elif method == kind.removed:
                for one in params[kind.list_in] if kind.list_in else [params]:
                    self._known.get((session_id, domain), {}).pop(kind.key(one), None)
            elif method == kind.cleared:
                self._known.pop((session_id, domain), None)

    def events(self, domain: str, session_id: SessionId) -> list[tuple[str, Json]]:
        """The events by which a user that enables this domain learns of the objects that exist."""
        messages = self._messages.of(session_id) if domain == "Runtime" else []
        found = list(self._known.get((session_id, domain), {}).values())
        if not found:
            return messages
        kind = _KINDS[domain]
        if kind.list_in:
            return [(kind.created, {kind.list_in: found})]
        return [*((kind.created, one) for one in found), *messages]

    def disabled(self, domain: str, session_id: SessionId) -> None:
        """Nothing more is reported of this domain."""
        self._known.pop((session_id, domain), None)

    def discard_messages(self, session_id: SessionId) -> None:
        """A user has cleared the console."""
        self._messages.discard(session_id)

    def forget(self, session_id: SessionId) -> None:
        """A session has ended."""
        self._known = {key: known for key, known in self._known.items() if key[0] != session_id}
        self._messages.discard(session_id)


@attrs.frozen
class _Message:
    session_id: SessionId
    method: str
    params: Json
    size: int


class ConsoleMessages:
    """What the documents have logged, of all sessions: the newest 1,000, and of those at most 4 MB."""

    def __init__(self) -> None:
        self._kept: deque[_Message] = deque()
        self._size = 0

    def take(self, method: str, params: Json, session_id: SessionId) -> None:
        """Process an event."""
        if method == "Runtime.executionContextsCleared":
            self.discard(session_id)
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            message = _Message(session_id, method, params, len(msgspec.json.encode(params)))
            self._kept.append(message)
            self._size += message.size
            while len(self._kept) > _MAX_MESSAGES or self._size > _MAX_MESSAGE_BYTES:
                self._size -= self._kept.popleft().size

    def of(self, session_id: SessionId) -> list[tuple[str, Json]]:
        """The events of a session, oldest first."""
        return [(one.method, one.params) for one in self._kept if one.session_id == session_id]

    def discard(self, session_id: SessionId) -> None:
        """Forget those of a session."""
        self._kept = deque(one for one in self._kept if one.session_id != session_id)
        self._size = sum(one.size for one in self._kept)
