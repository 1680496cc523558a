"""The end of a navigation."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Navigated(Answer):
    """Where the tab is now. `status` is None for a document that was not loaded by HTTP.

    `title` is None if the page may not be read; then `url` is only its site, and `download`, which it may have started
    itself, has no name.
    """

    url: str
    title: str | None
    status: int | None = None
    outcome: str = "navigated"  # "navigated", "same_document", "restored", "download", "no_content", "stayed"
    redirects: int = 0
    download: str | None = None
    note: str | None = None

    def text(self) -> str:
        """One line on what happened and where the tab is, and one on what was assumed."""
        at = self.url if self.title is None else f"{self.url} {self.title!r}"
        download = "download started" if self.download is None else f"download started: {self.download}"
        status = "" if self.status is None else f"HTTP {self.status}"
        lines = [
            {
                "navigated": f"at {at}",
                "same_document": f"at {at} (the same document)",
                "restored": f"at {at} (restored from the back/forward cache)",
                "download": f"{download}; the tab is still at {at}",
                "no_content": f"the server sent no page{status and f' ({status})'}; the tab is still at {at}",
                "stayed": f"the tab is still at {at}",
            }[self.outcome]
        ]
        if status and self.outcome != "no_content":
            lines[0] += f", {status}"
        if self.redirects:
            lines[0] += f", {self.redirects} redirect{'s' if self.redirects > 1 else ''}"
        if self.outcome == "navigated" and self.download is not None:
            lines.append(download)
        if self.note:
            lines.append(self.note)
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class Stopped(Answer):
    """Loading was stopped."""

    stopped: bool = True

    def text(self) -> str:
        """One line."""
        return "loading stopped"
