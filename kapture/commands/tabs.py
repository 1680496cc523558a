"""Tabs: listing, opening, closing and activating them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import attrs
import toons
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import HubContext, TabContext, TabWish
from kapture.commands.core.destination import destination
from kapture.commands.core.in_the_way import undecided
from kapture.commands.core.registry import Access, Lane, Scope, command
from kapture.commands.page_tool_arguments import page_tool_count

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
        if any(row.get("owner") and not row.get("own") for row in self.tabs):
            shown.append("owner")
        if any(row.get("machine") for row in self.tabs):
            shown.append("machine")
        if any(row.get("profile") for row in self.tabs):
            shown.append("profile")
        if any(row.get("kind") in ("token", "open") for row in self.tabs):
            shown.append("kind")
        if any(row.get("paused") for row in self.tabs):
            shown.append("paused")
        if any(row.get("idle") for row in self.tabs):
            shown.append("idle")
        if any(row.get("heldBy") for row in self.tabs):
            shown.append("heldBy")
        if any(row.get("handedOver") for row in self.tabs):
            shown.append("handedOver")
        if any((row.get("standing") or {}).get("client") for row in self.tabs):
            shown.append("standing")
        if any(row.get("recording") for row in self.tabs):
            shown.append("recording")
        rows: list[dict[str, Any]] = [
            {key: "" if key == "owner" and row.get("own") else _short(row.get(key)) for key in shown}
            for row in self.tabs
        ]
        if any(row.get("pageTools") for row in self.tabs):
            rows = [
                {**shown, "declares": page_tool_count(row["pageTools"]) if row.get("pageTools") else ""}
                for shown, row in zip(rows, self.tabs, strict=True)
            ]
        table = toons.dumps({"tabs": rows})
        return f"{table}\n{_PAUSED}" if "paused" in shown else table


def _short(value: Any) -> Any:
    """A short text for a model, of a grant: `interact on example.com`; of a holder: `Playwright/1.65 since
    12:00:05`; of a standing grant for one client: `for claude only`."""
    if isinstance(value, Mapping) and "since" in value:
        return f"{value['client']} since {value['since']}"
    if isinstance(value, Mapping) and "until" in value:
        return f"for {value['client']} only" if value.get("client") else ""
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
    undecided: str = ""
    recording: bool = False

    def text(self) -> str:
        """One line per fact."""
        lines = [f"{self.tabId} {self.url} {self.title!r}"]
        if self.recording:
            lines.append("what is done here is being recorded")
        if self.ready_state is not None:
            background = ", hidden: the tab is in the background, whatever its page takes itself for"
            lines.append(f"document {self.ready_state}{background if self.hidden else ''}")
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
            lines.append(self.dialog.get("says") or f"dialog open: {self.dialog['type']} {self.dialog['message']!r}")
        if self.undecided:
            lines.append(self.undecided)
        return "\n".join(lines)


REQUEST_TIMEOUT_MS = 120_000  # for a person to read, and maybe to find the tab
_PATIENCE_S = 2.0


@attrs.frozen(kw_only=True)
class ListTabs:
    """List the connected tabs: yours and free ones, then those of other clients (owner)."""

    browser: Annotated[str | None, Meta(description="Name of the browser.")] = None


@command(
    "list_tabs", access=Access.NONE, scope=Scope.HUB, lane=Lane.CONTROL, idempotent=True, open_world=False, long=True
)
async def list_tabs(hub: HubContext, params: ListTabs) -> Tabs:
    """List the connected tabs; just after the hub's start wait for those that are about to reconnect."""
    await hub.hub.tabs_back()
    rows = [dict(row) for row in (*hub.hub.tab_rows(), *await hub.hub.rows_elsewhere())]
    if params.browser is not None and rows:
        rows = [row for row in rows if str(row["profile"]).casefold() == params.browser.casefold()]
        if not rows:
            return Tabs(tabs=[], none={"message": f"No tab of the browser {params.browser} is connected.", "hint": ""})
    return Tabs(tabs=rows, none=None if rows else dict(hub.hub.why_no_tab()))


@attrs.frozen(kw_only=True)
class RequestTab:
    """Ask the person to connect a tab; they choose which, its sites and level."""

    reason: Annotated[str, Meta(min_length=1, description="What the tab is needed for; the person reads it.")]
    url: Annotated[str | None, Meta(description="URL of the wanted page.")] = None
    tabId: Annotated[  # noqa: N815
        str | None, Meta(description="Another client's tab, to use it too.")
    ] = None
    browser: Annotated[str | None, Meta(description="Name of the browser.")] = None


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
    return Given(
        tab=dict(
            await hub.request_tab(
                TabWish(reason=params.reason, url=params.url, tab_id=params.tabId, browser=params.browser or "")
            )
        )
    )


@attrs.frozen(kw_only=True)
class TabNew:
    """Open a connected tab of your own with this tab's grant."""

    url: Annotated[str, Meta(min_length=1, description="URL to open.")] = "about:blank"
    active: Annotated[bool, Meta(description="Bring it to the front.")] = False
    shared: Annotated[bool, Meta(description="Let other clients use it too.")] = False
    browser: Annotated[str | None, Meta(description="Name of the browser, without tabId.")] = None


@command("tab_new", access=Access.INTERACT, toolset="tabs")  # a relative address shows the page's own
async def tab_new(tab: TabContext, params: TabNew) -> Opened:
    """Open a tab."""
    to = destination(params.url, base=tab.page.url, may_open=tab.page.gate)
    with tab.hub.opening_tab():
        tab_id = await tab.browser.tab_new(to.url, active=params.active)
        tab.hub.own_tab(tab_id, shared=params.shared)
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
class Released(Answer):
    """The tab that any client may use now."""

    tabId: str  # noqa: N815

    def text(self) -> str:
        """One line."""
        return f"released tab {self.tabId}: any client may use it"


@attrs.frozen(kw_only=True)
class TabRelease:
    """Give up a tab that you opened: any client may use it."""

    tabId: Annotated[str, Meta(min_length=1, description="The tab.")]  # noqa: N815


@command(
    "tab_release",
    access=Access.NONE,
    scope=Scope.HUB,
    lane=Lane.CONTROL,
    toolset="more",
    idempotent=True,
    open_world=False,
)
async def tab_release(hub: HubContext, params: TabRelease) -> Released:
    """Give up the tab."""
    hub.hub.release_tab(params.tabId)
    return Released(tabId=params.tabId)


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


@command("tab_info", access=Access.READ, lane=Lane.CONTROL, toolset="tabs", idempotent=True, long=True)
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
        says = {} if dialog.is_script else {"says": dialog.sentence()}
        return attrs.evolve(state, dialog={"type": dialog.type, "message": dialog.message, **says})
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
            hidden=facts["hidden"] or await tab.browser.tab_shown() is False,
            undecided=await undecided(page),
        )
    return state
