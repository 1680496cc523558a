"""CDP over a relay extension: a message for each command, and no sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.backends.relay.closed_to_extensions import closed_to_extensions
from kapture.backends.relay.relay_blank import BLANK, GoingBlank
from kapture.cdp import CdpCommand, CdpError, PendingReply, Refusal, run_program
from kapture.errors import ErrorCode, KaptureError


class Relay(Protocol):
    """The part of a browser's relay that a tab needs."""

    downloads: BrowserDownloads
    last_message_at: float

    def submit(self, method: str, params: Mapping[str, Any]) -> PendingReply:
        """Send a relay command without waiting."""

    async def send(self, method: str, params: Mapping[str, Any]) -> Any:
        """Send a relay command; returns its result."""

    async def open_tab(self, url: str, *, active: bool) -> str:
        """Open a tab; returns its tabId."""


class RelayTransport:
    """`CdpTransport` of one tab."""

    def __init__(self, browser: Relay, chrome_id: int) -> None:
        self._browser = browser
        self._chrome_id = chrome_id
        self.leavable: Callable[[], str | None] = lambda: None
        """Returns the main frame's id if its document may take itself to `about:blank`."""
        self.going_blank: GoingBlank | None = None

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
        reply = PendingReply()
        if method == "Page.navigate" and params.get("url") == BLANK and (frame_id := self.leavable()) is not None:
            self.going_blank = GoingBlank(frame_id, reply)
            self.going_blank.start(lambda method, params: self.submit(method, params, None))
            return reply
        if session_id is not None or method == "Target.setAutoAttach":
            # Attaching to it would pause a frame that no command could resume.
            reply.fail(
                KaptureError(ErrorCode.UNSUPPORTED, "A relay cannot reach frames or workers in other processes.")
            )
            return reply
        answer = self._browser.submit("cdp.send", {"tabId": self._chrome_id, "method": method, "params": dict(params)})

        def settle(answer: PendingReply) -> None:
            if answer.error is None:
                result = answer.value().get("result")
                reply.resolve(result if isinstance(result, dict) else {})
            elif isinstance(answer.error, CdpError):
                reply.fail(_cdp_refusal(method, answer.error.reason))
            else:
                reply.fail(answer.error)

        answer.then(settle)
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Send a program, one message per command. Extensions may carry out at once what comes at once: what follows an
        input event waits for its answer."""
        before = (None, *(command.method for command in commands))
        run_program(
            self.submit,
            [
                attrs.evolve(command, wait_for_previous=True) if (method or "").startswith("Input.") else command
                for method, command in zip(before, commands, strict=False)
            ],
        )


def _cdp_refusal(method: str, reason: str) -> KaptureError:
    if Refusal.DEBUGGER_DETACHED.explains(reason):
        return KaptureError(
            ErrorCode.DETACHED,
            f"The tab was closed, or its debugger detached, while this ran: {reason[:500]}",
            hint="It may have taken effect. List the tabs to see which there are.",
            quotes_page=True,
        )
    return closed_to_extensions(reason) or CdpError(method, reason)
