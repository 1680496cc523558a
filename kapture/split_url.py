"""The parts of an address that others wrote: a page's links, headers and script names need not be addresses.

`urlsplit` and `urljoin` raise for some of those (`http://[`, `http://a℀b`), wherever the text happens to be looked at.
What decides about grants is parsed in `kapture.policy.address`.
"""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit  # noqa: TID251  ValueError is caught


def split_url(url: str) -> SplitResult:
    """The parts of a URL; of one that cannot be split all is its path."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url, "", "")


def join_url(base: str, url: str) -> str:
    """A URL as seen from another one; unchanged if the two cannot be joined."""
    try:
        return urljoin(base, url)
    except ValueError:
        return url
