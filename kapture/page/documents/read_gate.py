"""The grant check on reads: which URL decides about a document, and whether the call in progress may read it.

Every call into a document asks the gate with the URL of the document whose execution context is addressed, so that a
navigation between check and call makes no difference. The decision itself is the hub's: the gate is a function that is
passed to `Page.open`, which requires one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.split_url import split_url

ReadGate: TypeAlias = Callable[[str], bool]
"""Whether the call in progress may read a document with this URL, now."""

_SCHEMES_WITHOUT_SITE = ("", "about", "data", "blob", "javascript")


NOBODY = "unknown:"
"""The URL of a document that is not known: no grant of named sites covers it."""


EVERY_SITE = "https://any-site.kapture.invalid/"
"""Stands for every web site at once: the gate lets it through only where neither grant nor policy closes any."""

ERROR_PAGE = "chrome-error"
"""The scheme of the page that the browser shows in place of one that could not be opened."""
NOT_OPENED = "could not be opened: the browser shows an error page in its place."


def names_no_site(url: str) -> bool:
    """Whether a document with this URL has its creator's origin, like `about:blank` and `srcdoc` frames."""
    if url.startswith(("https://", "http://")):
        return False  # every call asks this several times, mostly about such pages
    return split_url(url).scheme in _SCHEMES_WITHOUT_SITE


def creator_url(url: str, origin: str, previous: str) -> str:
    """The URL that decides about a document whose own names no site; empty if only its parent frame decides.

    `origin` is the security origin that the browser reports for it, `previous` the deciding URL of the document before.
    """
    if url.startswith("blob:http"):
        return url.removeprefix("blob:")
    if url.startswith("about:srcdoc"):
        return ""  # its text is an attribute in the parent's document
    if origin.startswith("http"):
        return origin + "/"
    return "" if names_no_site(previous) else previous


def shown_address(url: str, gate: ReadGate) -> str:
    """A URL; outside the grant only its origin, and `…` for the rest."""
    scheme, colon, rest = url.partition(":")
    web = {"ws": "http", "wss": "https"}.get(scheme.lower(), scheme.lower())
    if not colon or web not in ("http", "https", "file") or gate(f"{web}{colon}{rest}"):
        return url
    return f"{origin_of(url)}/…"


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, without user name: all that is shown of a document outside the grant."""
    parts = split_url(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else f"{parts.scheme}:"


class FrameNotGranted(PolicyDenied):
    """`POLICY_DENIED` for a frame of a granted page. `url` decides about its document: for the hub, which may ask the
    person, not for clients. `again`: nothing has been done yet, so the call can be repeated.
    """

    def __init__(self, url: str, key: str) -> None:
        origin = origin_of(url)
        super().__init__(
            ErrorCode.POLICY_DENIED,
            f"Frame {key} is at {origin}, which this tab's grant does not cover.",
            hint=f"Ask the person to add {split_url(origin).netloc or origin} to the tab's grant in the Kapture panel"
            " or popup.",
            data={"site": split_url(origin).netloc or origin.rstrip(":"), "frame": key},
        )
        self.url = url
        self.again = True


def read_denied(url: str, what: str) -> KaptureError:
    """`POLICY_DENIED` for a document that this URL decides about; `what` names it: "The page", "Frame f2"."""
    parts = split_url(url)
    site = parts.netloc or parts.scheme
    if parts.scheme == ERROR_PAGE:
        hint = "Navigate to another address."
        return KaptureError(ErrorCode.POLICY_DENIED, f"{what} {NOT_OPENED}", hint=hint, data={"site": site})
    of_site = parts.netloc or parts.scheme == "file"
    where = f"is at {site}, which this tab's grant does not cover" if of_site else "has no address that a grant covers"
    return KaptureError(
        ErrorCode.POLICY_DENIED,
        f"{what} {where}.",
        hint="Ask the person to extend the grant in the Kapture panel of that tab.",
        data={"site": site},
    )
