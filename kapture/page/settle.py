"""What an action set off, and when it is over.

The watch begins before the action and hears everything the browser tells; it ends by events, never after a fixed
time: at once when nothing started; when a navigation started, once its document is parsed; when requests started,
once they are answered, within a short bound; when a dialog opened, at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias
from urllib.parse import urlsplit

import attrs
import trio

from kapture.cdp import CdpSession
from kapture.errors import KaptureError
from kapture.page.dialogs import Dialog
from kapture.page.frames import Frame, FrameTree
from kapture.page.read_gate import ReadGate

REQUESTS_BOUND_S = 0.5
NAVIGATION_BOUND_S = 15.0
NEW_TAB_BOUND_S = 1.0

_Handler: TypeAlias = Callable[[CdpSession, Mapping[str, Any]], None]

# What a page may wait for before it shows the effect of an action; images, beacons and streams are none of that.
_AWAITED = {"Document", "XHR", "Fetch", "Script", "Stylesheet"}


@attrs.define(kw_only=True)
class Outcome:
    """What happened while a command acted, beside what it was asked to do."""

    navigated_to: str | None = None
    same_document: bool = False
    http_status: int | None = None
    navigation_error: str | None = None
    still_loading: str | None = None
    dialog: Dialog | None = None
    opened_tabs: list[str] = attrs.field(factory=list)
    opened_urls: list[str] = attrs.field(factory=list)
    download: str | None = None
    requests: int = 0
    transients: list[str] = attrs.field(factory=list)

    def lines(self) -> list[str]:
        """For the answer: one line a fact, none when nothing happened."""
        lines = []
        if self.navigated_to is not None:
            status = f" (HTTP {self.http_status})" if (self.http_status or 200) >= 400 else ""
            lines.append(f"navigated to {self.navigated_to}{status}")
        if self.navigation_error is not None:
            lines.append(f"navigation failed: {self.navigation_error}")
        if self.still_loading is not None:
            lines.append(f"still loading {self.still_loading}")
        if self.dialog is not None:
            lines.append(f"dialog {self.dialog.describe()} is open; answer it with handle_dialog")
        lines += [f"opened tab {tab_id}" for tab_id in self.opened_tabs]
        if not self.opened_tabs:
            lines += [f"opened a new tab at {url}" for url in self.opened_urls]
        if self.download is not None:
            lines.append(f"download started: {self.download}")
        return lines


class Settling(Protocol):
    """What settling needs of the page."""

    frames: FrameTree
    gate: ReadGate

    @property
    def children_connect(self) -> bool:
        """Whether tabs that this one opens are connected, and their ids therefore told."""


class Watch:
    """One action's watch over a page."""

    def __init__(self, page: Settling, *, thorough: bool) -> None:
        self.outcome = Outcome()
        self.thorough = thorough
        self.touched: set[Frame] = set()
        self._page = page
        self._main_id = page.frames.main.id
        self._requests: dict[tuple[str | None, str], str] = {}
        self._statuses: dict[str, int] = {}
        self._parsed: set[str] = set()
        self._navigating: str | None = None  # the address that the main frame is on its way to
        self._loader: str | None = None  # of the document it has come to
        self._ran: set[CdpSession] = set()
        self._transients: dict[Frame, list[str]] = {}
        self._changed = trio.Event()
        self._handlers: dict[str, _Handler] = {
            "Network.requestWillBeSent": self._requested,
            "Network.responseReceived": self._answered,
            "Network.loadingFinished": self._ended,
            "Network.loadingFailed": self._failed,
            "Page.frameRequestedNavigation": self._navigation_asked,
            "Page.frameScheduledNavigation": self._navigation_asked,
            "Page.frameStartedNavigating": self._navigation_started,
            "Page.frameClearedScheduledNavigation": self._navigation_over,
            "Page.frameStoppedLoading": self._navigation_over,
            "Page.frameNavigated": self._navigated,
            "Page.navigatedWithinDocument": self._moved,
            "Page.lifecycleEvent": self._came_to,
            "Page.windowOpen": self._window_opened,
            "Page.downloadWillBegin": self._download_began,
            "Inspector.targetCrashed": self._crashed,
        }

    def wake(self) -> None:
        """Let `settle` look again."""
        self._changed.set()
        self._changed = trio.Event()

    # Events.

    def on_event(self, session: CdpSession, method: str, params: Mapping[str, Any]) -> None:
        """Take one event of any session of the tab."""
        handler = self._handlers.get(method)
        if handler is not None:
            handler(session, params)

    def on_dialog(self, dialog: Dialog) -> None:
        """A dialog opened."""
        self.outcome.dialog = dialog
        self.wake()

    def on_child(self, tab_id: str) -> None:
        """A tab that this one opened has been connected."""
        self.outcome.opened_tabs.append(tab_id)
        self.wake()

    def _requested(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params.get("type") not in _AWAITED:
            return
        key = (session.session_id, params["requestId"])
        if key not in self._requests:
            self.outcome.requests += 1
        self._requests[key] = params["request"]["url"]
        if params["type"] == "Document" and params.get("frameId") == self._main_id:
            self._navigating = params["request"]["url"]
        self.wake()

    def _answered(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params.get("type") == "Document" and params.get("frameId") == self._main_id:
            self._statuses[params["loaderId"]] = params["response"]["status"]
        elif params.get("type") in {"EventSource", "WebSocket"} or _streams(params["response"]):
            self._ended(session, params)

    def _ended(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if self._requests.pop((session.session_id, params["requestId"]), None) is not None:
            self.wake()

    def _failed(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        url = self._requests.pop((session.session_id, params["requestId"]), None)
        if params.get("type") == "Document" and url is not None and url == self._navigating:
            # A failed one is followed by the browser's own error page; a cancelled one by nothing.
            if params.get("canceled"):
                self._navigating = None
            else:
                self.outcome.navigation_error = f"{self._shown(url)}: {params.get('errorText', 'failed')}"
        self.wake()

    def _navigation_asked(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params["frameId"] != self._main_id or params.get("disposition", "currentTab") != "currentTab":
            return
        if not params["url"].startswith(("javascript:", "mailto:", "tel:")):
            self._navigating = params["url"]
            self.wake()

    def _navigation_started(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params["frameId"] == self._main_id and "sameDocument" not in params.get("navigationType", ""):
            self._navigating = params["url"]
            self.wake()

    def _navigation_over(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params["frameId"] == self._main_id:
            self._navigating = None
            self.wake()

    def _navigated(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        frame = params["frame"]
        if frame.get("parentId"):
            return
        self._navigating = None
        self._main_id = frame["id"]
        self._loader = frame["loaderId"]
        self._requests.clear()
        if params.get("type") == "BackForwardCacheRestore":
            self._parsed.add(frame["loaderId"])
        self.outcome.same_document = False
        if unreachable := frame.get("unreachableUrl"):
            reason = self.outcome.navigation_error or ""
            self.outcome.navigation_error = reason or f"{self._shown(unreachable)} could not be opened"
            self._parsed.add(frame["loaderId"])
        else:
            self.outcome.navigated_to = frame["url"] + frame.get("urlFragment", "")
        self.wake()

    def _moved(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params["frameId"] == self._main_id:
            self._navigating = None
            self.outcome.same_document = self._loader is None
            self.outcome.navigated_to = params["url"]
            self.wake()

    def _came_to(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        if params["frameId"] == self._main_id and params["name"] in {"DOMContentLoaded", "load"}:
            self._parsed.add(params["loaderId"])
            self.wake()

    def _window_opened(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self.outcome.opened_urls.append(params["url"])
        self.wake()

    def _download_began(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self.outcome.download = params.get("suggestedFilename") or params["url"]
        self._navigating = None
        self.wake()

    def _crashed(self, session: CdpSession, params: Mapping[str, Any]) -> None:
        self._navigating = None
        self._requests.clear()
        self.wake()

    # Waiting.

    def has_run(self, frame: Frame, told: Mapping[str, Any]) -> None:
        """A frame has been let run after the action already: the next look at its session is saved."""
        self._ran.add(frame.session)
        self._take(frame, told)

    async def settle(self) -> None:
        """Return when what the action started is over, or has taken as long as it may."""
        await self._let_run(self.thorough)
        requests_until = trio.current_time() + REQUESTS_BOUND_S
        navigation_until = min(
            trio.current_time() + NAVIGATION_BOUND_S,
            trio.current_time() + (trio.current_effective_deadline() - trio.current_time()) * 0.8,
        )
        while self.outcome.dialog is None:
            if self._is_navigating():
                if not await self._change_before(navigation_until):
                    self.outcome.still_loading = self._shown(self._navigating or self._page.frames.main.url)
                    break
                requests_until = max(requests_until, trio.current_time() + REQUESTS_BOUND_S)
            elif self._loader is None and self._requests:
                if not await self._change_before(requests_until):
                    break
                if not self._requests:
                    await self._let_run(True)
            elif self._page.children_connect and len(self.outcome.opened_tabs) < len(self.outcome.opened_urls):
                if not await self._change_before(requests_until + NEW_TAB_BOUND_S - REQUESTS_BOUND_S):
                    break
            else:
                break
        self._conclude()

    def _is_navigating(self) -> bool:
        if self._navigating is not None:
            return True
        return self._loader is not None and self._loader not in self._parsed

    async def _change_before(self, deadline: float) -> bool:
        with trio.move_on_at(deadline):
            await self._changed.wait()
            return True
        return False

    async def _let_run(self, thorough: bool) -> None:
        """Let the page run what is waiting to run. What it started by then has been told before the answer comes."""
        frames = {self._page.frames.main, *self.touched}
        one_a_session = {frame.session: frame for frame in frames if not frame.detached}
        ran, self._ran = self._ran, set()
        for session, frame in one_a_session.items():
            if session in ran:
                continue
            if self.outcome.dialog is not None or self._navigating is not None or self._loader is not None:
                return
            try:
                self._take(frame, await frame.call("settle", {"thorough": thorough}))
            except KaptureError:
                continue  # it went away, or a dialog opened: both are told by events

    def _take(self, frame: Frame, told: Mapping[str, Any]) -> None:
        frame.resting = told["resting"]
        if frame.granted:
            self._transients[frame] = list(told.get("transients", ()))

    def _conclude(self) -> None:
        outcome = self.outcome
        outcome.transients = [message for messages in self._transients.values() for message in messages]
        if self._loader is not None:
            outcome.http_status = self._statuses.get(self._loader)
        if outcome.navigated_to is not None:
            outcome.navigated_to = self._shown(outcome.navigated_to)
        outcome.opened_urls = [self._shown(url) for url in outcome.opened_urls]

    def _shown(self, url: str) -> str:
        """The address, or just its site where the grant does not reach."""
        if self._page.gate(url):
            return url
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}/… (outside the grant)" if parts.netloc else f"{parts.scheme}:…"


def _streams(response: Mapping[str, Any]) -> bool:
    return "text/event-stream" in response.get("mimeType", "")
