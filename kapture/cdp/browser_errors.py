"""The meaning of the error messages with which Chromium refuses a CDP command.

Chromium refuses a command with an English sentence and nearly always the same code. All sentences that Kapture
acts on are listed here, by their meaning. They come from
content/browser/devtools, third_party/blink/renderer/core/inspector, v8/src/inspector and
chrome/browser/extensions/api/debugger in Chromium's source.
"""

from __future__ import annotations

from enum import Enum

from kapture.errors import Detached, ErrorCode, ExecutionFailed, KaptureError, TabDisconnected

METHOD_NOT_FOUND = -32601
"""JSON-RPC's code for a method that the target does not offer."""


class Refusal(Enum):
    """The meanings, each with substrings of the sentences that express it."""

    GONE = (
        "Cannot find context",
        "uniqueContextId not found",
        "context was destroyed",
        "navigated or closed",
        "Session with given id not found",
        "Frame with the given id was not found",
        "No frame for given id",
        "Could not find object with given id",
        "Cannot find execution context",
        "Promise was collected",
        "Inspected target",
    )
    """The addressed document, frame, session or object no longer exists."""

    NEVER_SETTLES = ("Promise was collected",)
    """The awaited promise does not exist any more: nothing that could settle it does. Of those that are `GONE`."""

    DEBUGGER_DETACHED = ("Detached while handling command", "Debugger is not attached", "No tab with given id", "No SW")
    """`chrome.debugger` is not attached to the tab any more; "No SW": the extension's worker is being stopped."""

    ALREADY_ATTACHED = ("already attached",)
    """`chrome.debugger` is already attached to the tab."""

    SCRIPT_TERMINATED = ("Internal error", "Execution was terminated")
    """The script was terminated, for example by `Runtime.terminateExecution`."""

    INVALID_URL = ("invalid URL",)
    """`Page.navigate` was given an invalid URL."""

    FILE_NOT_ALLOWED = ("Not allowed",)
    """`DOM.setFileInputFiles` is refused to this client."""

    NO_TOOL = ("Tool not found",)
    """`WebMCP.invokeTool` was given the name of a tool that the document does not declare."""

    OTHER_EXTENSION = ("of different extension",)
    """`chrome.debugger` is refused, because a frame of the page belongs to another extension."""

    WITHOUT_ORIGIN = ('contents of url ""',)
    """The same, because the address of a frame has no origin: `blob:null/…`, in a sandboxed frame."""

    ABOUT_ADDRESS = ('contents of url "about:',)
    """The same, because the page or a frame is at `about:blank#…` or `about:blank?…`: only `about:blank` is allowed."""

    FILE_ADDRESS = ('contents of url "file:',)
    """The same, because the extension may not see files."""

    NO_EXTENSIONS = (
        "Cannot access a chrome",
        "Cannot access contents",
        "Cannot attach to this target",
        "extensions gallery",
    )
    """`chrome.debugger` is refused on the page, as on the browser's own pages."""

    PAGE_RANGE = ("age range",)
    """`Page.printToPDF` was asked for pages that the document does not have."""

    def explains(self, sentence: str) -> bool:
        """Whether the browser's sentence has this meaning."""
        sentence = sentence.lower()
        return any(part.lower() in sentence for part in self.value)


class CdpError(ExecutionFailed):
    """The browser refused a CDP command.

    `cdp_code` is the JSON-RPC code that Chromium gave (-32000 server error, -32601 unknown method, …), `cdp_data` what
    it added: which parameter is wrong, for example.
    """

    def __init__(self, method: str, message: str, cdp_code: int = -32000, cdp_data: object = None) -> None:
        self.cdp_data = cdp_data if isinstance(cdp_data, str) else ""
        whole = f"{method}: {message}" + (f" ({self.cdp_data})" if self.cdp_data else "")
        super().__init__(ErrorCode.EXECUTION_ERROR, whole, data={"method": method, "cdpCode": cdp_code})
        self.method = method
        self.reason = message
        self.cdp_code = cdp_code

    def means(self, refusal: Refusal) -> bool:
        """Whether this is why the browser refused."""
        return refusal.explains(self.reason)


def is_gone(error: KaptureError) -> bool:
    """Whether the error means that the addressed document, frame, session or tab no longer exists."""
    if isinstance(error, CdpError):
        return error.means(Refusal.GONE)
    return isinstance(error, Detached) or (
        isinstance(error, TabDisconnected) and error.data.get("reason") == "target_closed"
    )


def is_gone_or_unsupported(error: KaptureError) -> bool:
    """Whether the error means that the session has ended or does not offer the method."""
    return is_gone(error) or (isinstance(error, CdpError) and error.cdp_code == METHOD_NOT_FOUND)
