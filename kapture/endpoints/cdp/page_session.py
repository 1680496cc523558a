"""One CDP session of a script on a tab, which passes methods and events that policy and the grant allow.

It is backed by a session of the browser's own. The sessions of the page's frames and workers belong to it, once the
script has attached to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import trio

from kapture.cdp import CdpError, CdpTransport, PendingReply
from kapture.commands.cdp_access import check_command, visible_result
from kapture.commands.cdp_event_access import EventAccess
from kapture.endpoints.cdp.console_gaps import ConsoleGaps
from kapture.endpoints.cdp.documents import ScriptDocuments
from kapture.endpoints.cdp.downloads import ScriptDownloads
from kapture.endpoints.cdp.messages import METHOD_NOT_FOUND, Command, Replies
from kapture.endpoints.cdp.restored_pages import RestoredPages
from kapture.endpoints.cdp.running_code import RunningCode
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.holding import Hold
from kapture.hub.tabs.tab import kind_of
from kapture.policy import Grant

_DIALOGS = {"Page.javascriptDialogOpening": True, "Page.javascriptDialogClosed": False}
"""Whether a dialog is open after these events."""
_NO_UNIQUE = "uniqueContextId not found"
_NOT_FOR_EXTENSIONS = "Chrome offers extensions a part of the protocol only: use a browser of `kapture launch` for it."


@attrs.define(eq=False)
class _Judged:
    """The state by which one CDP session is judged."""

    documents: ScriptDocuments
    access: EventAccess


class PageSession:
    """`session_id` is the script's id for it, `parent` the session on which it was announced."""

    def __init__(
        self,
        session_id: str,
        target_id: str,
        parent: str | None,
        hold: Hold,
        replies: Replies,
        downloads: ScriptDownloads,
    ) -> None:
        self.session_id = session_id
        self.target_id = target_id
        self.parent = parent
        self.ended = trio.Event()
        self.hold = hold
        self._replies = replies
        self._downloads = downloads
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

    def owns(self, session_id: str) -> bool:
        """Whether this is the session of one of its frames or workers that was announced to the script."""
        return session_id in self._children

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve the session until `ended`. `started` once it exists."""
        assert self.hold.tab.scripts is not None  # noqa: S101  a held tab is connected
        async with self.hold.tab.scripts.script_session(self.deliver) as self._transport:
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
            self._replies.fail(command, error)
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
        """What the script may see of a result. A command is judged anew if the person has changed the tab's `grant`
        since it was sent."""
        with self.hold.calling():
            if self.hold.tab.grant is not grant:
                self.hold.check(method, params)
                check_command(method, params, documents, self.hold.check_upload)
            return visible_result(method, result, documents)

    def _as_asked(self, command: Command, error: KaptureError) -> KaptureError:
        """The browser's error; for a script that named no unique id, with the sentence that it knows for a context that
        is gone, and for a method that Chrome keeps from extensions, with what has it."""
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
        documents = ScriptDocuments(self.hold.documents, target_id)
        return _Judged(documents, EventAccess(documents))
