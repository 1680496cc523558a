"""The debugger's session of a tab of the extension, while a script uses it through any number of sessions of its own.

Chrome gives an extension one session per tab. The hub sees every event first, to follow the tab's documents
(`kapture.page.document_follower`), and what it enables for that is hidden from the script. To the script, each of its
sessions is like one of the browser's: its commands are answered to it, it gets the events that it has asked for
(`session_subscriptions`), and what it has set ends with it (`kapture.cdp.session_settings`). Other processes' frames
and workers are attached to once, and announced to each session that attaches to them, with an id of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import attrs

from kapture.backends.backend import DeliverEvent
from kapture.backends.shared_session.forced_drawing import ForcedDrawing
from kapture.backends.shared_session.script_session import AutoAttach, ScriptSession
from kapture.backends.shared_session.session_state import REPORTED_ON_ENABLE, LiveObjects
from kapture.cdp import CdpConnection, CdpTransport, PendingReply
from kapture.cdp.program import Json
from kapture.cdp.session_settings import SessionId, Settings
from kapture.cdp.target_filter import DEFAULT_FILTER, filter_of, passes
from kapture.errors import ErrorCode, KaptureError
from kapture.page.document_follower import DocumentFollower
from kapture.page.documents.read_gate import ReadGate

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
