"""Pages that the browser lets no extension debug: the reason, in words for clients of a relay.

`extension/worker/cdp.js` does the same in the Kapture extension.
"""

from __future__ import annotations

from kapture.cdp import Refusal
from kapture.errors import Detached, ErrorCode


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
