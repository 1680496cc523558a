"""One CDP session of a tab that several clients share."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import attrs
import msgspec

from kapture.backends.backend import DeliverEvent
from kapture.cdp import CdpCommand, CdpConnection, CdpTransport, PendingReply, run_program
from kapture.cdp.program import Json
from kapture.cdp.session_settings import SessionId, Settings
from kapture.cdp.target_filter import DEFAULT_FILTER, Filter, filter_of, passes
from kapture.errors import ErrorCode, KaptureError
from kapture.page.document_follower import DocumentFollower
from kapture.page.documents.read_gate import ReadGate
from kapture.page.screencast import TINY

# Which events one of several users of a CDP session has asked for: what the browser itself would send it.
#
# A domain's events begin with `enable` and end with `disable`, or begin with any command of a domain that has no
# `enable`; some have a switch of their own (https://chromedevtools.github.io/devtools-protocol/).

_WITHOUT_ENABLE = frozenset({"BackgroundService", "Emulation", "HeapProfiler", "Storage", "Tracing"})
_ENABLES = frozenset({"DOM.getDocument", "DOM.getFlattenedDocument"})
"""The methods that enable their domain implicitly."""


@attrs.frozen
class _Switch:
    """A method that switches an event on or off: by `parameter`, or by `on` itself."""

    event: str
    parameter: str = ""
    on: bool = True


_SWITCHES: Mapping[str, _Switch] = {
    "Page.setLifecycleEventsEnabled": _Switch("Page.lifecycleEvent", "enabled"),
    "Page.setInterceptFileChooserDialog": _Switch("Page.fileChooserOpened", "enabled"),
    "Page.startScreencast": _Switch("Page.screencastFrame"),
    "Page.stopScreencast": _Switch("Page.screencastFrame", on=False),
    "Input.setInterceptDrags": _Switch("Input.dragIntercepted", "enabled"),
}
_SWITCHED = frozenset(switch.event for switch in _SWITCHES.values())
_TO_ALL = "Inspector"
"""The domain whose events come in any case: what happens to the target itself."""


class Subscriptions:
    """The state of one user on one session of the browser."""

    def __init__(self) -> None:
        self.domains: set[str] = set()  # that are enabled
        self.enabling: set[str] = set()  # that will be, once the browser has answered
        self.bindings: set[str] = set()
        self._used: set[str] = set()  # domains without `enable`
        self._switched_on: set[str] = set()

    def sent(self, method: str, params: Mapping[str, Any]) -> None:
        """Note a command of this user."""
        domain, _, name = method.partition(".")
        if name == "enable" or method in _ENABLES:
            self.domains.add(domain)
            self.enabling.discard(domain)
        elif domain in _WITHOUT_ENABLE:
            self._used.add(domain)
        elif name == "disable":
            self.domains.discard(domain)
            self.enabling.discard(domain)
            self._switched_on = {event for event in self._switched_on if event.partition(".")[0] != domain}
            if domain == "Runtime":
                self.bindings.clear()
        elif method == "Runtime.addBinding":
            self.bindings.add(str(params.get("name")))
        elif method == "Runtime.removeBinding":
            self.bindings.discard(str(params.get("name")))
        elif (switch := _SWITCHES.get(method)) is not None:
            on = bool(params.get(switch.parameter)) if switch.parameter else switch.on
            (self._switched_on.add if on else self._switched_on.discard)(switch.event)

    def need(self, domain: str) -> bool:
        """Whether the user has enabled a domain, or is about to."""
        return domain in self.domains or domain in self.enabling

    def include(self, method: str, params: Mapping[str, Any]) -> bool:
        """Whether the user gets this event."""
        if method == "Runtime.bindingCalled":
            return params.get("name") in self.bindings
        if method in _SWITCHED:
            return method in self._switched_on
        domain = method.partition(".")[0]
        return domain in self.domains or domain in self._used or domain == _TO_ALL


# What the browser reports only once in a session that several users share.
#
# Where every user has a session of its own, the browser reports the objects that exist to each session that asks for
# them. Here that is done for them.

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
    """The events that `enable` reports, by session and domain: the newest 5,000 of a kind, and the console's newest
    messages."""

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
    """The log entries of the documents of all sessions: the newest 1,000, and of those at most 4 MB."""

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


Submit: TypeAlias = "Callable[[ScriptSession, str, Mapping[str, Any], SessionId], PendingReply]"


@attrs.frozen
class AutoAttach:
    """The wish of a script's `Target.setAutoAttach`."""

    filters: Filter
    waits: bool


