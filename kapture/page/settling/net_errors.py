"""The browser's `net::ERR_…` in words: why a page could not be opened."""

from __future__ import annotations

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.split_url import split_url

_REASONS = {
    "ERR_CONNECTION_REFUSED": ("nothing listens there (connection refused)", "Check host and port, and that it runs."),
    "ERR_NAME_NOT_RESOLVED": ("the host name is unknown", "Check the spelling of the host."),
    "ERR_INTERNET_DISCONNECTED": ("the browser is offline", "Check the network, or whether it was set offline."),
    "ERR_ADDRESS_UNREACHABLE": ("the address cannot be reached", "Check the network."),
    "ERR_CONNECTION_TIMED_OUT": ("the server did not answer", "Try again later."),
    "ERR_TIMED_OUT": ("the server did not answer", "Try again later."),
    "ERR_CONNECTION_RESET": ("the server broke the connection", "Check that it speaks http or https as the URL says."),
    "ERR_EMPTY_RESPONSE": ("the server closed the connection without an answer", "Check the server."),
    "ERR_SSL_PROTOCOL_ERROR": ("the server does not speak https", "Try http://."),
    "ERR_TOO_MANY_REDIRECTS": ("it redirects in a circle", "Clearing the site's cookies may help."),
    "ERR_UNSAFE_PORT": ("the browser opens no pages on that port", "Serve on another port."),
    "ERR_FILE_NOT_FOUND": ("there is no such file", "Check the path."),
    "ERR_BLOCKED_BY_CLIENT": ("an extension, or a rule that route has set, blocked it", ""),
    "ERR_INVALID_RESPONSE": ("the server's answer is not valid HTTP", "Check the server."),
    "ERR_HTTP_RESPONSE_CODE_FAILURE": ("the server answered with an error and without a page", "Check the address."),
    "ERR_INVALID_AUTH_CREDENTIALS": ("the server asks for a name and a password", "Ask the person to sign in there."),
    "ERR_UNKNOWN_URL_SCHEME": ("the browser has no handler for that scheme", ""),
}


def navigation_failed(url: str, error: str, status: int | None = None) -> KaptureError:
    """`NAVIGATION_FAILED` with the browser's `net::ERR_…` in words. `status`: of the server's answer, if one came."""
    code = error.removeprefix("net::")
    hint: str | Wording
    reason, hint = _REASONS.get(code, ("", ""))
    if code == "ERR_HTTP_RESPONSE_CODE_FAILURE" and status is not None:
        reason = f"the server answered HTTP {status} without a page"
    if code == "ERR_ABORTED" and split_url(url).scheme == "data":
        reason, hint = (
            "the browser takes no tab there for an extension",
            Wording("Open it in a tab of its own with {tab_new}."),
        )
    if not reason and code.startswith("ERR_CERT"):
        reason, hint = "the server's certificate is not valid", "Open it in the browser once to see the details."
    return KaptureError(
        ErrorCode.NAVIGATION_FAILED,
        f"{url[:500]} could not be opened: {f'{reason} ({code})' if reason else code}.",
        hint=hint,
        data={"url": url[:500], "reason": code},
    )
