"""Targets as a script sees them: the browser, and for each tab a page and, for clients that ask for it, a `tab`."""

from __future__ import annotations

from typing import Any

import attrs

CONTEXT_ID = "kapture"
"""The one browser context."""
BROWSER_TARGET_ID = "kapture-browser"


def browser_info() -> dict[str, Any]:
    """`TargetInfo` of the browser."""
    return {
        "targetId": BROWSER_TARGET_ID,
        "type": "browser",
        "title": "",
        "url": "",
        "attached": True,
        "canAccessOpener": False,
    }


@attrs.frozen(kw_only=True)
class PageTarget:
    """A tab's page. `target_id` is the browser's, and also the id of its main frame; `opener` is another target's
    id."""

    tab_id: str
    target_id: str
    url: str
    title: str
    opener: str | None = None

    @property
    def tab_target_id(self) -> str:
        """The id of the `tab` target around the page."""
        return f"tab-{self.target_id}"

    def id_of(self, kind: str) -> str:
        """The id of the target of this type, `page` or `tab`."""
        return self.target_id if kind == "page" else self.tab_target_id

    def info(self, kind: str, *, attached: bool) -> dict[str, Any]:
        """`TargetInfo` of the page or of the tab around it."""
        info: dict[str, Any] = {
            "targetId": self.id_of(kind),
            "type": kind,
            "title": self.title,
            "url": self.url,
            "attached": attached,
            "canAccessOpener": False,
            "browserContextId": CONTEXT_ID,
        }
        if self.opener is not None and kind == "page":
            info["openerId"] = self.opener
        return info
