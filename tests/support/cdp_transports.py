"""Fake CDP transports, for tests that only feed events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.cdp import CdpCommand, PendingReply, run_program


class SilentTransport:
    """A browser that never answers."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        return PendingReply()

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        run_program(self.submit, commands)


class EmptyTransport(SilentTransport):
    """A browser that answers every command with an empty result."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        reply.resolve({})
        return reply
