"""Settings made by clients' raw commands in the sessions of a tab, which the hub shares with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kapture.cdp import CdpSession, PendingReply
from kapture.cdp.session_settings import Settings

_KEPT_BY_THE_HUB = frozenset(
    {"Emulation.setFocusEmulationEnabled", "Page.setLifecycleEventsEnabled", "Page.startScreencast"}
)


class ClientSettings:
    """The settings of all clients together: the grant by which they set it is the tab's."""

    def __init__(self, root: CdpSession) -> None:
        self._root = root
        self._settings = Settings()
        self._user = object()  # another one after each end
        self.debugged: set[CdpSession] = set()
        """The sessions whose debugger clients have enabled."""
        self.on_debugger_off: Callable[[CdpSession], None] = lambda _: None

    @property
    def in_force(self) -> bool:
        """Whether anything that raw commands have set is in force."""
        return self._settings.any

    def submit(self, session: CdpSession, method: str, params: Mapping[str, Any]) -> PendingReply:
        """Send a client's command."""
        user = self._user
        if method not in _KEPT_BY_THE_HUB:
            self._settings.sent(user, method, params, session.session_id)
        if method == "Debugger.enable":
            self.debugged.add(session)
        reply = session.submit(method, params)
        reply.then(lambda reply: self._answered(user, session, method, reply))
        return reply

    def forget(self, session: CdpSession) -> None:
        """A session has ended, and with it all that was set in it."""
        self._settings.forget(session.session_id)
        self.debugged.discard(session)

    def end(self) -> None:
        """Undo everything at once, without waiting: the grant does not cover it any more."""
        user, self._user = self._user, object()
        self._undo(user)
        for session in tuple(self.debugged):
            session.submit("Debugger.disable")
            self._debugger_off(session)

    def _answered(self, user: object, session: CdpSession, method: str, reply: PendingReply) -> None:
        if method == "Debugger.disable":
            self._debugger_off(session)
        if reply.error is None:
            self._settings.answered(user, method, reply.value(), session.session_id)
            if user is not self._user:
                self._undo(user)

    def _undo(self, user: object) -> None:
        for method, params, session_id in self._settings.leave(user):
            session = self._root if session_id is None else self._root.connection.session(session_id)
            session.submit(method, params)

    def _debugger_off(self, session: CdpSession) -> None:
        self.debugged.discard(session)
        self.on_debugger_off(session)