class ScriptSession:
    """`CdpTransport` of one session of the script."""

    def __init__(self, submit: Submit, deliver: DeliverEvent) -> None:
        self.subscriptions: dict[SessionId, Subscriptions] = {}  # by the browser's session, as all here
        self.auto_attach: dict[SessionId, AutoAttach] = {}
        self._submit = submit
        self._deliver = deliver
        self._ended: KaptureError | None = None
        self._script_ids: dict[SessionId, str | None] = {None: None}
        self._session_ids: dict[str | None, SessionId] = {None: None}

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command of the script."""
        if self._ended is not None:
            raise self._ended
        if session_id not in self._session_ids:
            raise KaptureError(ErrorCode.DETACHED, "The frame has gone, or moved to another process.")
        if method == "Target.detachFromTarget":
            given = params.get("sessionId")
            params = {**params, "sessionId": self._session_ids.get(given)}
        return self._submit(self, method, params, self._session_ids[session_id])

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program, one command at a time."""
        run_program(self.submit, commands)

    def deliver(self, method: str, params: Json, session_id: SessionId) -> None:
        """Pass an event of a session that the script knows."""
        if self._ended is None:
            self._deliver(method, params, self._script_ids[session_id])

    def end(self, error: KaptureError) -> None:
        """Stop passing commands and events."""
        self._ended = self._ended or error

    def subscribed(self, session_id: SessionId) -> Subscriptions:
        """Its subscriptions on a session of the browser."""
        return self.subscriptions.setdefault(session_id, Subscriptions())

    def knows(self, session_id: SessionId) -> bool:
        """Whether a session of the browser was announced to it, or is the tab's own."""
        return session_id in self._script_ids

    def script_id(self, session_id: SessionId) -> str | None:
        """The script's id for a session of the browser."""
        return self._script_ids[session_id]

    def add_child(self, session_id: str, script_id: str) -> None:
        """Note the script's id for the session of a frame or worker."""
        self._script_ids[session_id] = script_id
        self._session_ids[script_id] = session_id

    def forget(self, session_id: str) -> None:
        """A session is not the script's any more."""
        self.subscriptions.pop(session_id, None)
        self.auto_attach.pop(session_id, None)
        if session_id in self._script_ids:
            del self._session_ids[self._script_ids.pop(session_id)]


# Has a tab drawn while a script waits for a picture of it.
#
# Chromium draws no hidden tab, and may answer `Page.captureScreenshot` only when somebody looks at the tab. It does
# draw one that has a screencast.

_START, _STOP = "Page.startScreencast", "Page.stopScreencast"


class ForcedDrawing:
    """`submit` sends a command on the tab's session; `watched` says whether a script has a screencast of its own."""

    def __init__(
        self, submit: Callable[[str, Mapping[str, Any], str | None], PendingReply], watched: Callable[[], bool]
    ) -> None:
        self._submit = submit
        self._watched = watched
        self._waiting = 0

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send a command of a script, which may request a picture or end the script's screencast."""
        if session_id is not None:
            return self._submit(method, params, session_id)
        if method == "Page.captureScreenshot":
            self._waiting += 1
            if self._waiting == 1 and not self._watched():
                self._submit(_START, TINY, None)
        reply = self._submit(method, params, None)
        if method == "Page.captureScreenshot":
            reply.then(lambda _: self._taken())
        elif method == _STOP and self._waiting:
            self._submit(_START, TINY, None)
        return reply

    def _taken(self) -> None:
        self._waiting -= 1
        if not self._waiting and not self._watched():
            with suppress(KaptureError):  # the session has ended, and the screencast with it
                self._submit(_STOP, {}, None)


