"""Why Chrome interrupted a download, in words.

The reasons are those of `chrome.downloads` (`InterruptReason`), with the meanings that Chromium's
`download_interrupt_reason_values.h` gives them. Other browsers and Kapture itself give texts, which stay as they are.
"""

from __future__ import annotations

_WORDS = {
    "FILE_ACCESS_DENIED": "the browser may not write the file",
    "FILE_BLOCKED": "a policy of the browser blocks the file",
    "FILE_FAILED": "the browser could not write the file",
    "FILE_NO_SPACE": "the disk is full",
    "FILE_SECURITY_CHECK_FAILED": "the browser could not check that the file is safe",
    "FILE_VIRUS_INFECTED": "the browser takes the file for a virus",
    "NETWORK_DISCONNECTED": "the connection was lost",
    "NETWORK_FAILED": "the network failed",
    "NETWORK_INVALID_REQUEST": "the browser does not request this URL",
    "NETWORK_SERVER_DOWN": "the server cannot be reached",
    "NETWORK_TIMEOUT": "the server did not answer in time",
    "SERVER_BAD_CONTENT": "the server does not have the file, as with HTTP status 404",
    "SERVER_CERT_PROBLEM": "the server's certificate is not valid",
    "SERVER_CONTENT_LENGTH_MISMATCH": "the connection ended before the whole file had come",
    "SERVER_FAILED": "the server failed",
    "SERVER_FORBIDDEN": "the server refuses access to the file",
    "SERVER_UNAUTHORIZED": "the server asks to sign in first",
    "SERVER_UNREACHABLE": "the server answered something else than a file",
    "USER_CANCELED": "it was cancelled in the browser",
    "USER_SHUTDOWN": "the browser was closed",
}


def interruption(reason: str | None) -> str:
    """The reason in words, followed by Chrome's own name for it: `the disk is full (FILE_NO_SPACE)`."""
    if not reason:
        return "no reason given"
    words = _WORDS.get(reason)
    return f"{words} ({reason})" if words else reason
