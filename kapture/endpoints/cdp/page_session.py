"""One CDP session of a script on a tab, which passes methods and events that policy and the grant allow.

It is backed by a session of the browser's own. The sessions of the page's frames and workers belong to it, once the
script has attached to them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import attrs
import trio

from kapture.backends.event_limit import CONSOLE_EVENTS
from kapture.cdp import CdpError, CdpTransport, PendingReply
from kapture.commands.cdp_access import check_command, visible_result
from kapture.commands.cdp_event_access import EventAccess
from kapture.endpoints.cdp.downloads import ScriptDownloads
from kapture.endpoints.cdp.messages import METHOD_NOT_FOUND, RUNS_CODE, Command, Replies, ScriptDocuments
from kapture.errors import ErrorCode, InvalidParams, KaptureError, leaves
from kapture.hub import Client, Hub
from kapture.hub.holding import Hold
from kapture.hub.tabs.tab import Tab, kind_of
from kapture.page.script_terminator import ask_whether_busy, terminate_busy_script
from kapture.policy import Grant

_DIALOGS = {"Page.javascriptDialogOpening": True, "Page.javascriptDialogClosed": False}
"""Whether a dialog is open after these events."""
_INVALID_URL = "Cannot navigate to invalid URL"
_NO_UNIQUE = "uniqueContextId not found"
_NOT_FOR_EXTENSIONS = "Chrome offers extensions a part of the protocol only: use a browser of `kapture launch` for it."


@attrs.define(eq=False)
class _Judged:
    """The state by which one CDP session is judged."""

    documents: ScriptDocuments
    access: EventAccess


class PageSession:
    """`session_id` is the script's id for it, `parent` the session on which it was announced.

    `pauses`: whether the script wants new targets paused until it resumes them.
    """

    def __init__(
        self,
        session_id: str,
        target_id: str,
        parent: str | None,
        hold: Hold,
        replies: Replies,
        downloads: ScriptDownloads,
        pauses: Callable[[], bool],
    ) -> None:
        self.session_id = session_id
        self.target_id = target_id
        self.parent = parent
        self.ended = trio.Event()
        self.hold = hold
        self._replies = replies
        self._downloads = downloads
        self._pauses = pauses
        scripts = hold.tab.scripts
        self._new = scripts is not None and scripts.paused is not None
        self._transport: CdpTransport | None = None
        self._own = self._judge(None)
        self._children: dict[str, _Judged] = {}
        self._restored = RestoredPages()
        self._running = RunningCode()
        self._gaps = ConsoleGaps(session_id, replies)
        self._dialog = False

    @property
    def documents(self) -> ScriptDocuments:
        """Those of the session itself."""
        return self._own.documents

    @property
    def new(self) -> bool:
        """Whether the page is a popup that was paused before its first document, of which the hub knows none yet."""
        self._new = self._new and self.hold.documents() is None
        return self._new

    def pauses_popups(self) -> bool:
        """Whether what the page opens is paused until the script resumes it: one that may not use every site could not
        prepare it."""
        with self.hold.calling():
            return self._pauses() and self._own.documents.any_site

    def owns(self, session_id: str) -> bool:
        """Whether this is the session of one of its frames or workers that was announced to the script."""
        return session_id in self._children

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve the session until `ended`. `started` once it exists."""
        assert self.hold.tab.scripts is not None  # noqa: S101  a held tab is connected
        async with self.hold.tab.scripts.script_session(self.deliver, self.pauses_popups) as self._transport:
            task_status.started()
            try:
                await self.ended.wait()
            finally:
                if not self._dialog_open():  # it would wait for the dialog, not keep the page busy
                    await self._running.end(self._transport)
        self._transport = None

    def _dialog_open(self) -> bool:
        """Whether a dialog is open, as far as the hub, or else the script, is told."""
        backend = self.hold.tab.backend
        return self._dialog or (backend is not None and backend.blocked is not None)

    async def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a command that the script caused indirectly; it is judged like the script's own."""
        grant = self.hold.tab.grant
        result = await self._submit(method, params, None).wait()
        return self._visible(method, params, result, self._own.documents, grant)

    def submit(self, command: Command, on_settled: Callable[[], None]) -> None:
        """Send a command of the script on this session or a child's; the browser's reply answers it."""
        child = None if command.session_id == self.session_id else command.session_id
        judged = self._own if child is None else self._children[child]
        grant = self.hold.tab.grant
        try:
            reply = self._submit(command.method, command.params, child)
        except KaptureError as error:
            self._replies.fail(command, self._as_asked(command, error))
            on_settled()
            return

        def settled(reply: PendingReply) -> None:
            self._answer(command, reply, judged.documents, grant)
            on_settled()

        reply.then(settled)

    def _submit(self, method: str, params: dict[str, Any], child: str | None) -> PendingReply:
        judged = self._own if child is None else self._children[child]
        if self._transport is None or self.ended.is_set():
            raise KaptureError(ErrorCode.DETACHED, "The session has ended.", hint="Attach to the target again.")
        with self.hold.calling():
            self.hold.check(method, params)
            sent = check_command(method, params, judged.documents, self.hold.check_upload)
            self._restored.submitted(method, params, child)
            reply = self._transport.submit(method, sent, child)
            judged.access.sent(method, reply)
            self._running.sent(method, child, reply)
            self._gaps.sent(method, child or self.session_id)
            return reply

    def deliver(self, method: str, params: dict[str, Any], child: str | None) -> None:
        """Process an event of the browser."""
        judged = self._own if child is None else self._children.get(child)
        shown_on = child or self.session_id
        if judged is None or self.ended.is_set():
            return
        if method in _DIALOGS:
            self._dialog = _DIALOGS[method]
        with self.hold.calling():
            events = judged.access.passing(method, params)
        if events and self._gaps.leaves_out(method, shown_on):
            return
        if method == "Target.attachedToTarget":
            if not events:
                self._let_go(params["sessionId"], child)
                return
            self._children[params["sessionId"]] = self._judge(params["targetInfo"]["targetId"])
        elif method == "Target.detachedFromTarget":
            if self._children.pop(params.get("sessionId", ""), None) is None:
                return
            events = [(method, params)]
        for name, visible in events:
            for shown, about in ((name, visible), *self._restored.events_after(name, visible, child)):
                self._replies.event(shown, about, shown_on)
            self._downloads.take(name, visible, self)

    def _answer(self, command: Command, reply: PendingReply, documents: ScriptDocuments, grant: Grant | None) -> None:
        if reply.error is not None:
            self._replies.fail(command, self._as_asked(command, reply.error))
            return
        try:
            result = self._visible(command.method, command.params, reply.value(), documents, grant)
        except KaptureError as error:
            self._replies.fail(command, error)
        else:
            self._replies.resolve(command, result)

    def _visible(
        self,
        method: str,
        params: dict[str, Any],
        result: dict[str, Any],
        documents: ScriptDocuments,
        grant: Grant | None,
    ) -> dict[str, Any]:
        """Return the part of a result that the script may see. A command is judged anew if the person has changed the
        tab's `grant` since it was sent."""
        with self.hold.calling():
            if self.hold.tab.grant is not grant:
                self.hold.check(method, params)
                check_command(method, params, documents, self.hold.check_upload)
            return visible_result(method, result, documents)

    def _as_asked(self, command: Command, error: KaptureError) -> KaptureError:
        """The browser's error; for a script that named no unique id, with the sentence that it knows for a context that
        is gone, and for a method that Chrome keeps from extensions, with what has it. Of an invalid URL, which the hub
        refuses first, the browser's as well."""
        if command.method == "Page.navigate" and isinstance(error, InvalidParams):
            return CdpError(command.method, _INVALID_URL)
        if not isinstance(error, CdpError):
            return error
        if error.reason == _NO_UNIQUE and "uniqueContextId" not in command.params:
            return CdpError(error.method, "Cannot find context with specified id", error.cdp_code)
        if error.cdp_code == METHOD_NOT_FOUND and kind_of(self.hold.tab) == "extension":
            return CdpError(error.method, f"{error.reason}. {_NOT_FOR_EXTENSIONS}", error.cdp_code)
        return error

    def _let_go(self, session_id: str, announced_on: str | None) -> None:
        """Detach a frame or worker outside the grant from the script; it must not stay paused for a debugger."""
        if self._transport is not None:
            self._transport.submit("Runtime.runIfWaitingForDebugger", {}, session_id)
            self._transport.submit("Target.detachFromTarget", {"sessionId": session_id}, announced_on)

    def _judge(self, target_id: str | None) -> _Judged:
        documents = ScriptDocuments(self.hold.documents, target_id, lambda: self.hold.gate if self.new else None)
        return _Judged(documents, EventAccess(documents))


