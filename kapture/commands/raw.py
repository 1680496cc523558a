"""The Chrome DevTools Protocol as it is, within the grant of the tab."""

from __future__ import annotations

import json
import weakref
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.cdp import CdpError, CdpSession
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import ClientView, TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page

MAX_EVENTS = 1_000
MAX_EVENT_CHARS = 100_000
MAX_BUFFER_CHARS = 4_000_000

# Domains that reach other tabs, the browser or the machine: no grant of one tab covers them.
_BEYOND_THE_TAB = ("Browser.", "Target.", "SystemInfo.", "Extensions.", "Tethering.", "Memory.", "IO.resolveBlob")
_OF_THE_TAB = ("Target.setAutoAttach", "Target.getTargetInfo")

# Methods that reach every site's data at once: only for a grant of any site.
_ALL_SITES = (
    "Network.getAllCookies",
    "Network.clearBrowserCookies",
    "Network.clearBrowserCache",
    "Storage.getCookies",
    "Storage.setCookies",
    "Storage.clearCookies",
    "Storage.getSharedStorageEntries",
)

_ANY_SITE = "https://any-site.kapture.invalid/"

# Parameters that name a site, wherever they stand in the parameters of a method.
_SITES = ("url", "urls", "origin", "storageKey", "securityOrigin", "domain")


@attrs.frozen(kw_only=True)
class Cdp:
    """Send one Chrome DevTools Protocol command to the tab."""

    method: Annotated[str, Meta(pattern=r"^[A-Za-z]+\.[A-Za-z0-9]+$", description="Such as Page.getLayoutMetrics.")]
    params: dict[str, Any] = attrs.field(factory=dict)
    session: Annotated[str | None, Meta(description="Frame (f2) whose session is meant; default the page's.")] = None


@attrs.frozen(kw_only=True)
class CdpResult(Answer):
    """The browser's result as it is."""

    result: dict[str, Any]

    def text(self) -> str:
        """JSON in one line."""
        return json.dumps(self.result, ensure_ascii=False)


@command("cdp", access=Access.FULL, toolset="raw", destructive=True)
async def cdp(tab: TabContext, params: Cdp) -> CdpResult:
    """Send it; what the browser refuses is told in its words."""
    _check(tab.page, params.method, params.params)
    session = _session(tab.page, params.session)
    try:
        return CdpResult(result=await session.send(params.method, params.params))
    except CdpError as error:
        raise KaptureError(
            ErrorCode.EXECUTION_ERROR, f"{params.method}: {error.reason}", data={"cdpCode": error.cdp_code}
        ) from error


@attrs.frozen(kw_only=True)
class CdpEvents:
    """Collect events of the Chrome DevTools Protocol. Enable their domain with cdp first."""

    action: Literal["subscribe", "read", "unsubscribe"] = "read"
    events: (
        Annotated[
            list[Annotated[str, Meta(pattern=r"^[A-Za-z]+\.[A-Za-z0-9]+$")]],
            Meta(max_length=50, description="Names, such as Network.requestWillBeSent. read: only these."),
        ]
        | None
    ) = None
    since: Annotated[int, Meta(ge=0, description="Cursor of the last read.")] | None = None
    max: Annotated[int, Meta(ge=1, le=MAX_EVENTS)] = 100


@attrs.frozen(kw_only=True)
class CdpEvent:
    """One event. `number` grows by one from event to event; `session` is the frame process it came from."""

    number: int
    method: str
    params: dict[str, Any]
    session: str | None = None


@attrs.frozen(kw_only=True)
class CdpEventsAnswer(Answer):
    """Events since the cursor, oldest first; the cursor to go on from; how many were dropped unread."""

    subscribed: list[str]
    events: list[CdpEvent] = attrs.field(factory=list)
    cursor: int = 0
    missed: int = 0

    def text(self) -> str:
        """A line an event."""
        lines = [f"{one.number} {one.method} {json.dumps(one.params, ensure_ascii=False)}" for one in self.events]
        if self.missed:
            lines.insert(0, f"({self.missed} events were dropped: the buffer holds {MAX_EVENTS})")
        lines.append(f"cursor {self.cursor}; subscribed to {', '.join(self.subscribed) or 'nothing'}")
        return "\n".join(lines)


