"""The parts of a URL that others wrote: a page's links, headers and script names may not be URLs at all.

Those of the web are read as the browser reads them (https://url.spec.whatwg.org/): a backslash is a slash, and any
number of slashes leads to a host, where `urlsplit` and `urljoin` see a path of the site that wrote it. Both raise for
some texts (`http://[`, `http://a℀b`).
URLs that decide about grants are parsed in `kapture.policy.grant`.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit  # noqa: TID251  ValueError is caught

_BACKSLASH = "\\"
_STRIPPED = "".join(map(chr, range(0x21)))
_REMOVED = dict.fromkeys(map(ord, "\t\r\n"))
_WEB = re.compile(r"(https?|wss?):([^?#]*)(.*)", re.DOTALL | re.IGNORECASE)
_PATH = re.compile(r"([^?#]*)(.*)", re.DOTALL)
_USERINFO = re.compile(r"(?<=//)[^\s/?#@\\\"'<>`]++(?:@[^\s/?#@\\\"'<>`]*+)*(?=@)@")


def without_userinfo(text: str) -> str:
    """The text with the name and the password removed from every URL in it: `https://ann:tea@host/` → `https://host/`."""
    return _USERINFO.sub("", text) if "//" in text and "@" in text else text


def split_url(url: str) -> SplitResult:
    """The parts of a URL; of one that cannot be split all is its path."""
    try:
        return urlsplit(_absolute(url))
    except ValueError:
        return SplitResult("", "", url, "", "")


def join_url(base: str, url: str) -> str:
    """A URL as seen from another one. If the two cannot be joined: with the scheme that it would be opened by, where
    it names a host, or else unchanged."""
    scheme = base.partition(":")[0].lower()
    seen = _absolute(_relative(scheme, url)) if _WEB.fullmatch(f"{scheme}:") else url
    try:
        return urljoin(base, seen)
    except ValueError:
        return seen


def _absolute(url: str) -> str:
    """With exactly two slashes before the host, if it is an address of the web."""
    found = _WEB.fullmatch(_clean(url))
    if found is None:
        return url
    scheme, rest, after = found.groups()
    return f"{scheme}://{rest.replace(_BACKSLASH, '/').lstrip('/')}{after}"


def _relative(scheme: str, url: str) -> str:
    """Return the address to which a page of the web refers: without its own scheme, unless that is followed by two
    slashes."""
    text = _clean(url)
    own, colon, rest = text.partition(":")
    if colon and own.lower() == scheme:
        text = rest
    elif colon and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.\-]*", own):
        return text
    path, after = _PATH.fullmatch(text).groups()  # type: ignore[union-attr]
    path = path.replace(_BACKSLASH, "/")
    return f"{scheme}:{path}{after}" if path.startswith("//") else f"{path}{after}"


def _clean(url: str) -> str:
    return url.strip(_STRIPPED).translate(_REMOVED)
