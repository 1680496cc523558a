"""Settling: waiting for the effects of an action.

The watch begins before the action and sees every event of the browser. It ends by events, never after a fixed time: at
once if nothing started; if a navigation started, once its document is parsed; if requests started, once they are
answered, within a short limit; if a dialog opened, at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, Protocol

import trio

from kapture.cdp import CdpSession
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialog
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.look import Look
from kapture.page.documents.pending_call import PendingCall
from kapture.page.documents.read_gate import ReadGate
from kapture.page.downloads import Downloads, shown_download
from kapture.page.settling.navigation_watcher import NavigationWatcher
from kapture.page.settling.open_requests import OpenRequests
from kapture.page.settling.outcome import Outcome, ScrolledPart
from kapture.page.settling.reports import file_input_of, refused_of, restyled_of, scrolled_of
from kapture.split_url import split_url

REQUESTS_BOUND_S = 0.5
NAVIGATION_BOUND_S = 15.0
REPORT_BOUND_S = 1.0
"""How much longer than its requests an action waits for the report of a tab or a download that it has started."""

# What a page may need before it shows the effect of an action; not images, beacons and streams.
_AWAITED = {"Document", "XHR", "Fetch", "Script", "Stylesheet"}


class Settling(Protocol):
    """The part of the page that settling needs."""

    frames: FrameTree
    awaited: AwaitedDocument
    downloads: Downloads
    gate: ReadGate

    @property
    def children_connect(self) -> bool:
        """Whether tabs that this one opens are connected, so that their ids are reported."""


class Watch:
    """Watches a page during one action."""

    def __init__(self, page: Settling, *, thorough: bool, look: Look | None = None) -> None:
        self.outcome = Outcome()
        self.thorough = thorough
        self.look = look
        self.touched: set[Frame] = set()
        self.navigation = NavigationWatcher(page.frames.main.id, page.frames.main.ask)
        self._page = page
        self._url = page.frames.main.url
        self._download: str | None = None
        self._requests = OpenRequests()
        self._ran: set[CdpSession] = set()
        self._scrolled: set[Frame] = set()
        self._transients: dict[Frame, list[str]] = {}
        self._parts: dict[Frame, list[ScrolledPart]] = {}
        self._changed = self.navigation.changed

    # Events

    def on_event(self, session: CdpSession, method: str, params: Mapping[str, Any]) -> None:
        """Process one event of any session of the tab."""
        if session.session_id is None:
            self.navigation.on_event(method, params)
        if handler := self._HANDLERS.get(method):
            handler(self, session, params)

    def on_dialog(self, dialog: Dialog) -> None:
        """Note that a dialog opened."""
        self.outcome.dialog = dialog
        self._changed.notify()

    def on_child(self, tab_id: str) -> None:
        """Note that a tab that this one opened has been connected."""
        self.outcome.opened_tabs.append(tab_id)
        self._changed.notify()

    def _on_request(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params.get("type") == "Image":
            self.outcome.asks = True
        if params.get("type") not in _AWAITED:
            return
        if self._requests.begin((session.session_id, params["requestId"])):
            self.outcome.requests += 1
        self._changed.notify()

    def _on_response(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params.get("type") in {"EventSource", "WebSocket"}:
            self._on_request_end(session, params)
            return
        key = (session.session_id, params["requestId"])
        self._requests.answer(key, params["response"], trio.current_time())
        self._changed.notify()

    def _on_request_end(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._requests.end((session.session_id, params["requestId"]))
        self._changed.notify()

    def _on_message(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self.outcome.asks = True

    def _on_window(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self.outcome.opened_urls.append(params["url"])
        self._changed.notify()

    def _on_download(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._download = params["guid"]
        self._changed.notify()

    def _on_crash(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._requests.clear()
        self._changed.notify()

    _HANDLERS: ClassVar[Mapping[str, Callable[[Watch, CdpSession, Mapping[str, Any]], None]]] = {
        "Network.requestWillBeSent": _on_request,
        "Network.responseReceived": _on_response,
        "Network.loadingFinished": _on_request_end,
        "Network.loadingFailed": _on_request_end,
        "Network.webSocketFrameSent": _on_message,
        "Page.windowOpen": _on_window,
        "Page.downloadWillBegin": _on_download,
        "Inspector.targetCrashed": _on_crash,
    }
    EVENTS: ClassVar[frozenset[str]] = NavigationWatcher.EVENTS | frozenset(_HANDLERS)
    """The events that must be passed to `on_event`."""

    # Waiting

    def on_settled(self, frame: Frame, report: Mapping[str, Any]) -> None:
        """Note that a frame has run the action's tasks already: its session need not be asked again."""
        self._ran.add(frame.session)
        self._take(frame, report)

    async def settle(self) -> None:
        """Return when everything that the action started is over, or its time limit has passed."""
        await self._flush(self.thorough)
        now = trio.current_time()
        requests_until = now + REQUESTS_BOUND_S
        navigation_until = now + min(NAVIGATION_BOUND_S, (trio.current_effective_deadline() - now) * 0.8)
        routed = False
        while self.outcome.dialog is None:
            if not self.navigation.is_over:
                if not await self._change_before(navigation_until):
                    underway = self.navigation.underway or self._page.frames.main
                    self.outcome.still_loading = self._shown(underway.url)
                    break
                requests_until = max(requests_until, trio.current_time() + REQUESTS_BOUND_S)
            elif not self.navigation.documents and self._requests:
                if not await self._change_before(self._requests.until(requests_until)):
                    if self.thorough:
                        await self._flush(True)  # for the messages that have come and gone meanwhile
                    break
                if not self._requests:
                    await self._flush(True)
            elif self._expects_report():
                if not await self._change_before(requests_until + REPORT_BOUND_S - REQUESTS_BOUND_S):
                    break
            elif self.thorough and self.navigation.same_document and not routed:
                routed = True
                await self._flush(True)  # `hashchange` and `popstate` are dispatched in tasks of their own
            else:
                break
        for frame in self._scrolled - {self._page.frames.main}:
            await self._report_of(frame, thorough=True)
        if self.look is not None and self._has_started():
            self.look.drop()
        await self._conclude()

    def _expects_report(self) -> bool:
        """Whether a new tab is not connected yet, or a download not reported."""
        opening = self._page.children_connect and len(self.outcome.opened_tabs) < len(self.outcome.opened_urls)
        return opening or self.navigation.expects_download

    async def first_change(
        self, within_s: float, came_before: Callable[[], Awaitable[bool]], scrolling: bool = True
    ) -> bool:
        """Wait for the first effect of timers that an action has set: a change of some document, a request, a
        navigation, a dialog. Returns whether one came in time. `came_before` is called when the documents are watched,
        and looks whether one had come. `scrolling`: whether it is a change that the action has scrolled something."""
        came, args = False, {"ms": within_s * 1000, "scrolling": scrolling}
        frames = [frame for frame in self._page.frames.all() if frame.granted and not frame.why_silent]
        with trio.move_on_after(within_s):
            async with trio.open_nursery() as nursery:

                def arrived() -> None:
                    nonlocal came
                    came = True
                    nursery.cancel_scope.cancel()

                async def listen() -> None:
                    while not self._has_started():
                        await self._changed.wait()
                    arrived()

                async def look(frame: Frame, begun: PendingCall | None) -> None:
                    try:
                        answer = await (begun.finish() if begun else frame.call("firstChange", args))
                    except KaptureError:
                        arrived()  # the document went away, or a dialog opened
                    else:
                        if answer["changed"]:
                            if answer.get("scrolled"):
                                self._scrolled.add(frame)
                            arrived()

                nursery.start_soon(listen)
                try:
                    for frame in frames:
                        nursery.start_soon(look, frame, frame.begin("firstChange", args))
                    if await came_before():
                        arrived()
                except KaptureError:
                    arrived()
        return came

    def _has_started(self) -> bool:
        """Whether the browser has reported since the watch began that something started."""
        outcome, navigation = self.outcome, self.navigation
        reported = outcome.dialog or outcome.requests or outcome.opened_urls or self._download
        return bool(reported or navigation.url or navigation.documents) or not navigation.is_over

    async def _change_before(self, deadline: float) -> bool:
        with trio.move_on_at(deadline):
            await self._changed.wait()
            return True
        return False

    async def _flush(self, thorough: bool) -> None:
        """Let the page run its queued tasks. What they start is reported before the answer comes."""
        frames = {self._page.frames.main, *self.touched}
        ran, self._ran = self._ran, set()
        one_a_session = {frame.session: frame for frame in frames if not frame.detached and frame.session not in ran}
        for frame in one_a_session.values():
            if self.outcome.dialog is not None or self.navigation.is_underway or self.navigation.documents:
                return
            await self._report_of(frame, thorough=thorough)

    async def _report_of(self, frame: Frame, *, thorough: bool) -> None:
        try:
            with self._page.awaited.asked_in_time():
                self._take(frame, await frame.call("settle", {"thorough": thorough}))
        except KaptureError:
            return  # the document went away, or a dialog opened: events report both

    def _take(self, frame: Frame, report: Mapping[str, Any]) -> None:
        frame.resting = report["resting"]
        self.outcome.add_left(report)
        if frame.granted:
            self.outcome.file_input = file_input_of(frame, report.get("chooser")) or self.outcome.file_input
            self.outcome.refused = refused_of(frame, report.get("refused")) or self.outcome.refused
            self._transients[frame] = list(report.get("transients", ()))
            if "scrolled" in report:  # all of it, as it is by now: what has scrolled back is gone
                self._parts[frame] = [scrolled_of(frame, one) for one in report["scrolled"]]
                self.outcome.scrolled = [one for parts in self._parts.values() for one in parts]
            reported = [*self.outcome.restyled, *(restyled_of(frame, one) for one in report.get("restyled", ()))]
            # What still moves is reported each time that the page is flushed: the last report says where it came to.
            self.outcome.restyled = list({(one.element, one.attribute): one for one in reported}.values())

    async def _conclude(self) -> None:
        outcome, navigation = self.outcome, self.navigation
        outcome.unanswered = self._requests.unanswered()
        outcome.transients = [message for messages in self._transients.values() for message in messages]
        outcome.http_status = navigation.status(navigation.loader_id)
        outcome.same_document = navigation.same_document
        outcome.new_document = navigation.documents > 0 and not navigation.restored
        # Pages that replace the entry of the history by one with the same address have gone nowhere.
        if navigation.url is not None and not (navigation.same_document and navigation.url == self._url):
            outcome.navigated_to = self._shown(navigation.url)
        if navigation.unreachable is not None:
            reason = await navigation.failure_reason()
            outcome.navigation_error = f"{self._shown(navigation.unreachable)}: {reason}"
        outcome.opened_urls = [self._shown(url) for url in outcome.opened_urls]
        if self._download is not None:
            outcome.download = shown_download(self._page.downloads.get(self._download), self._page.gate)

    def _shown(self, url: str) -> str:
        """The URL, or only its site if the grant does not cover it."""
        if self._page.gate(url):
            return url
        parts = split_url(url)
        return f"{parts.scheme}://{parts.netloc}/… (outside the grant)" if parts.netloc else f"{parts.scheme}:…"
