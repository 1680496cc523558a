"""Why the browser lets no extension debug a page, for those who use it through one. `extension/worker/cdp.js` says the
same in the Kapture extension.
"""

from __future__ import annotations

from kapture.cdp import Refusal
from kapture.errors import Detached, ErrorCode


class ClosedPage(Detached):
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
        "The browser lets this extension into no files.",
        "Navigate to a web page, or ask the person to turn on “Allow access to file URLs” for the relay extension on "
        "chrome://extensions.",
    ),
    Refusal.NO_EXTENSIONS: (
        "The browser does not allow extensions on this page",
        "Navigate to a web page.",
    ),
}


def closed_page(sentence: str) -> ClosedPage | None:
    """What the browser's sentence means for people; None if it refused for another reason."""
    for refusal, (message, hint) in _REASONS.items():
        if refusal.explains(sentence):
            whole = f"{message}: {sentence[:500]}" if refusal is Refusal.NO_EXTENSIONS else message
            return ClosedPage(ErrorCode.DETACHED, whole, hint=hint)
    return None
