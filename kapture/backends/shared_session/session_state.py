"""What a user of a shared CDP session sets in it, and what the browser reports only once in it.

Where every user has a session of its own, the browser undoes what a session has set when it ends, and reports the
objects that exist to each session that asks for them. Here that is done for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias

import attrs
import msgspec

from kapture.cdp.pending_replies import Json

SessionId: TypeAlias = str | None
Call: TypeAlias = tuple[str, Mapping[str, Any], SessionId]
"""Method, parameters, and the browser's session to send it on."""

_MAX_OBJECTS = 5_000
_MAX_MESSAGES = 1_000
"""As many as V8 keeps (`V8ConsoleMessageStorage`)."""
_MAX_MESSAGE_BYTES = 4_000_000

_NEUTRAL: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Animation.setPlaybackRate": ("Animation.setPlaybackRate", {"playbackRate": 1}),
    "Debugger.setAsyncCallStackDepth": ("Debugger.setAsyncCallStackDepth", {"maxDepth": 0}),
    "Debugger.setBlackboxPatterns": ("Debugger.setBlackboxPatterns", {"patterns": []}),
    "Debugger.setPauseOnExceptions": ("Debugger.setPauseOnExceptions", {"state": "none"}),
    "Debugger.setSkipAllPauses": ("Debugger.setSkipAllPauses", {"skip": False}),
    "Emulation.setAutoDarkModeOverride": ("Emulation.setAutoDarkModeOverride", {}),
    "Emulation.setCPUThrottlingRate": ("Emulation.setCPUThrottlingRate", {"rate": 1}),
    "Emulation.setDefaultBackgroundColorOverride": ("Emulation.setDefaultBackgroundColorOverride", {}),
    "Emulation.setDeviceMetricsOverride": ("Emulation.clearDeviceMetricsOverride", {}),
    "Emulation.setDocumentCookieDisabled": ("Emulation.setDocumentCookieDisabled", {"disabled": False}),
    "Emulation.setEmitTouchEventsForMouse": ("Emulation.setEmitTouchEventsForMouse", {"enabled": False}),
    "Emulation.setEmulatedMedia": ("Emulation.setEmulatedMedia", {"media": "", "features": []}),
    "Emulation.setEmulatedVisionDeficiency": ("Emulation.setEmulatedVisionDeficiency", {"type": "none"}),
    "Emulation.setFocusEmulationEnabled": ("Emulation.setFocusEmulationEnabled", {"enabled": False}),
    "Emulation.setGeolocationOverride": ("Emulation.clearGeolocationOverride", {}),
    "Emulation.setIdleOverride": ("Emulation.clearIdleOverride", {}),
    "Emulation.setLocaleOverride": ("Emulation.setLocaleOverride", {}),
    "Emulation.setPageScaleFactor": ("Emulation.resetPageScaleFactor", {}),
    "Emulation.setScriptExecutionDisabled": ("Emulation.setScriptExecutionDisabled", {"value": False}),
    "Emulation.setScrollbarsHidden": ("Emulation.setScrollbarsHidden", {"hidden": False}),
    "Emulation.setTimezoneOverride": ("Emulation.setTimezoneOverride", {"timezoneId": ""}),
    "Emulation.setTouchEmulationEnabled": ("Emulation.setTouchEmulationEnabled", {"enabled": False}),
    "Emulation.setUserAgentOverride": ("Emulation.setUserAgentOverride", {"userAgent": ""}),
    "Input.setIgnoreInputEvents": ("Input.setIgnoreInputEvents", {"ignore": False}),
    "Input.setInterceptDrags": ("Input.setInterceptDrags", {"enabled": False}),
    "Network.emulateNetworkConditions": (
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    ),
    "Network.setBlockedURLs": ("Network.setBlockedURLs", {"urls": []}),
    "Network.setBypassServiceWorker": ("Network.setBypassServiceWorker", {"bypass": False}),
    "Network.setCacheDisabled": ("Network.setCacheDisabled", {"cacheDisabled": False}),
    "Network.setExtraHTTPHeaders": ("Network.setExtraHTTPHeaders", {"headers": {}}),
    "Network.setUserAgentOverride": ("Network.setUserAgentOverride", {"userAgent": ""}),
    "Page.setAdBlockingEnabled": ("Page.setAdBlockingEnabled", {"enabled": False}),
    "Page.setBypassCSP": ("Page.setBypassCSP", {"enabled": False}),
    "Page.setInterceptFileChooserDialog": ("Page.setInterceptFileChooserDialog", {"enabled": False}),
    "Page.setLifecycleEventsEnabled": ("Page.setLifecycleEventsEnabled", {"enabled": False}),
    "Page.startScreencast": ("Page.stopScreencast", {}),
    "Security.setIgnoreCertificateErrors": ("Security.setIgnoreCertificateErrors", {"ignore": False}),
}
"""The settings that last as long as their session: for each, the command that undoes it."""

