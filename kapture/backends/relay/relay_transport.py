"""CDP over a relay extension: a message for each command, and no sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import attrs

from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.cdp import CdpCommand, CdpError, PendingReply, Refusal, run_program
from kapture.errors import Detached, ErrorCode, KaptureError


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


# Taking a tab behind a relay to `about:blank`.
#
# Chrome gives that document the origin of whoever navigates to it. With `Page.navigate` that is the relay extension,
# and a document of an extension takes no commands. So the page is made to navigate there itself.

BLANK = "about:blank"
_ABORTED = {"errorText": "net::ERR_ABORTED"}
# Its value is whether no listener of the page has kept it from going there. A page may have a variable of that name.
_GO = f"""(() => {{
  let stays = false;
  const look = (event) => {{ stays = event.defaultPrevented; }};
  window.navigation?.addEventListener?.("navigate", look);
  location.href = "{BLANK}";
  window.navigation?.removeEventListener?.("navigate", look);
  return !stays;
}})()"""


class GoingBlank:
    """A navigation from within the page.

    `reply` is resolved like that of `Page.navigate`, even if the page stays; later results are ignored.
    """

    def __init__(self, frame_id: str, reply: PendingReply) -> None:
        self._frame_id = frame_id
        self._reply = reply

    def start(self, submit: Callable[[str, Mapping[str, Any]], PendingReply]) -> None:
        """Have the page go there."""
        submit("Runtime.evaluate", {"expression": _GO, "returnByValue": True}).then(self._ran)

    def _ran(self, run: PendingReply) -> None:
        if run.error is not None:
            self.end(run.error)
        elif run.value().get("result", {}).get("value") is not True:
            self._answer(_ABORTED)

    def deliver(self, method: str, params: Mapping[str, Any]) -> None:
        """Process one CDP event of the tab."""
        if method == "Page.frameStartedNavigating" and params.get("frameId") == self._frame_id:
            self._answer({"loaderId": params.get("loaderId")})
        elif method == "Page.frameNavigated" and (frame := params.get("frame", {})).get("id") == self._frame_id:
            self._answer({"loaderId": frame.get("loaderId")})
        elif method == "Page.javascriptDialogClosed" and not params.get("result"):
            self._answer(_ABORTED)

    def end(self, error: KaptureError) -> None:
        """Answer with an error, because the page cannot be followed any more."""
        self._reply.fail(error)

    def _answer(self, outcome: Mapping[str, Any]) -> None:
        self._reply.resolve({"frameId": self._frame_id, **outcome})


# Pages that the browser lets no extension debug: the reason, in words for clients of a relay.
#
# `extension/worker/cdp.js` does the same in the Kapture extension.


class ClosedToExtensions(Detached):
    """The browser lets no extension debug this page."""


_REASONS = {
    Refusal.OTHER_EXTENSION: (
        "Another extension has put a frame into this page, and the browser lets no extension debug such pages.",
        "Navigate to another page, or ask the person to turn that extension off for this site (often a password "
        "manager or a page assistant) and reload the page.",
    ),
    Refusal.WITHOUT_ORIGIN: (
        "A sandboxed frame of this page shows a document that the page has made itself (a blob: address). The browser "
        "shuts extensions out of such pages.",
        "Navigate to another page, or open this one in a browser that Kapture launches.",
    ),
    Refusal.ABOUT_ADDRESS: (
        "This page, or a frame of it, has an about: address other than about:blank itself (such as about:blank#top). "
        "The browser shuts extensions out of such pages.",
        "Navigate to another page, or open this one in a browser that Kapture launches.",
    ),
    Refusal.FILE_ADDRESS: (
        "The browser does not let this extension debug files.",
        "Navigate to a web page, or ask the person to turn on “Allow access to file URLs” for the relay extension on "
        "chrome://extensions.",
    ),
    Refusal.NO_EXTENSIONS: (
        "The browser does not allow extensions on this page",
        "Navigate to a web page.",
    ),
}


def closed_to_extensions(sentence: str) -> ClosedToExtensions | None:
    """The error for the browser's sentence; None if it refused for another reason."""
    for refusal, (message, hint) in _REASONS.items():
        if refusal.explains(sentence):
            whole = f"{message}: {sentence[:500]}" if refusal is Refusal.NO_EXTENSIONS else message
            return ClosedToExtensions(ErrorCode.DETACHED, whole, hint=hint)
    return None
