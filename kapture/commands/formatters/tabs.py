"""Tabs, and changes to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import toons

from kapture.commands.core.answer import Answer
from kapture.commands.formatters.page_tools import page_tool_count

_PAUSED = "A paused tab comes back by itself when it shows a normal web page; navigate takes it to one."


@attrs.frozen(kw_only=True)
class Tabs(Answer):
    """One row per tab, from the hub. `none`: why there is no row, with `state`, `message` and `hint`."""

    tabs: list[dict[str, Any]]
    none: dict[str, Any] | None = None

    def has_page_text(self) -> bool:
        """Whether there are rows: titles and URLs are page text, the reason for having no tab is not."""
        return bool(self.tabs)

    def text(self) -> str:
        """TOON, or what to do if no tab is connected."""
        if not self.tabs:
            none = self.none or {"message": "No tab is connected.", "hint": ""}
            return f"{none['message']} {none['hint']}".rstrip()
        shown = ["tabId", "title", "url", "grant"]
        if any(row.get("kind") in ("token", "open") for row in self.tabs):
            shown.append("kind")
        if any(row.get("paused") for row in self.tabs):
            shown.append("paused")
        if any(row.get("heldBy") for row in self.tabs):
            shown.append("heldBy")
        if any(row.get("recording") for row in self.tabs):
            shown.append("recording")
        rows: list[dict[str, Any]] = [{key: _short(row.get(key)) for key in shown} for row in self.tabs]
        if any(row.get("pageTools") for row in self.tabs):
            rows = [
                {**shown, "declares": page_tool_count(row["pageTools"]) if row.get("pageTools") else ""}
                for shown, row in zip(rows, self.tabs, strict=True)
            ]
        table = toons.dumps({"tabs": rows})
        return f"{table}\n{_PAUSED}" if "paused" in shown else table


def _short(value: Any) -> Any:
    """A short text for a model, of a grant: `interact on example.com`; of a holder: `Playwright/1.65 since
    12:00:05`."""
    if isinstance(value, Mapping) and "since" in value:
        return f"{value['client']} since {value['since']}"
    if isinstance(value, Mapping):
        sites = value.get("sites") or []
        return f"{value.get('level', '?')} on {', '.join(sites) if sites else 'nothing'}"
    return "" if value is None else value


@attrs.frozen(kw_only=True)
class Given(Answer):
    """The tab that the person gave to a client on request."""

    tab: dict[str, Any]

    def text(self) -> str:
        """The tab, beginning with its id, which the client needs."""
        tab = self.tab
        return f"The person connected tab {tab['tabId']}: {tab['url']} ({_short(tab.get('grant'))})"


@attrs.frozen(kw_only=True)
class Opened(Answer):
    """The new tab."""

    tabId: str  # noqa: N815  the name clients send back
    url: str
    active: bool
    note: str | None = None

    def text(self) -> str:
        """The tab, beginning with its id, which the client needs."""
        where = "in the foreground" if self.active else "in the background"
        return f"opened tab {self.tabId} {where}: {self.url}" + (f"\n{self.note}" if self.note else "")


@attrs.frozen(kw_only=True)
class Closed(Answer):
    """The closed tab."""

    tabId: str  # noqa: N815

    def text(self) -> str:
        """One line."""
        return f"closed tab {self.tabId}"


@attrs.frozen(kw_only=True)
class Activated(Answer):
    """The tab in the foreground."""

    tabId: str  # noqa: N815

    def text(self) -> str:
        """One line."""
        return f"tab {self.tabId} is in the foreground"


@attrs.frozen(kw_only=True)
class FrameInfo:
    """One child frame. `url` is only the site if its document is not granted."""

    frame: str
    url: str
    granted: bool


@attrs.frozen(kw_only=True)
class TabState(Answer):
    """The state of a tab. Sizes and scroll positions in CSS pixels.

    While a dialog is open the page's scripts are blocked, and what only the page can tell is missing.
    """

    tabId: str  # noqa: N815
    url: str
    title: str
    ready_state: str | None = None
    viewport: tuple[int, int] | None = None
    scroll: tuple[int, int] | None = None
    page_size: tuple[int, int] | None = None
    device_scale: float | None = None
    hidden: bool = False
    frames: list[FrameInfo] = attrs.field(factory=list)
    dialog: dict[str, str] | None = None
    recording: bool = False

    def text(self) -> str:
        """One line per fact."""
        lines = [f"{self.tabId} {self.url} {self.title!r}"]
        if self.recording:
            lines.append("what is done here is being recorded")
        if self.ready_state is not None:
            lines.append(f"document {self.ready_state}" + (", hidden: nobody sees this tab" if self.hidden else ""))
        if self.viewport and self.page_size and self.scroll:
            lines.append(
                "viewport {}x{}".format(*self.viewport)
                + " at {},{}".format(*self.scroll)
                + " of {}x{}".format(*self.page_size)
                + f", scale {self.device_scale:g}"
            )
        for frame in self.frames:
            lines.append(f"frame {frame.frame}: {frame.url}" + ("" if frame.granted else " (not granted)"))
        if self.dialog is not None:
            lines.append(f"dialog open: {self.dialog['type']} {self.dialog['message']!r}")
        return "\n".join(lines)
