"""Tabs: listing, opening, closing and activating them."""

from __future__ import annotations

from typing import Annotated

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.context import HubContext, TabContext, TabWish
from kapture.commands.core.destination import destination
from kapture.commands.core.registry import Access, Lane, Scope, command
from kapture.commands.formatters.tabs import Activated, Closed, FrameInfo, Given, Opened, Tabs, TabState

REQUEST_TIMEOUT_MS = 120_000  # for a person to read, and maybe to find the tab
_PATIENCE_S = 2.0


@attrs.frozen(kw_only=True)
class ListTabs:
    """List the connected tabs: tabId, title, url and grant."""


@command("list_tabs", access=Access.NONE, scope=Scope.HUB, lane=Lane.CONTROL, idempotent=True, open_world=False)
async def list_tabs(hub: HubContext, params: ListTabs) -> Tabs:
    """List the connected tabs; just after the hub's start wait for those that are about to reconnect."""
    await hub.hub.tabs_back()
    rows = [dict(row) for row in hub.hub.tab_rows()]
    return Tabs(tabs=rows, none=None if rows else dict(hub.hub.why_no_tab()))


@attrs.frozen(kw_only=True)
class RequestTab:
    """Ask the person to connect a tab; they choose which, its sites and level."""

    reason: Annotated[str, Meta(min_length=1, description="What for; they read it.")]
    url: Annotated[str | None, Meta(description="Page wanted.")] = None


@command(
    "request_tab",
    access=Access.NONE,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    timeout_ms=REQUEST_TIMEOUT_MS,
    toolset="tabs",
    open_world=False,
)
async def request_tab(hub: HubContext, params: RequestTab) -> Given:
    """Ask, and wait for the answer."""
    return Given(tab=dict(await hub.request_tab(TabWish(reason=params.reason, url=params.url))))


@attrs.frozen(kw_only=True)
class TabNew:
    """Open a connected tab with this tab's grant."""

    url: Annotated[str, Meta(min_length=1, description="URL to open.")] = "about:blank"
    active: Annotated[bool, Meta(description="Bring it to the front.")] = False


@command("tab_new", access=Access.INTERACT, toolset="tabs")  # a relative address shows the page's own
async def tab_new(tab: TabContext, params: TabNew) -> Opened:
    """Open a tab."""
    to = destination(params.url, base=tab.page.url, may_open=tab.page.gate)
    tab_id = await tab.browser.tab_new(to.url, active=params.active)
    if tab.hub.recorder is not None:
        await tab.hub.recorder.go_on_in(tab_id, opener_id=tab.tab_id)
    return Opened(tabId=tab_id, url=to.url, active=params.active, note=to.note or None)


@attrs.frozen(kw_only=True)
class TabClose:
    """Close the tab."""


# Not queued: a tab that hangs, or is blocked by a dialog, is the one that most needs closing.
@command("tab_close", access=Access.INTERACT, lane=Lane.CONTROL, toolset="tabs", destructive=True, reads_page=False)
async def tab_close(tab: TabContext, params: TabClose) -> Closed:
    """Close the tab."""
    await tab.browser.tab_close()
    return Closed(tabId=tab.tab_id)


@attrs.frozen(kw_only=True)
class TabActivate:
    """Bring the tab to the front of its window."""


@command("tab_activate", access=Access.INTERACT, lane=Lane.CONTROL, toolset="more", idempotent=True, reads_page=False)
async def tab_activate(tab: TabContext, params: TabActivate) -> Activated:
    """Bring the tab to the front."""
    await tab.browser.tab_activate()
    return Activated(tabId=tab.tab_id)


@attrs.frozen(kw_only=True)
class TabInfo:
    """Show the tab's URL, title, state, viewport, frames and dialog."""


@command("tab_info", access=Access.READ, lane=Lane.CONTROL, toolset="tabs", idempotent=True)
async def tab_info(tab: TabContext, params: TabInfo) -> TabState:
    """Collect what is known without waiting for the page's turn."""
    page = tab.page
    dialog = page.dialogs.current
    frames = [
        FrameInfo(frame=frame.key, url=frame.url if frame.granted else frame.origin, granted=frame.granted)
        for frame in page.frames.all()
        if frame.key
    ]
    recording = page.recording.active
    state = TabState(tabId=tab.tab_id, url=page.url, title=page.title, frames=frames, recording=recording)
    if dialog is not None:
        return attrs.evolve(state, dialog={"type": dialog.type, "message": dialog.message})
    with trio.move_on_after(_PATIENCE_S):  # of a page that is busy only a part is reported
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
            hidden=facts["hidden"],
        )
    return state
