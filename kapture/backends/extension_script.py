"""The debugger's session of a tab of the extension, while a script uses it.

Chrome gives an extension one session per tab, so the hub and the script share it: the hub sees every event first, to
follow the tab's documents (`kapture.page.document_follower`), and what it enables for that is hidden from the script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from kapture.backends.backend import DeliverEvent
from kapture.cdp import CdpCommand, CdpConnection, CdpTransport, PendingReply
from kapture.cdp.pending_replies import Json
from kapture.cdp.target_filter import DEFAULT_FILTER, filter_of, passes
from kapture.errors import ErrorCode, KaptureError
from kapture.page.document_follower import DocumentFollower
from kapture.page.read_gate import ReadGate


class ExtensionScript:
    """`CdpTransport` of the script, over a session in its initial state; `deliver` gets what the script may see."""

    def __init__(self, transport: CdpTransport, gate: ReadGate, deliver: DeliverEvent) -> None:
        self._transport = transport
        self._deliver = deliver
        self._connection = CdpConnection(transport)
        self._ended: KaptureError | None = None
        self._page_enabled: set[str | None] = set()
        self._auto_attaches: set[str | None] = set()  # the sessions on which the script attaches to new targets
        self._unannounced: dict[str, tuple[str | None, Json]] = {}  # targets attached to only for the hub
        self._dialog = False
        self.documents = DocumentFollower(self._connection, gate)

    async def start(self) -> None:
        """Return when the tab's documents are known."""
        await self.documents.start()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command of the script."""
        if self._ended is not None:
            raise self._ended
        if method == "Page.enable":
            self._page_enabled.add(session_id)
        elif method == "Page.disable":
            self._page_enabled.discard(session_id)
            reply = PendingReply()
            reply.resolve({})
            return reply
        elif method == "Target.setAutoAttach":
            return self._auto_attach(params, session_id)
        elif method == "Target.detachFromTarget" and self.documents.follows(str(params.get("sessionId"))):
            reply = PendingReply()
            reply.fail(
                KaptureError(
                    ErrorCode.UNSUPPORTED,
                    "The session of a frame stays attached for as long as the script holds the tab.",
                    hint="Do not detach it: a paused frame continues with Runtime.runIfWaitingForDebugger.",
                )
            )
            return reply
        return self._transport.submit(method, params, session_id)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program."""
        self._transport.submit_all(commands)

    def deliver(self, method: str, params: Json, session_id: str | None) -> None:
        """Process one event of the tab."""
        self._connection.deliver(method, params, session_id)
        if method == "Page.javascriptDialogOpening":
            self._dialog = True
        elif method == "Page.javascriptDialogClosed":
            self._dialog = False
        elif method == "Target.attachedToTarget" and session_id not in self._auto_attaches:
            self._unannounced[params["sessionId"]] = (session_id, params)
            return
        elif method == "Target.detachedFromTarget" and self._unannounced.pop(params["sessionId"], None) is not None:
            return
        if not method.startswith("Page.") or session_id in self._page_enabled:
            self._deliver(method, params, session_id)

    def end(self, error: KaptureError) -> None:
        """Stop passing commands and events: the script has left, or the session has ended."""
        self._ended = self._ended or error

    def dismiss_dialog(self) -> None:
        """Dismiss a dialog that the script left open: it would block the page for the next user of the tab."""
        if self._dialog:
            with suppress(KaptureError):  # what cannot be sent will end with the session
                self._transport.submit("Page.handleJavaScriptDialog", {"accept": False}, None)

    def _auto_attach(self, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Enable auto-attach for the script, announcing targets that were attached to for the hub, as the browser
        would."""
        if not params.get("flatten"):
            raise KaptureError(ErrorCode.INVALID_PARAMS, "Only flat sessions are supported.", hint="Set flatten: true.")
        if not params.get("autoAttach"):
            self._auto_attaches.discard(session_id)
            reply = self._transport.submit("Target.setAutoAttach", params, session_id)
            self.documents.auto_attach(session_id)
            return reply
        filters = filter_of(params) or DEFAULT_FILTER
        self._auto_attaches.add(session_id)
        for child, (parent, attached) in tuple(self._unannounced.items()):
            if parent == session_id and passes(filters, attached["targetInfo"]["type"]):
                del self._unannounced[child]
                self._deliver("Target.attachedToTarget", attached, session_id)
        return self._transport.submit("Target.setAutoAttach", params, session_id)