@command("cdp_events", access=Access.FULL, lane=Lane.CONTROL, toolset="raw", idempotent=True)
async def cdp_events(tab: TabContext, params: CdpEvents) -> CdpEventsAnswer:
    """Each client has a buffer of its own for each tab."""
    buffer = await _buffer_of(tab.client, tab.page)
    if params.action != "read" and not params.events:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, f"To {params.action}, name the events.", data={"missing": "events"}
        )
    if params.action == "subscribe":
        for method in params.events or ():
            _check(tab.page, method, {})
            buffer.methods.add(method)
    elif params.action == "unsubscribe":
        buffer.methods.difference_update(params.events or ())
    else:
        found, missed = buffer.read(params.since, params.events, params.max)
        cursor = found[-1].number if len(found) == params.max else buffer.last
        return CdpEventsAnswer(subscribed=sorted(buffer.methods), events=found, cursor=cursor, missed=missed)
    return CdpEventsAnswer(subscribed=sorted(buffer.methods), cursor=buffer.last)


@attrs.define(eq=False)
class EventBuffer:
    """The newest events, bounded in number and in size."""

    methods: set[str] = attrs.field(factory=set)
    last: int = 0
    _events: deque[tuple[CdpEvent, int]] = attrs.field(factory=deque)
    _chars: int = 0

    def add(self, method: str, params: dict[str, Any], session: str | None) -> None:
        """Keep one event; the oldest make room."""
        size = len(json.dumps(params))
        if size > MAX_EVENT_CHARS:
            params, size = {"dropped": f"{size} characters of parameters"}, 60
        self.last += 1
        self._events.append((CdpEvent(number=self.last, method=method, params=params, session=session), size))
        self._chars += size
        while len(self._events) > MAX_EVENTS or self._chars > MAX_BUFFER_CHARS:
            self._chars -= self._events.popleft()[1]

    def read(self, since: int | None, methods: list[str] | None, limit: int) -> tuple[list[CdpEvent], int]:
        """The first `limit` events after a cursor, and how many after it are no longer there."""
        first = self._events[0][0].number if self._events else self.last + 1
        missed = max(0, first - 1 - (since or 0))
        wanted = (
            event
            for event, _ in self._events
            if event.number > (since or 0) and (methods is None or event.method in methods)
        )
        return [event for event, _ in zip(wanted, range(limit), strict=False)], missed


async def _buffer_of(client: ClientView, page: Page) -> EventBuffer:
    """The client's buffer for this page. When the client goes so does its buffer, and the page forgets it."""
    kept = client.kept.get("cdp_events")
    if kept is None or kept[0]() is not page:
        buffer = EventBuffer()
        kept = client.kept["cdp_events"] = (weakref.ref(page), buffer)
        observe = _collector(page, weakref.ref(buffer))
        page.on_session(observe)
        for session in page.sessions:
            await observe(session)
    found: EventBuffer = kept[1]
    return found


def _session(page: Page, name: str | None) -> CdpSession:
    frame = page.frames.main if name is None else page.frames.find(name)
    frame.check_granted()
    return frame.session


def _check(page: Page, method: str, params: Mapping[str, Any]) -> None:
    """`POLICY_DENIED` for what reaches beyond the sites that this tab is granted."""
    if method.startswith(_BEYOND_THE_TAB) and method not in _OF_THE_TAB:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} reaches beyond this tab.",
            hint="Use the commands for tabs: list_tabs, tab_new, tab_close, tab_activate.",
        )
    if method in _ALL_SITES and not page.gate(_ANY_SITE):
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{method} works on the data of every site, and this tab is granted only some.",
            hint="Use cookies or storage, or ask the person to grant any site.",
        )
    for place in _sites_in(params):
        if not page.gate(place):
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"{method} names {place[:200]}, which is outside what this tab is granted.",
                hint="Ask the person to add that site to the tab's grant in the Kapture panel.",
            )


def _sites_in(params: Mapping[str, Any]) -> Iterator[str]:
    """URLs of the sites that parameters name."""
    for key in _SITES:
        given = params.get(key)
        for one in given if isinstance(given, list) else [given]:
            if not isinstance(one, str) or not one:
                continue
            if key == "domain":
                yield f"https://{one.lstrip('.')}/"
            elif one.startswith(("http://", "https://", "file:")):
                yield one
            elif one.startswith("blob:http"):
                yield one.removeprefix("blob:")


def _collector(page: Page, buffer: weakref.ref[EventBuffer]) -> Callable[[CdpSession], Awaitable[None]]:
    """Feeds a buffer from every session of a page, for as long as somebody holds the buffer."""

    def is_granted(session: CdpSession) -> bool:
        return any(frame.session is session and frame.granted for frame in page.frames.all())

    async def observe(session: CdpSession) -> None:
        def take(event: dict[str, Any]) -> None:
            kept = buffer()
            if kept is None:
                undo()
            elif event["method"] in kept.methods and is_granted(session):
                kept.add(event["method"], event["params"], session.session_id)

        if buffer() is not None:
            undo = session.on("*", take)

    return observe
