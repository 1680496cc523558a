"""Raw commands of the Chrome DevTools Protocol, within the grant of the tab."""

from __future__ import annotations

import json
import weakref
from contextlib import nullcontext
from typing import Annotated, Any, Literal

import attrs
from msgspec import Meta

from kapture.cdp import CdpError, CdpSession
from kapture.cdp.rules import cdp_rules
from kapture.commands.cdp_access import check_command, visible_result
from kapture.commands.cdp_event_access import EventAccess
from kapture.commands.core.answer import Answer
from kapture.commands.core.context import ClientView, TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page
from kapture.page.documents.frames import SessionDocuments
from kapture.page.tab_memory import Ring, texts_bytes


@attrs.frozen(kw_only=True)
class CdpResult(Answer):
    """The browser's result, unchanged."""

    exact = True

    result: dict[str, Any]

    def text(self) -> str:
        """JSON in one line."""
        return json.dumps(self.result, ensure_ascii=False)


@attrs.frozen(kw_only=True)
class CdpEvent:
    """One event. `number` grows by one with each event; `session` identifies the frame's process that sent it."""

    number: int
    method: str
    params: dict[str, Any]
    session: str | None = None


@attrs.frozen(kw_only=True)
class CdpEventsAnswer(Answer):
    """Events since the cursor, oldest first; the cursor to continue from; how many were dropped unread."""

    subscribed: list[str]
    events: list[CdpEvent] = attrs.field(factory=list)
    cursor: int = 0
    missed: int = 0

    def text(self) -> str:
        """One line per event."""
        lines = [f"{one.number} {one.method} {json.dumps(one.params, ensure_ascii=False)}" for one in self.events]
        if self.missed:
            lines.insert(0, f"({self.missed} earlier events are no longer kept)")
        lines.append(f"cursor {self.cursor}; subscribed to {', '.join(self.subscribed) or 'nothing'}")
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class Cdp:
    """Send one Chrome DevTools Protocol command to the tab."""

    method: Annotated[str, Meta(pattern=r"^[A-Za-z]+\.[A-Za-z0-9]+$", description="Such as Page.getLayoutMetrics.")]
    params: dict[str, Any] = attrs.field(factory=dict)
    session: Annotated[str | None, Meta(description="Frame (f2) whose session is meant; default the page's.")] = None


@command("cdp", access=Access.FULL, toolset="raw", destructive=True, long=True)
async def cdp(tab: TabContext, params: Cdp) -> CdpResult:
    """Send it; an error of the browser is reported with the browser's message."""
    frame = tab.page.frames.main if params.session is None else tab.page.frames.find(params.session)
    frame.check_granted()
    documents = SessionDocuments(tab.page.frames, tab.page.gate, frame.session)
    sent = check_command(params.method, params.params, documents, tab.files.check_upload)
    makes_pdf = tab.page.dialogs.expecting_pdf() if params.method == "Page.printToPDF" else nullcontext()
    try:
        with makes_pdf:
            result = await tab.page.client_settings.submit(frame.session, params.method, sent).wait()
    except CdpError as error:
        raise KaptureError(ErrorCode.EXECUTION_ERROR, error.message, data={"cdpCode": error.cdp_code}) from error
    frame.check_granted()  # it may show another document meanwhile
    return CdpResult(result=visible_result(params.method, result, documents))


MAX_EVENTS = 1_000
MAX_EVENT_CHARS = 100_000


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


@command("cdp_events", access=Access.FULL, lane=Lane.CONTROL, toolset="raw", idempotent=True, long=True)
async def cdp_events(tab: TabContext, params: CdpEvents) -> CdpEventsAnswer:
    """Subscribe, unsubscribe or read. Each client has its own buffer for each tab."""
    buffer = _buffer_of(tab.client, tab.page)
    if params.action != "read" and not params.events:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, f"To {params.action}, name the events.", data={"missing": "events"}
        )
    if params.action == "subscribe":
        documents = SessionDocuments(tab.page.frames, tab.page.gate, tab.page.frames.main.session)
        wanted = params.events or []
        for method in wanted:
            if cdp_rules().event(method).named != "client" and not documents.any_site:
                raise KaptureError(
                    ErrorCode.POLICY_DENIED,
                    f"{method} can reveal documents outside the sites that this tab is granted.",
                    hint="Use logs, network and wait_for, or ask the person to connect the tab for any site.",
                )
        buffer.methods.update(wanted)
        await _collect(tab.page, buffer)
    elif params.action == "unsubscribe":
        buffer.methods.difference_update(params.events or ())
    else:
        found, missed = buffer.read(params.since, params.events, params.max)
        cursor = found[-1].number if len(found) == params.max else buffer.last
        return CdpEventsAnswer(subscribed=sorted(buffer.methods), events=found, cursor=cursor, missed=missed)
    return CdpEventsAnswer(subscribed=sorted(buffer.methods), cursor=buffer.last)


