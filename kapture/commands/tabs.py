"""Tabs: which there are, and opening, closing and showing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import attrs
import toons
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import HubContext, TabContext
from kapture.commands.core.destination import destination, site
from kapture.commands.core.registry import Access, Lane, Scope, command

_PATIENCE_S = 2.0


@attrs.frozen(kw_only=True)
class ListTabs:
    """List the connected tabs: tabId, title, url and what is granted."""


@attrs.frozen(kw_only=True)
class Tabs(Answer):
    """One row a tab, as the hub gives it."""

    tabs: list[dict[str, Any]]

    def text(self) -> str:
        """TOON, or what to do when nothing is connected."""
        if not self.tabs:
            return (
                "No tab is connected. Ask the person to open the tab's Kapture panel or popup and press Connect, "
                "or to run `kapture launch`."
            )
        shown = ("tabId", "title", "url", "grant")
        rows = [{key: _short(row.get(key)) for key in shown} for row in self.tabs]
        return toons.dumps({"tabs": rows})


@command("list_tabs", access=Access.NONE, scope=Scope.HUB, lane=Lane.CONTROL, idempotent=True, open_world=False)
async def list_tabs(hub: HubContext, params: ListTabs) -> Tabs:
    """Every connected tab."""
    return Tabs(tabs=[dict(row) for row in hub.hub.tab_rows()])


def _short(value: Any) -> Any:
    """A grant as a model needs it: `interact on example.com`."""
    if isinstance(value, Mapping):
        sites = value.get("sites") or []
        return f"{value.get('level', '?')} on {', '.join(sites) if sites else 'nothing'}"
    return "" if value is None else value


@attrs.frozen(kw_only=True)
class TabNew:
    """Open a new tab, connected and granted as this one."""

    url: Annotated[str, Meta(min_length=1, description="Where to.")] = "about:blank"
    active: Annotated[bool, Meta(description="Show it to the person.")] = False


@attrs.frozen(kw_only=True)
class Opened(Answer):
    """The new tab."""

    tabId: str  # noqa: N815  the name clients send back
    url: str
    active: bool
    note: str | None = None

    def text(self) -> str:
        """Its id first: it is what the client needs."""
        where = "in front" if self.active else "in the background"
        return f"opened tab {self.tabId} {where}: {self.url}" + (f"\n{self.note}" if self.note else "")


@command("tab_new", access=Access.INTERACT, toolset="tabs", reads_page=False)
async def tab_new(tab: TabContext, params: TabNew) -> Opened:
    """Open a tab."""
    to = destination(params.url, base=tab.page.url, may_open=tab.page.gate)
    tab_id = await tab.browser.tab_new(to.url, active=params.active)
    return Opened(tabId=tab_id, url=to.url, active=params.active, note=to.note or None)


@attrs.frozen(kw_only=True)
class TabClose:
    """Close the tab."""


@attrs.frozen(kw_only=True)
class Closed(Answer):
    """The tab that is gone."""

    tabId: str  # noqa: N815

    def text(self) -> str:
        """Said in three words."""
        return f"closed tab {self.tabId}"


# Not queued: a tab that hangs, or waits in a dialog, is the one that most needs closing.
@command("tab_close", access=Access.INTERACT, lane=Lane.CONTROL, toolset="tabs", destructive=True, reads_page=False)
async def tab_close(tab: TabContext, params: TabClose) -> Closed:
    """Close the tab."""
    await tab.browser.tab_close()
    return Closed(tabId=tab.tab_id)


@attrs.frozen(kw_only=True)
class TabActivate:
    """Bring the tab to the front of its window."""


@attrs.frozen(kw_only=True)
class Activated(Answer):
    """The tab that the person sees now."""

    tabId: str  # noqa: N815

    def text(self) -> str:
        """Said in a few words."""
        return f"tab {self.tabId} is in front"


@command("tab_activate", access=Access.INTERACT, lane=Lane.CONTROL, toolset="more", idempotent=True, reads_page=False)
async def tab_activate(tab: TabContext, params: TabActivate) -> Activated:
    """Show the tab."""
    await tab.browser.tab_activate()
    return Activated(tabId=tab.tab_id)


@attrs.frozen(kw_only=True)
class TabInfo:
    """Tell the tab's URL, title, state, viewport, frames and dialog."""


@attrs.frozen(kw_only=True)
class FrameInfo:
    """One frame below the main one. `url` is only the site where its document is not granted."""

    frame: str
    url: str
    granted: bool


@attrs.frozen(kw_only=True)
class TabState(Answer):
    """The tab as it is. Sizes and scroll positions in CSS pixels.

    While a dialog is open the page's scripts stand still, and with them all that only the page can tell.
    """

    tabId: str  # noqa: N815
    url: str
    title: str
    ready_state: str | None = None
    viewport: tuple[int, int] | None = None
    scroll: tuple[int, int] | None = None
    page_size: tuple[int, int] | None = None
    device_scale: float | None = None
    visible: bool | None = None
    frames: list[FrameInfo] = attrs.field(factory=list)
    dialog: dict[str, str] | None = None

    def text(self) -> str:
        """A line a fact."""
        lines = [f"{self.tabId} {self.url} {self.title!r}"]
        if self.ready_state is not None:
            lines.append(f"document {self.ready_state}, {'visible' if self.visible else 'in the background'}")
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


@command("tab_info", access=Access.READ, lane=Lane.CONTROL, toolset="tabs", idempotent=True)
async def tab_info(tab: TabContext, params: TabInfo) -> TabState:
    """What is known without waiting for the page's turn."""
    page = tab.page
    dialog = page.dialogs.current
    frames = [
        FrameInfo(frame=frame.key, url=frame.url if frame.granted else site(frame.url), granted=frame.granted)
        for frame in page.frames.all()
        if frame.key
    ]
    state = TabState(tabId=tab.tab_id, url=page.url, title=page.title, frames=frames)
    if dialog is not None:
        return attrs.evolve(state, dialog={"type": dialog.type, "message": dialog.message})
    with trio.move_on_after(_PATIENCE_S):  # a page that is busy says less, rather than nothing
        facts = await page.frames.main.call("documentState", {})
        return attrs.evolve(
            state,
            url=facts["url"],
            title=facts["title"],
            ready_state=facts["readyState"],
            viewport=tuple(facts["viewport"]),
            scroll=tuple(facts["scroll"]),
            page_size=tuple(facts["pageSize"]),
            device_scale=facts["deviceScale"],
            visible=facts["visible"],
        )
    return state
