"""The main frame's way to another document, watched from before it starts, so that nothing is missed.

A navigation is followed through redirects and through further navigations that the page itself starts on the way,
until the document that is then current has reached the milestone asked for.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import PendingReply
from kapture.cdp.connection import EventHandler
from kapture.errors import ErrorCode, KaptureError
from kapture.page import Page

WaitUntil: TypeAlias = Literal["load", "domcontentloaded", "networkidle", "commit"]

_MILESTONES = {"load": "load", "domcontentloaded": "DOMContentLoaded", "networkidle": "networkIdle"}

_REASONS = {
    "ERR_CONNECTION_REFUSED": ("nothing listens there (connection refused)", "Check host and port, and that it runs."),
    "ERR_NAME_NOT_RESOLVED": ("the host name is unknown", "Check the spelling of the host."),
    "ERR_INTERNET_DISCONNECTED": ("the browser is offline", "Check the network, or whether it was set offline."),
    "ERR_ADDRESS_UNREACHABLE": ("the address cannot be reached", "Check the network."),
    "ERR_CONNECTION_TIMED_OUT": ("the server did not answer", "Try again later."),
    "ERR_TIMED_OUT": ("the server did not answer", "Try again later."),
    "ERR_CONNECTION_RESET": ("the server broke the connection", "Check that it speaks http or https as the URL says."),
    "ERR_EMPTY_RESPONSE": ("the server closed the connection without an answer", "Check the server."),
    "ERR_SSL_PROTOCOL_ERROR": ("the server does not speak https", "Try http://."),
    "ERR_TOO_MANY_REDIRECTS": ("it redirects in a circle", "Clearing the site's cookies may help."),
    "ERR_UNSAFE_PORT": ("the browser opens no pages on that port", "Serve on another port."),
    "ERR_FILE_NOT_FOUND": ("there is no such file", "Check the path."),
    "ERR_BLOCKED_BY_CLIENT": ("an extension or a rule of network_block blocked it", ""),
    "ERR_INVALID_RESPONSE": ("the server's answer is no valid HTTP", "Check the server."),
    "ERR_UNKNOWN_URL_SCHEME": ("the browser has no handler for that scheme", ""),
}


# A refresh that the page has put off for longer is a new page, not the end of this way.
_SOON_S = 1.0


@attrs.define
class Arrival:
    """What has been seen so far.

    `documents` counts the documents that took the main frame, `loader` is the newest one's id; `underway` is that of
    a navigation which has started and not ended, `scheduled` says that the page is about to start one.
    """

    page: Page
    redirects: list[str] = attrs.field(factory=list)
    documents: int = 0
    same_document: bool = False
    restored: bool = False
    unreachable: str | None = None
    net_error: str | None = None
    download: str | None = None
    crashed: bool = False
    loader: str | None = None
    underway: str | None = None
    scheduled: bool = False
    _statuses: dict[str, int] = attrs.field(factory=dict)
    _reached: set[tuple[str, str]] = attrs.field(factory=set)
    _changed: trio.Event = attrs.field(factory=trio.Event)

    def status(self, loader: str | None) -> int | None:
        """HTTP status of a document; None when it did not come by HTTP."""
        return self._statuses.get(loader) if loader else None

    def reached(self, until: WaitUntil) -> bool:
        """Whether a new document is there, as far as asked, and none is on its way after it."""
        if not self.documents or self.loader is None:
            return False
        if until == "commit":
            return True
        if self.underway or self.scheduled:
            return False
        return self.restored or (self.loader, _MILESTONES[until]) in self._reached

    def stopped(self) -> bool:
        """Whether something keeps it from going on."""
        dialogs = self.page.dialogs
        return self.crashed or (dialogs.current is not None and dialogs.policy == "ask")

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for a state; at once when it holds already."""
        while not holds():
            self._changed = trio.Event()
            await self._changed.wait()

    def wake(self) -> None:
        """Let `until` look again."""
        self._changed.set()

    async def answered(self, reply: PendingReply) -> dict[str, Any] | None:
        """The browser's answer to the command that starts the navigation.

        None when a dialog opened or the page crashed instead. Failures of the command are raised.
        """
        reply.then(lambda _: self.wake())
        await self.until(lambda: reply.done or self.stopped())
        return reply.value() if reply.done else None

    def check(self) -> None:
        """Raise what stopped the navigation, if anything did."""
        if self.crashed:
            raise KaptureError(
                ErrorCode.NAVIGATION_FAILED, "The page crashed.", hint="Navigate or reload to bring the tab back."
            )
        if blocked := self.page.dialogs.blocked():
            raise blocked

    def handlers(self) -> dict[str, EventHandler]:
        """What to do at which event of the tab's root session."""
        return {
            "Network.requestWillBeSent": self._on_request,
            "Network.responseReceived": self._on_response,
            "Network.loadingFailed": self._on_failed,
            "Page.frameNavigated": self._on_navigated,
            "Page.navigatedWithinDocument": self._on_same_document,
            "Page.lifecycleEvent": self._on_lifecycle,
            "Page.frameScheduledNavigation": self._on_scheduled,
            "Page.frameClearedScheduledNavigation": self._on_cleared,
            "Page.frameStartedNavigating": self._on_started,
            "Page.frameStoppedLoading": self._on_stopped,
            "Page.downloadWillBegin": self._on_download,
            "Page.javascriptDialogOpening": self._on_dialog,
            "Page.javascriptDialogClosed": self._on_dialog,
            "Inspector.targetCrashed": self._on_crash,
        }

    def _on_scheduled(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main:
            self.scheduled = params["delay"] <= _SOON_S
            self.wake()

    def _on_cleared(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main:
            self.scheduled = False
            self.wake()

    def _on_started(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main and params["navigationType"] not in ("sameDocument", "historySameDocument"):
            self.underway = params["loaderId"]
            self.wake()

    def _on_request(self, params: dict[str, Any]) -> None:
        if self._is_document(params) and "redirectResponse" in params:
            self.redirects.append(params["redirectResponse"]["url"])

    def _on_response(self, params: dict[str, Any]) -> None:
        if self._is_document(params):
            self._statuses[params["loaderId"]] = params["response"]["status"]

    def _on_failed(self, params: dict[str, Any]) -> None:
        if params["requestId"] == self.underway:
            self.net_error = params["errorText"]
            self.underway = None
            self.wake()

    def _on_navigated(self, params: dict[str, Any]) -> None:
        frame = params["frame"]
        if frame.get("parentId"):
            return
        self.documents += 1
        self.loader = frame["loaderId"]
        self.restored = params.get("type") == "BackForwardCacheRestore"
        self.unreachable = frame.get("unreachableUrl")
        if self.unreachable is None:  # else the reason is still to be told, by the request's failure
            self.underway = None
        self.scheduled = False
        self.wake()

    def _on_same_document(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main:
            self.same_document = True
            self.wake()

    def _on_lifecycle(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main:
            self._reached.add((params["loaderId"], params["name"]))
            self.wake()

    def _on_stopped(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self._main:
            self.underway = None
            self.wake()

    def _on_download(self, params: dict[str, Any]) -> None:
        self.download = params.get("suggestedFilename") or params["url"]
        self.underway = None
        self.wake()

    def _on_dialog(self, params: dict[str, Any]) -> None:
        self.wake()

    def _on_crash(self, params: dict[str, Any]) -> None:
        self.crashed = True
        self.wake()

    def _is_document(self, params: dict[str, Any]) -> bool:
        return params.get("type") == "Document" and params.get("frameId") == self._main

    @property
    def _main(self) -> str:
        return self.page.frames.main.id


@asynccontextmanager
async def watching(page: Page) -> AsyncIterator[Arrival]:
    """Watch the main frame from now to the end of the block."""
    arrival = Arrival(page)
    with page.connection.root.listening(arrival.handlers()):
        yield arrival


def navigation_failed(url: str, error: str) -> KaptureError:
    """The browser's `net::ERR_…` in words."""
    code = error.removeprefix("net::")
    reason, hint = _REASONS.get(code, ("", ""))
    if not reason and code.startswith("ERR_CERT"):
        reason, hint = "the server's certificate is not valid", "Open it in the browser once to see the details."
    return KaptureError(
        ErrorCode.NAVIGATION_FAILED,
        f"{url} could not be opened: {f'{reason} ({code})' if reason else code}.",
        hint=hint,
        data={"url": url, "reason": code},
    )
