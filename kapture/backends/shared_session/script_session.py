"""One of the sessions by which a script shares the debugger's session of a tab (see `shared_session`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from kapture.backends.backend import DeliverEvent
from kapture.backends.shared_session.session_subscriptions import Subscriptions
from kapture.cdp import CdpCommand, PendingReply, run_program
from kapture.cdp.program import Json
from kapture.cdp.session_settings import SessionId
from kapture.cdp.target_filter import Filter
from kapture.errors import ErrorCode, KaptureError

Submit: TypeAlias = "Callable[[ScriptSession, str, Mapping[str, Any], SessionId], PendingReply]"


@attrs.frozen
class AutoAttach:
    """What a script's `Target.setAutoAttach` asks for."""

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
