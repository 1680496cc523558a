"""How fast a page runs: as its client wants it (CPU throttling), or much slower while it floods its console.

Workers cannot be slowed down. One that floods reports nothing to its console until the flood is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.cdp import CdpCommand, CdpError, CdpTransport, PendingReply

_SET_RATE = "Emulation.setCPUThrottlingRate"
FLOODING_RATE = 50
"""The CPU throttling rate of a page that floods its console."""


class PageSpeed:
    """A tab's `CdpTransport`, which keeps track of the CPU throttling that a client has set."""

    def __init__(self, transport: CdpTransport) -> None:
        self._transport = transport
        self._wanted: Any = 1

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
        self._note(method, params)
        return self._transport.submit(method, params, session_id)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program."""
        for command in commands:
            self._note(command.method, command.params)
        self._transport.submit_all(commands)

    def slow_down(self, slow: bool, session_id: str | None) -> None:
        """Throttle the page, frame or worker of a session because it floods its console, or restore the rate that the
        client has set."""

        def on_reply(reply: PendingReply) -> None:
            if session_id is not None and isinstance(reply.error, CdpError):  # a worker
                for domain in ("Runtime", "Log"):
                    self._transport.submit(f"{domain}.{'disable' if slow else 'enable'}", {}, session_id)

        self._transport.submit(_SET_RATE, {"rate": FLOODING_RATE if slow else self._wanted}, session_id).then(on_reply)

    def _note(self, method: str, params: Mapping[str, Any]) -> None:
        if method == _SET_RATE:
            self._wanted = params.get("rate", 1)
