"""The network conditions of a tab: offline, slow, or the machine's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.cdp import CdpSession, PendingReply, is_gone
from kapture.cdp.rules import cdp_rules
from kapture.errors import KaptureError

_SET = "Network.emulateNetworkConditions"


class NetworkConditions:
    """Those of all sessions with documents, also of later ones. `sessions`: the current ones."""

    def __init__(self, sessions: Sequence[CdpSession]) -> None:
        self._sessions = sessions
        self._conditions: Mapping[str, Any] | None = None

    async def set(self, conditions: Mapping[str, Any]) -> None:
        """Send these parameters of `Network.emulateNetworkConditions` to every session; one may go away meanwhile."""
        self._conditions = dict(conditions)
        for reply in [session.submit(_SET, conditions) for session in self._sessions]:
            try:
                await reply.wait()
            except KaptureError as error:
                if not is_gone(error):
                    raise

    def apply(self, session: CdpSession) -> list[PendingReply]:
        """Send what has been set to a new session."""
        return [] if self._conditions is None else [session.submit(_SET, self._conditions)]

    def end(self) -> None:
        """Back to normal at once, without waiting: the grant does not cover them any more."""
        if self._conditions is not None:
            self._conditions = None
            for session in self._sessions:
                session.submit(_SET, cdp_rules().undo[_SET].params)
