"""Settling: watches a page during an action, and waits until it is over, by the rows of `table.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from typing import Any, ClassVar, Protocol

import trio

from kapture.cdp import CdpSession
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialog
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import ReadGate
from kapture.page.downloads import Downloads, shown_download
from kapture.page.navigation_watcher import NavigationWatcher, navigation_failed
from kapture.page.network.network_log import Key, NetworkLog
from kapture.page.network.network_request import is_short
from kapture.page.settling.outcome import Outcome
from kapture.page.settling.table import AT_MOST_S, NAVIGATION_S, NEEDED, NOTHING_S, QUIET_S
from kapture.split_url import split_url


class Settling(Protocol):
    """The part of the page that settling needs."""

    frames: FrameTree
    awaited: AwaitedDocument
    downloads: Downloads
    network: NetworkLog
    gate: ReadGate

    @property
    def children_connect(self) -> bool:
        """Whether tabs that this one opens are connected, so that their ids are reported."""


async def script_answers(network: NetworkLog, before: int) -> int:
    """Wait until what scripts of a new document have requested is answered; returns how many requests are still open.
    `before`: the cursor of the log when the document was requested."""

    def unanswered() -> int:
        asked = takewhile(lambda request: request.seq > before, network.newest_first())
        return sum(one.type in {"xhr", "fetch"} and not one.is_answered for one in asked)

    now = trio.current_time()
    with trio.move_on_at(min(now + AT_MOST_S, (now + trio.current_effective_deadline()) / 2)):
        while unanswered():
            await network.changed.wait()
    return unanswered()


class Watch:
    """Watches a page during one action. `shows`: the answer shows the page, so that its changes are waited for."""

    def __init__(self, page: Settling, *, shows: bool) -> None:
        self.outcome = Outcome()
        self.shows = shows
        self.touched: set[Frame] = set()
        self.navigation = NavigationWatcher(page.frames.main.id, page.frames.main.ask)
        self._page = page
        self._url = page.frames.main.url
        self._cursor = page.network.cursor
        self._download: str | None = None
        self._open: dict[Key, str | None] = {}  # requests without an answer, with the frame of a document
        self._begun = self._since = self._look_at = 0.0  # when the action ended, the last request, the next look
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
        if params.get("type") in NEEDED:
            self._open[session.session_id, params["requestId"]] = (
                params.get("frameId") if params["type"] == "Document" else None
            )
            self._changed.notify()

    def _on_response(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        response = params["response"]
        is_stream = params.get("type") in {"EventSource", "WebSocket"} or "event-stream" in response.get("mimeType", "")
        if is_stream or is_short(response.get("headers", {})):
            self._on_request_end(session, params)

    def _on_request_end(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        key = (session.session_id, params["requestId"])
        if key in self._open:
            del self._open[key]
            self._since = trio.current_time()
        self._changed.notify()

    def _on_window(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self.outcome.opened_urls.append(params["url"])
        self._changed.notify()

    def _on_download(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._download = params["guid"]
        self._changed.notify()

    def _on_crash(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._open.clear()
        self._changed.notify()

    _HANDLERS: ClassVar[Mapping[str, Callable[[Watch, CdpSession, Mapping[str, Any]], None]]] = {
        "Network.requestWillBeSent": _on_request,
        "Network.responseReceived": _on_response,
        "Network.loadingFinished": _on_request_end,
        "Network.loadingFailed": _on_request_end,
        "Page.windowOpen": _on_window,
        "Page.downloadWillBegin": _on_download,
        "Inspector.targetCrashed": _on_crash,
    }
    EVENTS: ClassVar[frozenset[str]] = NavigationWatcher.EVENTS | frozenset(_HANDLERS)
    """The events that must be passed to `on_event`."""

    # Waiting

    async def settle(self) -> None:
        """Return when everything that the action caused is over."""
        begun = self._begun = self._since = trio.current_time()
        self._look_at = begun + (QUIET_S if self.shows else 0)
        navigation_until = begun + min(NAVIGATION_S, (trio.current_effective_deadline() - begun) * 0.8)
        while not self._has_ended():
            if not self.navigation.is_over:
                if await self._event_before(navigation_until):
                    continue
                self.outcome.still_loading = self._shown((self.navigation.underway or self._page.frames.main).url)
                break
            if self.navigation.documents:
                await self._new_document()
                break
            frames = {frame.id for frame in self.touched}
            if frames & set(self._open.values()) and await self._event_before(navigation_until):
                continue
            if self._is_opening() and await self._event_before(begun + AT_MOST_S):
                continue
            if self._open and await self._event_before(begun + AT_MOST_S):
                continue
            if await self._event_before(self._look_at):
                continue
            if await self._look() and self.navigation.is_over:
                break
        await self._conclude()

    def _has_ended(self) -> bool:
        return bool(self.outcome.dialog or self.outcome.file_input or self._download)

    def _is_opening(self) -> bool:
        """Whether a new tab is not connected yet, or a download not reported."""
        opening = self._page.children_connect and len(self.outcome.opened_tabs) < len(self.outcome.opened_urls)
        return opening or self.navigation.expects_download

    async def _event_before(self, deadline: float) -> bool:
        with trio.move_on_at(deadline):
            await self._changed.wait()
            return True
        return False

    async def _new_document(self) -> None:
        main = self._page.frames.main
        with trio.move_on_after(AT_MOST_S):
            try:
                await main.call("awaitPaint")
                self.outcome.unanswered = await script_answers(self._page.network, self._cursor)
                await main.call("awaitPaint")
            except KaptureError:
                return  # it went away, or a dialog opened: events report both

    async def _look(self) -> bool:
        """Ask the documents what has changed; returns whether that is over."""
        limit = min(self._since, self._begun + AT_MOST_S) + AT_MOST_S
        frames = [one for one in self._page.frames.all() if one.granted and not one.why_silent]
        reports: list[Mapping[str, Any]] = []
        with trio.move_on_at(max(limit, trio.current_time() + QUIET_S)):
            async with trio.open_nursery() as nursery:
                for frame in frames if self.shows else {self._page.frames.main, *self.touched}.intersection(frames):
                    nursery.start_soon(self._ask, frame, reports)
        self.outcome.changed |= any(report["changed"] for report in reports)
        now = trio.current_time()
        quiet_s = min([now - self._since, *(one["quiet"] / 1000 for one in reports if one["changed"] or one["moving"])])
        needed_s = QUIET_S if self.outcome.changed or self.navigation.same_document else NOTHING_S
        self._look_at = now + min(QUIET_S, max(needed_s - quiet_s, 0))
        pending = self._is_opening() or (self._open and now < self._begun + AT_MOST_S)
        return now >= limit or (not pending and (quiet_s >= needed_s or not self.shows))

    async def _ask(self, frame: Frame, reports: list[Mapping[str, Any]]) -> None:
        try:
            with self._page.awaited.asked_in_time():
                report = await frame.call("effects", {"tasks": not self.shows})
        except KaptureError:
            return  # the document went away, or a dialog opened: events report both
        reports.append(report)
        self.outcome.note(frame, report)

    async def _conclude(self) -> None:
        outcome, navigation = self.outcome, self.navigation
        if not navigation.documents:
            outcome.unanswered = len(self._open)
        outcome.http_status = navigation.status(navigation.loader_id)
        outcome.same_document = navigation.same_document
        outcome.new_document = navigation.documents > 0 and not navigation.restored
        outcome.loading = outcome.new_document and not navigation.reached("load")
        # Pages that replace the entry of the history by one with the same address have gone nowhere.
        if navigation.url is not None and not (navigation.same_document and navigation.url == self._url):
            outcome.navigated_to = self._shown(navigation.url)
        if navigation.unreachable is not None:
            reason, status = await navigation.failure_reason(), navigation.status(navigation.loader_id)
            failed = navigation_failed(self._shown(navigation.unreachable), reason, status)
            outcome.navigation_error = failed.explanation
        outcome.opened_urls = [self._shown(url) for url in outcome.opened_urls]
        if self._download is not None:
            outcome.download = shown_download(self._page.downloads.get(self._download), self._page.gate)

    def _shown(self, url: str) -> str:
        """The URL, or only its site if the grant does not cover it."""
        if self._page.gate(url):
            return url
        parts = split_url(url)
        return (
            f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/… (outside the grant)"
            if parts.netloc
            else f"{parts.scheme}:…"
        )