@attrs.frozen
class _KeptEvent:
    """An event with its parameters as JSON, which takes a fraction of the memory of decoded ones."""

    number: int
    method: str
    params: str
    session: str | None

    def decoded(self) -> CdpEvent:
        return CdpEvent(number=self.number, method=self.method, params=json.loads(self.params), session=self.session)


_EVENT_BYTES = 250
"""The size of an event without its parameters."""


def _event_bytes(event: _KeptEvent) -> int:
    return _EVENT_BYTES + texts_bytes(event.params)


@attrs.define(eq=False)
class EventBuffer:
    """The newest events, bounded in number; a holder (`kapture.page.tab_memory`), which bounds their size."""

    methods: set[str] = attrs.field(factory=set)
    collecting: bool = False
    """Whether a `_Collector` adds events to it."""
    last: int = 0
    kept: Ring[_KeptEvent] = attrs.field(factory=lambda: Ring(MAX_EVENTS, _event_bytes))

    def add(self, method: str, params: dict[str, Any], session: str | None) -> None:
        """Add an event; drops the oldest for it."""
        text = json.dumps(params)
        if len(text) > MAX_EVENT_CHARS:
            text = json.dumps({"dropped": f"{len(text)} characters of parameters"})
        self.last += 1
        self.kept.append(_KeptEvent(self.last, method, text, session))

    def read(self, since: int | None, methods: list[str] | None, limit: int) -> tuple[list[CdpEvent], int]:
        """The first `limit` events after a cursor, and how many after it have been dropped."""
        first = self.kept.oldest.number if self.kept.oldest is not None else self.last + 1
        missed = max(0, first - 1 - (since or 0))
        wanted = (
            event for event in self.kept if event.number > (since or 0) and (methods is None or event.method in methods)
        )
        return [event.decoded() for event, _ in zip(wanted, range(limit), strict=False)], missed


def _buffer_of(client: ClientView, page: Page) -> EventBuffer:
    """The client's buffer for this page. It is dropped together with the client."""
    kept = client.kept.get("cdp_events")
    if kept is None or kept[0]() is not page:
        kept = client.kept["cdp_events"] = (weakref.ref(page), EventBuffer())
        page.memory.add("events", kept[1].kept)
        page.subscriptions.add(kept[1])
    found: EventBuffer = kept[1]
    return found


async def _collect(page: Page, buffer: EventBuffer) -> None:
    """Add the events of the page to a buffer from now on, until it is subscribed to none or is dropped."""
    if buffer.collecting:
        return
    buffer.collecting = True
    collector = _Collector(page, buffer)
    for session in page.sessions:
        await collector.observe(session)


class _Collector:
    """Adds the events of every session of a page to a buffer. It leaves the page with the first event that comes when
    the buffer is subscribed to none or has been dropped."""

    def __init__(self, page: Page, buffer: EventBuffer) -> None:
        self._page = page
        self._buffer = weakref.ref(buffer)
        self._left = False
        self._leave = page.on_session(self.observe)

    async def observe(self, session: CdpSession) -> None:
        """Add the events of this session, too."""
        access = EventAccess(SessionDocuments(self._page.frames, self._page.gate, session))

        def take(event: dict[str, Any]) -> None:
            buffer = self._current()
            if buffer is None:
                undo()
                return
            for method, params in access.passing(event["method"], event["params"]):
                if method in buffer.methods:
                    buffer.add(method, params, session.session_id)

        if self._current() is not None:
            undo = session.on("*", take)
            # The hub's own has the browser repeat its entries in a new session: they end before this one is answered.
            access.sent("Log.enable", session.submit("Log.enable"))

    def _current(self) -> EventBuffer | None:
        """The buffer; None once this collector has left the page."""
        buffer = self._buffer()
        if not self._left and (buffer is None or not buffer.methods):
            self._left = True
            self._leave()
            if buffer is not None:
                buffer.collecting = False
        return None if self._left else buffer
