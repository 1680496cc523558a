"""Converts an address that a client wrote to the URL to open, or an error that says why not."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit  # noqa: TID251  ValueError is caught

import attrs

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.read_gate import origin_of
from kapture.split_url import join_url, split_url

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST_AND_PORT = re.compile(r"[^/?#:\s]+:\d{1,5}(?:[/?#]|$)")
_HOST = re.compile(r"[^\s/?#:@]+\.[^\s/?#:@]+|localhost|\[[0-9A-Fa-f:.]+\]")
_NO_HOST = re.compile(r"[\s<>^|]|%(?![0-9A-Fa-f]{2})")
"""Characters that no host has: https://url.spec.whatwg.org/#forbidden-domain-code-point"""
_RELATIVE = ("/", "./", "../", "?", "#")
_WEB = frozenset({"http", "https"})
_OPEN = _WEB | {"about", "data", "blob", "file"}

_BLANK = "about:blank"
_OWN_PAGES = "The browser's own pages cannot be opened or read."
_REFUSED: Mapping[str, str | Wording] = {
    "about": "Of these, only about:blank can be opened, without ? or #: browsers let no extension into the others.",
    "javascript": Wording("javascript: URLs run code instead of opening a page.", "Use {evaluate}."),
    **dict.fromkeys(("chrome", "chrome-untrusted", "chrome-search", "devtools", "edge", "brave"), _OWN_PAGES),
    "chrome-extension": "Pages of extensions cannot be opened or read.",
    "view-source": Wording("Read the source of a page with {get_html}."),
    "mailto": "mailto: URLs open a mail program, not a page.",
}


@attrs.frozen
class Destination:
    """The URL to open. `note` says what was assumed, for the answer."""

    url: str
    note: str = ""


def destination(given: str, *, base: str, may_open: Callable[[str], bool]) -> Destination:
    """The URL meant by `given` on a page at `base`.

    Without a scheme https is assumed (http for this machine and IP addresses); `/path`, `?query` and `#hash` are
    relative to the page. `INVALID_PARAMS` if it is not an address, `NAVIGATION_FAILED` for schemes that are not
    opened, `POLICY_DENIED` if `may_open` refuses it.
    """
    text = given.strip()
    if text.lower() == _BLANK:
        return Destination(_BLANK)
    if not text or any(ord(char) < 0x20 for char in text):
        raise _not_an_address(given)
    found = _resolve(text, base)
    _check_scheme(found.url)
    # about: and data: documents belong to the page that opens them, which policy has checked already.
    opened = found.url.removeprefix("blob:")
    if (scheme := split_url(opened).scheme) in _WEB | {"file"} and not may_open(opened):
        site = "file://" if scheme == "file" else "that site"
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{origin_of(found.url)} is outside this tab's grant.",
            hint=f"Ask the person to add {site} to the tab's grant in the Kapture panel.",
            data={"url": found.url[:500]},
        )
    return found


def _resolve(text: str, base: str) -> Destination:
    if text.startswith("//"):
        scheme = split_url(base).scheme
        url = f"{scheme if scheme in _WEB else 'https'}:{text}"
        return Destination(_checked(url, text), f"assumed {url}")
    if text.startswith(_RELATIVE):
        if split_url(base).scheme not in _WEB | {"file"}:
            raise _not_an_address(text, "The page has no URL that it could be relative to.")
        return Destination(_checked(join_url(base, text), text))
    if _SCHEME.match(text) and not _HOST_AND_PORT.match(text):
        return Destination(_checked(text, text))
    host = re.split(r"[/?#]", text, maxsplit=1)[0]
    if not _HOST.fullmatch(re.sub(r":\d{1,5}$", "", host)) or " " in host:
        raise _not_an_address(text)
    url = f"{'http' if _is_local(host) else 'https'}://{text}"
    return Destination(_checked(url, text), f"assumed {url}")


def _checked(url: str, text: str) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _not_an_address(text) from error
    if parts.scheme in _WEB and (not parts.hostname or port == 0 or _NO_HOST.search(parts.netloc)):
        raise _not_an_address(text)
    return url


def _check_scheme(url: str) -> None:
    scheme = split_url(url).scheme.lower()
    if scheme in _OPEN and (scheme != "about" or url == _BLANK):
        return
    why = _REFUSED.get(scheme, "Only web pages (http, https) can be opened.")
    raise KaptureError(
        ErrorCode.NAVIGATION_FAILED,
        f"{scheme}: URLs cannot be opened.",
        hint=why,
        data={"url": url[:500], "reason": "scheme", "scheme": scheme},
    )


def _is_local(host: str) -> bool:
    name = re.sub(r":\d{1,5}$", "", host).strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _not_an_address(text: str, why: str = "") -> KaptureError:
    return KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"{text[:200]!r} is not a valid URL.{' ' + why if why else ''}",
        hint="Give a complete URL, such as https://example.com/path.",
        data={"parameter": "url"},
    )
