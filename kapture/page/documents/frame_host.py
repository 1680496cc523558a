"""A frame in one process, and whose document it shows there.

A document whose URL names no site (`about:blank`, `srcdoc`, `data:`) belongs to whoever created it. Chromium makes
`securityOrigin` of CDP's `Page.Frame` from the URL, so for those it says nothing; the origin of the document's
execution context does. Whoever holds a reference to a window can take it to `about:blank` and write there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from kapture.cdp import CdpSession
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY, ReadGate, creator_url, names_no_site, origin_of

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://.*[^/]|file://")
"""An origin that is not opaque; Chromium writes an opaque one as `://`."""


_MOST_SHOWN = 50
"""How many documents of a frame are remembered one by one."""


def _text() -> str:
    """A field that takes text only: every list of tabs shows it, and what browsers send is not checked before."""
    return attrs.field(default="", validator=attrs.validators.instance_of(str))


@attrs.define(eq=False)
class FrameHost:
    """The CDP session of a process, and the document that the frame shows there."""

    session: CdpSession
    url: str = _text()
    name: str = _text()
    loader_id: str = _text()
    came_from: str = _text()
    """The URL that decides about a document whose own names no site; empty if its parent frame's decides."""
    unreachable: str = _text()
    """The URL in whose place the browser shows its error page; empty if this is none."""
    opaque: bool = False
    """Whether nothing says who made the document: its URL names no site, and its origin is opaque or not known yet."""
    opened: bool = False
    """Whether a client has opened the document, by `Page.navigate`."""
    in_opened_tab: bool = False
    """Whether it is the document of a tab that a page has opened."""
    gone: bool = False
    out_of_reach: bool = False
    """Whether it has gone to a process in which the backend gets no session."""

    def has_unknown_maker(self, gate: ReadGate) -> bool:
        """Whether a document of a tab that has shown another before, or that a page opened, may be of any, of which not
        all are granted.

        A sandboxed document gives its opaque origin to the blank page, or blob, that it takes a tab to, and its windows
        may write there. Only the browser takes a tab to a `data:` URL, and to a blank page of an origin of its own.
        """
        by_browser = self.url.startswith("data:") or (self.opened and not self.url.startswith("blob:"))
        is_first = self.came_from == "" and not self.in_opened_tab
        return self.opaque and not is_first and not by_browser and not gate(EVERY_SITE)

    def announce(self, url: str) -> None:
        """Note the URL that the browser gives for a target, until its process has reported a document.

        It is empty while the frame still has its initial empty document, which is its parent's, as `srcdoc` is.
        """
        if self.loader_id:
            return
        self.url = url
        self.opaque = _names_no_maker(url) if url else self.opaque
        if url.startswith("blob:http"):
            self.came_from = url.removeprefix("blob:")
        elif not self.came_from and names_no_site(url) and url and not url.startswith("about:srcdoc"):
            self.came_from = NOBODY

    def commit(self, info: Mapping[str, Any], before: str) -> None:
        """Set a new document from CDP's `Page.Frame`; `before` is the deciding URL of the frame's previous one."""
        initial = info["url"] == ":"
        self.url = "about:blank" if initial else info["url"] + info.get("urlFragment", "")
        self.opaque = not initial and _names_no_maker(self.url)
        self.name = info.get("name", "")
        self.loader_id = info["loaderId"]
        self.unreachable = info.get("unreachableUrl", "")
        self.came_from = (
            creator_url(self.url, info.get("securityOrigin", ""), before) if names_no_site(self.url) else ""
        )

    def created_by(self, origin: str, around: str) -> bool:
        """Note the origin of the document's execution context; returns whether that changes whose document it is.

        `around` is the deciding URL of the parent frame; empty if there is none.
        """
        if not names_no_site(self.url):
            return False
        before = self.came_from, self.opaque
        self.opaque = _ORIGIN.fullmatch(origin) is None and _names_no_maker(self.url)
        if _ORIGIN.fullmatch(origin) is not None:
            if origin_of(self.came_from or around) != origin_of(f"{origin}/"):
                self.came_from = f"{origin}/"
        elif self.came_from == NOBODY and around:
            self.came_from = ""
        return (self.came_from, self.opaque) != before


def with_shown(shown: tuple[str, ...], url: str) -> tuple[str, ...]:
    """The URLs that decide about the documents which a frame has shown, with one more; nobody known for too many."""
    if url in shown or NOBODY in shown:
        return shown
    return (*shown, url if len(shown) < _MOST_SHOWN else NOBODY)


def _names_no_maker(url: str) -> bool:
    """Whether a document with this URL may have been made by any document that may navigate its frame.

    An empty document that has not navigated yet, and `srcdoc`, are of the parent frame; most blobs name their site.
    """
    return url != "" and names_no_site(url) and not url.startswith(("about:srcdoc", "blob:http"))