# The debugger's session of a tab of the extension, while a script uses it through any number of sessions of its own.
#
# Chrome gives an extension one session per tab. The hub sees every event first, to follow the tab's documents
# (`kapture.page.document_follower`), and what it enables for that is hidden from the script. To the script, each of its
# sessions is like one of the browser's: its commands are answered to it, it gets the events that it has asked for
# (`session_subscriptions`), and what it has set ends with it (`kapture.cdp.session_settings`). Other processes' frames
# and workers are attached to once, and announced to each session that attaches to them, with an id of its own.

_FOR_THE_HUB = frozenset({"Page", "Runtime"})
"""The domains that the hub has enabled in every session of a document."""
_AS_IF_VISIBLE = ("Emulation.setFocusEmulationEnabled", {"enabled": True})
"""A hidden page has no frames, for which scripts wait before they click. The hub always keeps this on."""


@attrs.define(eq=False)
class _Child:
    """A frame or worker in another process. `waiting_for`: the users that must let it run."""

    session_id: str
    parent: SessionId
    attached: Json
    waiting_for: set[ScriptSession] = attrs.field(factory=set)


class SharedSession:
    """`transport` carries a session in its initial state."""

    def __init__(self, transport: CdpTransport, gate: ReadGate) -> None:
        self._transport = transport
        self._connection = CdpConnection(transport)
        self._users: list[ScriptSession] = []
        self._children: dict[str, _Child] = {}
        self._objects = LiveObjects()
        self._settings = Settings()
        self._drawing = ForcedDrawing(transport.submit, lambda: self._settings.made("Page.startScreencast", None))
        self._dialog = False
        self._ended: KaptureError | None = None
        self.documents = DocumentFollower(self._connection, gate)

    async def start(self) -> None:
        """Return when the tab's documents are known."""
        self._transport.submit(*_AS_IF_VISIBLE, None)
        await self.documents.start()

    @property
    def unused(self) -> bool:
        """Whether no session of the script uses it any more."""
        return not self._users

    def add(self, deliver: DeliverEvent) -> ScriptSession:
        """A new session for the script; `deliver` gets its events."""
        user = ScriptSession(self.submit, deliver)
        self._users.append(user)
        return user

    def remove(self, user: ScriptSession) -> None:
        """End a session of the script. What it has enabled and set is undone, unless another one needs it."""
        user.end(KaptureError(ErrorCode.DETACHED, "The session has ended.", hint="Attach to the target again."))
        self._users.remove(user)
        if self._ended is not None:
            return
        with suppress(KaptureError):  # the connection has ended, or its buffer is full: then the script ends, too
            self._undo_settings(user)
            if self.unused:
                return
            for session_id, subscriptions in user.subscriptions.items():
                for name in subscriptions.bindings:
                    self._remove_binding(name, session_id)
                for domain in subscriptions.domains:
                    self._disable(domain, session_id)
            for child in tuple(self._children.values()):
                self._let_run(child, user)
            for session_id in user.auto_attach:
                self._attach_for_all(session_id)

    def end(self, error: KaptureError) -> None:
        """The browser has ended the session."""
        self._ended = error
        for user in self._users:
            user.end(error)

    def dismiss_dialog(self) -> None:
        """Dismiss a dialog that the script left open: it would block the page for the next user of the tab."""
        if self._dialog:
            with suppress(KaptureError):  # what cannot be sent will end with the session
                self._transport.submit("Page.handleJavaScriptDialog", {"accept": False}, None)

    # Commands

    def submit(
        self, user: ScriptSession, method: str, params: Mapping[str, Any], session_id: SessionId
    ) -> PendingReply:
        """Send a command of a user on a session of the browser."""
        domain, _, name = method.partition(".")
        if method == "Target.setAutoAttach":
            return self._set_auto_attach(user, params, session_id)
        if method == "Target.detachFromTarget":
            return self._detach(user, str(params.get("sessionId")))
        if method == "Runtime.runIfWaitingForDebugger" and session_id in self._children:
            return self._let_run(self._children[session_id], user)
        if method == "Fetch.enable" and self._enabled(domain, session_id, besides=user):
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                "Another session of this page intercepts its requests.",
                hint="Intercept them in one session, or disable Fetch in the other one first.",
            )
        subscriptions = user.subscribed(session_id)
        enables = name == "enable" and domain not in subscriptions.domains
        if enables and domain in REPORTED_ON_ENABLE and self._enabled(domain, session_id, besides=user):
            subscriptions.enabling.add(domain)
            reply = self._transport.submit(method, params, session_id)
            reply.then(lambda reply: self._report(user, domain, reply, session_id))
            return reply
        if name == "disable":
            bindings = tuple(subscriptions.bindings)
            subscriptions.sent(method, params)
            for binding in bindings if domain == "Runtime" else ():
                self._remove_binding(binding, session_id)
            return self._disable(domain, session_id)
        subscriptions.sent(method, params)
        if method == "Runtime.removeBinding":
            return self._remove_binding(str(params.get("name")), session_id)
        if method == "Runtime.discardConsoleEntries":
            self._objects.discard_messages(session_id)
        if method == _AS_IF_VISIBLE[0] and session_id is None:
            return _done()
        self._settings.sent(user, method, params, session_id)
        reply = self._drawing.submit(method, params, session_id)
        reply.then(lambda reply: self._answered(user, method, reply, session_id))
        return reply

    def _report(self, user: ScriptSession, domain: str, reply: PendingReply, session_id: SessionId) -> None:
        """Report, before the answer to its `enable` as the browser does, what it reports only once in a session."""
        subscriptions = user.subscribed(session_id)
        if reply.error is None and domain in subscriptions.enabling and user.knows(session_id):
            subscriptions.sent(f"{domain}.enable", {})
            for method, params in self._objects.events(domain, session_id):
                user.deliver(method, params, session_id)

    def _answered(self, user: ScriptSession, method: str, reply: PendingReply, session_id: SessionId) -> None:
        if reply.error is None:
            self._settings.answered(user, method, reply.value(), session_id)
            if user not in self._users and not self.unused:
                with suppress(KaptureError):  # as in `remove`
                    self._undo_settings(user)

    def _undo_settings(self, user: ScriptSession) -> None:
        for call in self._settings.leave(user, session_ends=self.unused):
            self._drawing.submit(*call)

    def _enabled(self, domain: str, session_id: SessionId, besides: ScriptSession | None = None) -> bool:
        return domain in _FOR_THE_HUB or any(
            user.subscribed(session_id).need(domain) for user in self._users if user is not besides
        )

    def _disable(self, domain: str, session_id: SessionId) -> PendingReply:
        """Disable a domain that a user does not need any more, unless another one does."""
        if self._enabled(domain, session_id):
            return _done()
        self._objects.disabled(domain, session_id)
        return self._transport.submit(f"{domain}.disable", {}, session_id)

    def _remove_binding(self, name: str, session_id: SessionId) -> PendingReply:
        if any(name in user.subscribed(session_id).bindings for user in self._users):
            return _done()
        return self._transport.submit("Runtime.removeBinding", {"name": name}, session_id)

    # Events

    def deliver(self, method: str, params: Json, session_id: SessionId) -> None:
        """Process one event of the tab."""
        self._connection.deliver(method, params, session_id)
        self._objects.take(method, params, session_id)
        match method:
            case "Page.javascriptDialogOpening":
                self._dialog = True
            case "Page.javascriptDialogClosed":
                self._dialog = False
            case "Target.attachedToTarget":
                self._attached(_Child(params["sessionId"], session_id, params))
                return
            case "Target.detachedFromTarget":
                self._detached(params["sessionId"])
                return
        for user in tuple(self._users):
            if user.knows(session_id) and user.subscribed(session_id).include(method, params):
                user.deliver(method, params, session_id)

    # Frames and workers in other processes

    def _set_auto_attach(self, user: ScriptSession, params: Mapping[str, Any], session_id: SessionId) -> PendingReply:
        """Announce the targets that are attached to already, as the browser would."""
        if not params.get("flatten"):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "Only flat sessions are supported.", hint="Set flatten: true.")
        children = [child for child in self._children.values() if child.parent == session_id]
        if not params.get("autoAttach"):
            user.auto_attach.pop(session_id, None)
            for child in children:
                self._retract(user, child)
                self._let_run(child, user)
        else:
            wish = AutoAttach(filter_of(params) or DEFAULT_FILTER, bool(params.get("waitForDebuggerOnStart")))
            user.auto_attach[session_id] = wish
            for child in children:
                if passes(wish.filters, child.attached["targetInfo"]["type"]) and not user.knows(child.session_id):
                    self._announce(user, child, waiting=False)
        return self._attach_for_all(session_id)

    def _attach_for_all(self, session_id: SessionId) -> PendingReply:
        """Attach to what any user wishes, and to what the hub must follow."""
        wishes = [user.auto_attach[session_id] for user in self._users if session_id in user.auto_attach]
        params = {"autoAttach": True, "flatten": True, "waitForDebuggerOnStart": any(one.waits for one in wishes)}
        return self._transport.submit("Target.setAutoAttach", params, session_id)

    def _attached(self, child: _Child) -> None:
        self._children[child.session_id] = child
        waits = bool(child.attached.get("waitingForDebugger"))
        wishes = [(user, user.auto_attach[child.parent]) for user in self._users if child.parent in user.auto_attach]
        notified = [(user, wish) for user, wish in wishes if passes(wish.filters, child.attached["targetInfo"]["type"])]
        child.waiting_for = {user for user, wish in notified if wish.waits and waits}
        for user, wish in notified:
            self._announce(user, child, waiting=wish.waits and waits)
        if waits and not child.waiting_for:
            self._transport.submit("Runtime.runIfWaitingForDebugger", {}, child.session_id)

    def _detached(self, session_id: str) -> None:
        for nested in [one.session_id for one in self._children.values() if one.parent == session_id]:
            self._detached(nested)
        child = self._children.pop(session_id, None)
        self._objects.forget(session_id)
        self._settings.forget(session_id)
        for user in tuple(self._users):
            if child is not None:
                self._retract(user, child)
            user.forget(session_id)

    def _detach(self, user: ScriptSession, session_id: str) -> PendingReply:
        """Detach a user from a frame or worker. The others stay attached, and so does the hub."""
        child = self._children.get(session_id)
        if child is None or not user.knows(session_id):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "No session with given id.")
        self._let_run(child, user)
        self._retract(user, child)
        return _done()

    def _announce(self, user: ScriptSession, child: _Child, *, waiting: bool) -> None:
        taken = {other.script_id(child.session_id) for other in self._users if other.knows(child.session_id)}
        script_id = secrets.token_hex(16).upper() if child.session_id in taken else child.session_id
        user.add_child(child.session_id, script_id)
        params = {**child.attached, "sessionId": script_id, "waitingForDebugger": waiting}
        user.deliver("Target.attachedToTarget", params, child.parent)

    def _retract(self, user: ScriptSession, child: _Child) -> None:
        if not user.knows(child.session_id):
            return
        for nested in [one for one in self._children.values() if one.parent == child.session_id]:
            self._let_run(nested, user)
            self._retract(user, nested)
        params = {"sessionId": user.script_id(child.session_id), "targetId": child.attached["targetInfo"]["targetId"]}
        user.deliver("Target.detachedFromTarget", params, child.parent)
        user.forget(child.session_id)

    def _let_run(self, child: _Child, user: ScriptSession) -> PendingReply:
        """Let a target run that was created paused, once every user that it waits for wants it."""
        if child.waiting_for:
            child.waiting_for.discard(user)
            if not child.waiting_for:
                return self._transport.submit("Runtime.runIfWaitingForDebugger", {}, child.session_id)
        return _done()


def _done() -> PendingReply:
    reply = PendingReply()
    reply.resolve({})
    return reply