_OUTLIVE_THEIR_SESSION = frozenset({"Emulation.setDeviceMetricsOverride"})
"""Of these, what the browser itself leaves as it was set (Chromium 150): the page keeps its size."""

_REMOVED_BY: Mapping[str, tuple[str, str]] = {
    "Debugger.setBreakpoint": ("Debugger.removeBreakpoint", "breakpointId"),
    "Debugger.setBreakpointByUrl": ("Debugger.removeBreakpoint", "breakpointId"),
    "Debugger.setBreakpointOnFunctionCall": ("Debugger.removeBreakpoint", "breakpointId"),
    "Page.addScriptToEvaluateOnNewDocument": ("Page.removeScriptToEvaluateOnNewDocument", "identifier"),
    "WebAuthn.addVirtualAuthenticator": ("WebAuthn.removeVirtualAuthenticator", "authenticatorId"),
}
"""What is created for as long as its session: the command that removes it, and what that needs of the answer."""

_UNDONE_BY: Mapping[str, str] = {undo: method for method, (undo, _) in _NEUTRAL.items() if undo != method}
_REMOVALS = frozenset(removal for removal, _ in _REMOVED_BY.values())


class Settings:
    """Of all users of a session and its child sessions; a user is any hashable of the caller's."""

    def __init__(self) -> None:
        self._set: dict[tuple[SessionId, str], dict[Hashable, Mapping[str, Any]]] = {}  # the newest last
        self._removals: dict[Hashable, list[Call]] = {}

    def sent(self, user: Hashable, method: str, params: Mapping[str, Any], session_id: SessionId) -> None:
        """Note a command of a user."""
        if method in _REMOVALS:
            removals = self._removals.get(user, [])
            if (call := (method, params, session_id)) in removals:
                removals.remove(call)
        elif method in _NEUTRAL or method in _UNDONE_BY:
            users = self._set.setdefault((session_id, _UNDONE_BY.get(method, method)), {})
            users.pop(user, None)
            if method in _NEUTRAL and (method, params) != _NEUTRAL[method]:
                users[user] = params

    def answered(self, user: Hashable, method: str, result: Mapping[str, Any], session_id: SessionId) -> None:
        """Note the browser's answer to a command of a user."""
        if method in _REMOVED_BY:
            removal, key = _REMOVED_BY[method]
            self._removals.setdefault(user, []).append((removal, {key: result.get(key)}, session_id))

    def made(self, method: str, session_id: SessionId) -> bool:
        """Whether a user has made this setting, and not undone it."""
        return bool(self._set.get((session_id, method)))

    def leave(self, user: Hashable, *, session_ends: bool = False) -> list[Call]:
        """Forget a user; the commands that undo what it has set, or restore what another user has set. Where the
        browser's session ends with it, those for what would stay."""
        calls = [] if session_ends else self._removals.pop(user, [])
        for (session_id, method), users in self._set.items():
            if users.pop(user, None) is not None and (not session_ends or method in _OUTLIVE_THEIR_SESSION):
                restored = (method, list(users.values())[-1]) if users else _NEUTRAL[method]
                calls.append((*restored, session_id))
        return calls

    def forget(self, session_id: SessionId) -> None:
        """A session has ended, and with it all that was set in it."""
        self._set = {key: users for key, users in self._set.items() if key[0] != session_id}
        self._removals = {
            user: [call for call in calls if call[2] != session_id] for user, calls in self._removals.items()
        }


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