# The code of a script that has not ended when the script leaves.
#
# The browser lets it run on. If it only waits for something, that does no harm; if it keeps the page busy, the tab
# would not answer anybody any more.


class RunningCode:
    """The commands of one session, and of its frames and workers, that run code and are unanswered."""

    def __init__(self) -> None:
        self._unanswered: dict[PendingReply, str | None] = {}

    def sent(self, method: str, session_id: str | None, reply: PendingReply) -> None:
        """Note a command."""
        if method in RUNS_CODE:
            self._unanswered[reply] = session_id
            reply.then(self._answered)

    def _answered(self, reply: PendingReply) -> None:
        self._unanswered.pop(reply, None)

    async def end(self, transport: CdpTransport) -> None:
        """Terminate what keeps the page, or one of its frames or workers, busy."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as nursery:
                for session_id in {*self._unanswered.values()}:
                    nursery.start_soon(_end, transport, session_id)


async def _end(transport: CdpTransport, session_id: str | None) -> None:
    def submit(method: str, params: Mapping[str, Any]) -> PendingReply:
        return transport.submit(method, params, session_id)

    with suppress(KaptureError):  # the session has ended
        submit("Debugger.disable", {})  # code that is paused answers nothing, and goes on now
        await terminate_busy_script(submit, ask_whether_busy(submit))


# Leaves out console entries for a script that reads slowly.
#
# A page may log faster than a script reads. Other events cannot be left out: a script that misses one is wrong about
# the page, so one that does not keep up with those is disconnected. A console with gaps is still a console.

_BEGINS_BELOW = 7 / 8
_ENDS_ABOVE = 31 / 32
"""The room for more messages below which a gap begins, and above which it ends."""
_TEXT = "Console entries are left out from here on, because this script reads its messages too slowly."


class ConsoleGaps:
    """Those in the console of one tab, with its frames and workers, as the script's session `session_id` shows it.

    Each begins with an entry that says so, on a session that has enabled `Log`.
    """

    def __init__(self, session_id: str, replies: Replies) -> None:
        self._session_id = session_id
        self._replies = replies
        self._open = False
        self._with_log: set[str] = set()

    def sent(self, method: str, session_id: str) -> None:
        """Note a command of the script."""
        if method == "Log.enable":
            self._with_log.add(session_id)
        elif method == "Log.disable":
            self._with_log.discard(session_id)

    def leaves_out(self, method: str, session_id: str) -> bool:
        """Whether an event is not to be sent."""
        if method not in CONSOLE_EVENTS:
            return False
        room = self._replies.room
        if self._open:
            self._open = room <= _ENDS_ABOVE
        elif room < _BEGINS_BELOW:
            self._open = True
            for shown in (session_id, self._session_id):
                if shown in self._with_log:
                    entry = {"source": "other", "level": "warning", "text": _TEXT, "timestamp": time.time() * 1_000}
                    self._replies.event("Log.entryAdded", {"entry": entry}, shown)
                    break
        return self._open


class HeldTab:
    """`on_end` is called when the hold has ended, even if it never began."""

    def __init__(self, hub: Hub, client: Client, tab: Tab, on_end: Callable[[HeldTab], None]) -> None:
        self.tab = tab
        self.hold: Hold | None = None
        self.sessions: dict[str, PageSession] = {}
        self.ending = False  # its last session has ended
        self.ended = trio.Event()
        self._hub = hub
        self._client = client
        self._on_end = on_end
        self._nursery: trio.Nursery | None = None
        self._settled = trio.Event()
        self._error: KaptureError | None = None

    async def ready(self) -> Hold | None:
        """Wait for the tab's turn and return the hold; None once the script has left the tab. Raises the reason if the
        hold failed or was ended."""
        await self._settled.wait()
        if self.hold is None and self._error is not None:
            raise self._error
        return self.hold

    async def run(self) -> None:
        """Hold the tab until the last session has ended, or the hold ends from outside."""
        try:
            await self._hub.holding.hold(self._client, self.tab, self._carry)
        except* KaptureError as group:
            error = leaves(group)[0]
            self._error = error if isinstance(error, KaptureError) else None
        finally:
            self.hold = None
            self._settled.set()
            self._on_end(self)
            self.ended.set()

    async def start(self, session: PageSession) -> None:
        """Set up a session on the held tab."""
        assert self._nursery is not None  # noqa: S101  a hold has a nursery
        self.sessions[session.session_id] = session
        try:
            await self._nursery.start(session.run)
        except BaseException:
            self.end(session)
            raise

    def end(self, session: PageSession) -> None:
        """End a session that the script has detached; the hold ends with the last one."""
        session.ended.set()
        self.sessions.pop(session.session_id, None)
        if not self.sessions and self._nursery is not None:
            self.ending = True
            self._nursery.cancel_scope.cancel()

    async def _carry(self, hold: Hold) -> None:
        async with trio.open_nursery() as self._nursery:
            self.hold = hold
            self._settled.set()
            await trio.sleep_forever()
        self._nursery = None


# The load events of a page that the browser restores from its back/forward cache.
#
# The browser reports such a page with `Page.frameNavigated` alone: its document has been loaded long before. Clients
# that wait for its load, as Playwright does in `page.go_back()`, know the cache only as switched off, and would wait in
# vain.

Event: TypeAlias = tuple[str, dict[str, Any]]

_EVENTS = (("DOMContentLoaded", "Page.domContentEventFired"), ("load", "Page.loadEventFired"))


class RestoredPages:
    """The session of one script and those of its frames: None is its own."""

    def __init__(self) -> None:
        self._lifecycle: set[str | None] = set()  # the sessions that want lifecycle events

    def submitted(self, method: str, params: Mapping[str, Any], session_id: str | None) -> None:
        """The script has sent a command."""
        if method == "Page.setLifecycleEventsEnabled":
            (self._lifecycle.add if params.get("enabled") else self._lifecycle.discard)(session_id)

    def events_after(self, method: str, params: Mapping[str, Any], session_id: str | None) -> list[Event]:
        """Return the events for the script after one of the browser, as if the page had been loaded anew."""
        if method != "Page.frameNavigated" or params.get("type") != "BackForwardCacheRestore":
            return []
        frame = params["frame"]
        timestamp = time.monotonic()  # the browser's clock, on the systems where it has this one
        events: list[Event] = []
        for name, method_of_page in _EVENTS:
            events.append((method_of_page, {"timestamp": timestamp}))
            if session_id in self._lifecycle:
                lifecycle = {"frameId": frame["id"], "loaderId": frame["loaderId"], "name": name}
                events.append(("Page.lifecycleEvent", {**lifecycle, "timestamp": timestamp}))
        return events
