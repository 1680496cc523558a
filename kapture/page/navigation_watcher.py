"""Navigations of the main frame, as reported by the browser.

One set of rules for all code that waits for a navigation: `navigate` and similar commands, which start one, and
settling, which waits for one that an action may have started. The watcher is fed with events of the tab's root session,
beginning before the navigation, so that nothing is missed. It follows redirects, and further navigations that the page
itself starts meanwhile.

- A navigation is **underway** from the moment when the page asks for it, or the browser starts it, until it commits,
fails, is cancelled, or turns out to be a download.
- One that **failed** is followed by the browser's own error page; the reason may be reported before or after that page.
- A document that was **restored** from the back/forward cache is complete at once.
- One that is **cleared** before the browser has started it was cancelled, or is on its way to the browser: the page
reports both alike. It was cancelled if the browser has not reported its start when the page has answered something.
- A **download** by a link is a request that is cancelled after its response; the browser reports the download a moment
  later. An answer without content is cancelled in the same way, and nothing follows.
- A document whose loading was **stopped** before its load event loads no further: it counts as loaded.
- A refresh after more than a second is a new navigation, not part of this one, and so is a delayed one to the same URL.
Another one is announced at the load event, before the browser says that loading has stopped: that is not its end. One
without delay may come again and again: the documents are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import PendingReply
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.documents.awaited_document import SAME_DOCUMENT
from kapture.split_url import split_url

WaitUntil: TypeAlias = Literal["load", "domcontentloaded", "networkidle", "commit"]

_MILESTONES: Mapping[str, set[str]] = {
    "load": {"load"},
    "domcontentloaded": {"DOMContentLoaded", "load"},
    "networkidle": {"networkIdle"},
}
_OPENED_IN_TABS = ("http:", "https:", "file:", "about:", "data:", "blob:", "chrome:", "chrome-error:", "view-source:")
_NO_CONTENT = {204, 205}
_SOON_S = 1.0
_REASON_S = 1.0
_MOST_DOCUMENTS = 10  # one after another, of pages that send a browser on


@attrs.define
class Underway:
    """A navigation that has begun and not ended. `loader_id` is None until the browser has started it."""

    url: str
    loader_id: str | None = None


class NavigationWatcher:
    """The state observed so far.

    `documents` counts the documents committed in the main frame; `loader_id` and `url` are those of the newest.
    `same_document`: the URL changed, the document did not. `unreachable` is the URL for which the browser shows its
    error page.
    `download`: the CDP guid of the download that it became. `ask_page` asks the main frame's renderer anything.
    `expects_download`: a request was cancelled after its response, as for a download, which is not reported yet.
    """

    def __init__(self, main_frame_id: str, ask_page: Callable[[], PendingReply]) -> None:
        self.changed = Changed()
        self.documents = 0
        self.loader_id: str | None = None
        self.url: str | None = None
        self.same_document = False
        self.restored = False
        self.unreachable: str | None = None
        self.net_error: str | None = None
        self.cancelled = False
        self.download: str | None = None
        self.expects_download = False
        self.crashed = False
        self.redirects: list[str] = []
        self.underway: Underway | None = None
        self.scheduled = False
        self._main_id = main_frame_id
        self._ask_page = ask_page
        self._clearing: PendingReply | None = None  # settles when a cleared navigation is known to be cancelled
        self._stopped = False
        self._statuses: dict[str, int] = {}
        self._milestones: set[tuple[str, str]] = set()

    # State

    @property
    def is_underway(self) -> bool:
        """Whether a navigation has begun, or is about to begin, and has not ended."""
        return self.underway is not None or self.scheduled

    @property
    def is_over(self) -> bool:
        """Whether nothing is underway and the new document, if there is one, has been parsed."""
        return not self.is_underway and (self.documents == 0 or self.reached("domcontentloaded"))

    @property
    def is_endless(self) -> bool:
        """Whether documents replace each other without end."""
        return self.documents > _MOST_DOCUMENTS

    @property
    def ended_without_document(self) -> bool:
        """Whether a navigation ended without replacing the document."""
        ended = self.net_error is not None or self.cancelled or self.download is not None
        return ended and not self.documents and not self.is_underway

    def reached(self, until: WaitUntil) -> bool:
        """Whether a new document has reached this state, and no other navigation is underway."""
        if not self.documents or self.loader_id is None:
            return False
        if until == "commit":
            return True
        if self.is_underway:
            return False
        if self.restored or self._stopped or self.unreachable is not None:
            return True
        return any((self.loader_id, milestone) in self._milestones for milestone in _MILESTONES[until])

    def status(self, loader_id: str | None) -> int | None:
        """HTTP status of a document; None if it was not loaded by HTTP."""
        return self._statuses.get(loader_id) if loader_id else None

    # Waiting

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition holds; returns at once if it does already."""
        while not holds():
            await self.changed.wait()

    async def failure_reason(self) -> str:
        """`net::ERR_…` of a failed navigation; waits for it, because the error page may be reported a moment before."""
        with trio.move_on_after(_REASON_S):
            await self.until(lambda: self.net_error is not None)
        return self.net_error or "net::ERR_FAILED"

    # Events

    def on_event(self, method: str, params: Mapping[str, Any]) -> None:
        """Process one event of the tab's root session."""
        if handler := self._HANDLERS.get(method):
            handler(self, params)

    @property
    def handlers(self) -> Mapping[str, Callable[[Mapping[str, Any]], None]]:
        """The handlers, by event of the tab's root session."""
        return {method: partial(handler, self) for method, handler in self._HANDLERS.items()}

    def _begin(self, url: str, loader_id: str | None) -> None:
        known = self.underway.loader_id if self.underway is not None else None
        self.underway = Underway(url, loader_id or known)
        self._clearing = None
        self.cancelled = False
        self.expects_download = False
        self.changed.notify()

    def _end(self) -> None:
        self.underway = None
        self.scheduled = False
        self._clearing = None
        self.changed.notify()

    def _is_main(self, params: Mapping[str, Any]) -> bool:
        return params.get("frameId") == self._main_id

    def _is_document(self, params: Mapping[str, Any]) -> bool:
        return params.get("type") == "Document" and self._is_main(params)

    def _on_requested(self, params: Mapping[str, Any]) -> None:
        if not self._is_main(params) or params.get("disposition", "currentTab") != "currentTab":
            return
        if params["url"].startswith(_OPENED_IN_TABS):  # others run a script or an external program
            self._begin(params["url"], None)

    def _on_scheduled(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params):
            delay, url = params.get("delay", 0), params["url"]
            soon = delay == 0 or (delay <= _SOON_S and url.partition("#")[0] != (self.url or "").partition("#")[0])
            self.scheduled = soon and url.startswith(_OPENED_IN_TABS)
            self._clearing = None
            self.changed.notify()

    def _on_cleared(self, params: Mapping[str, Any]) -> None:
        if not self._is_main(params):
            return
        if self.underway is not None and self.underway.loader_id is not None:
            self.scheduled = False
            self.changed.notify()
        elif self.is_underway:
            self._clearing = self._ask_page()
            self._clearing.then(self._cancelled)

    def _cancelled(self, reply: PendingReply) -> None:
        """Nothing has begun since a navigation was cleared, or the page cannot be asked."""
        if reply is self._clearing:
            self._end()

    def _on_started(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params) and params.get("navigationType") not in SAME_DOCUMENT:
            self._begin(params["url"], params.get("loaderId"))

    def _on_request(self, params: Mapping[str, Any]) -> None:
        if not self._is_document(params):
            return
        if "redirectResponse" in params:
            self.redirects.append(params["redirectResponse"]["url"])
        self._begin(params["request"]["url"], params["requestId"])

    def _on_response(self, params: Mapping[str, Any]) -> None:
        if self._is_document(params):
            self._statuses[params["loaderId"]] = params["response"]["status"]

    def _on_failed(self, params: Mapping[str, Any]) -> None:
        request_id = params["requestId"]  # for the request of a document, this equals the loader id
        if params.get("canceled") and self._statuses.get(request_id, 204) not in _NO_CONTENT:
            self.expects_download = True
        if self.unreachable is not None and request_id == self.loader_id:
            self.net_error = params.get("errorText")
        elif self.underway is not None and request_id == self.underway.loader_id:
            if params.get("canceled"):  # no error page follows
                self.cancelled = True
                self.underway = None
            else:
                self.net_error = params.get("errorText")
        self.changed.notify()

    def _on_navigated(self, params: Mapping[str, Any]) -> None:
        frame = params["frame"]
        if frame.get("parentId") or self._is_earlier_failure(frame):
            return
        self.documents += 1
        self.expects_download = False
        self._main_id = frame["id"]
        self.loader_id = frame["loaderId"]
        self.restored = params.get("type") == "BackForwardCacheRestore"
        self.unreachable = frame.get("unreachableUrl")
        self.same_document = False
        self._stopped = False
        if self.unreachable is None:
            self.url = frame["url"] + frame.get("urlFragment", "")
            self.net_error = None
        self._end()

    def _is_earlier_failure(self, frame: Mapping[str, Any]) -> bool:
        """Whether this is the error page of a navigation that was superseded already."""
        underway = self.underway.loader_id if self.underway is not None else None
        return bool(frame.get("unreachableUrl")) and underway is not None and underway != frame["loaderId"]

    def _on_same_document(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params):
            self.same_document = self.documents == 0
            self.url = params["url"]
            if self.underway is not None and self.underway.loader_id is None:
                self.underway = None  # this is the navigation that the page had asked for
            self.changed.notify()

    def _on_lifecycle(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params):
            self._milestones.add((params["loaderId"], params["name"]))
            self.changed.notify()

    def _on_stopped(self, params: Mapping[str, Any]) -> None:
        if self._is_main(params):
            self._stopped = self.documents > 0 and (self.loader_id, "load") not in self._milestones
            # Until the browser has started the requested navigation, it is the current document's loading that stops.
            if self.underway is not None and self.underway.loader_id is not None:
                self.underway = None
            self.changed.notify()

    def _on_download(self, params: Mapping[str, Any]) -> None:
        self.download = params["guid"]
        self.expects_download = False
        self._end()

    def _on_crashed(self, params: Mapping[str, Any]) -> None:
        self.crashed = True
        self._end()

    _HANDLERS: ClassVar[Mapping[str, Callable[[NavigationWatcher, Mapping[str, Any]], None]]] = {
        "Network.requestWillBeSent": _on_request,
        "Network.responseReceived": _on_response,
        "Network.loadingFailed": _on_failed,
        "Page.frameRequestedNavigation": _on_requested,
        "Page.frameScheduledNavigation": _on_scheduled,
        "Page.frameClearedScheduledNavigation": _on_cleared,
        "Page.frameStartedNavigating": _on_started,
        "Page.frameNavigated": _on_navigated,
        "Page.navigatedWithinDocument": _on_same_document,
        "Page.lifecycleEvent": _on_lifecycle,
        "Page.frameStoppedLoading": _on_stopped,
        "Page.downloadWillBegin": _on_download,
        "Inspector.targetCrashed": _on_crashed,
    }
    EVENTS: ClassVar[frozenset[str]] = frozenset(_HANDLERS)
    """The events that must be passed to `on_event`."""


class WrittenFrames:
    """The child frames that scripts have begun to write and not closed, by the browser's events. `on_change` is called
    after each."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._idle: dict[str, bool] = {}  # by frame: whether it loads nothing meanwhile

    @property
    def one_is_idle(self) -> bool:
        """Whether one of them loads nothing: only its script can end that."""
        return any(self._idle.values())

    @property
    def handlers(self) -> Mapping[str, Callable[[Mapping[str, Any]], None]]:
        """The handlers, by event of the session."""
        return {
            "Page.documentOpened": self._on_opened,
            "Page.lifecycleEvent": self._on_lifecycle,
            "Page.frameNavigated": self._on_navigated,
            "Page.frameDetached": lambda params: self._leave(params["frameId"]),
        }

    def _on_opened(self, params: Mapping[str, Any]) -> None:
        if params["frame"].get("parentId"):
            self._idle[params["frame"]["id"]] = False

    def _on_navigated(self, params: Mapping[str, Any]) -> None:
        if params["frame"].get("parentId"):
            self._leave(params["frame"]["id"])
        else:
            self._idle.clear()

    def _on_lifecycle(self, params: Mapping[str, Any]) -> None:
        if params["name"] == "load":
            self._leave(params["frameId"])
        elif params["name"] == "networkIdle" and params["frameId"] in self._idle:
            self._idle[params["frameId"]] = True
            self._on_change()

    def _leave(self, frame_id: str) -> None:
        if self._idle.pop(frame_id, None) is not None:
            self._on_change()


_SIGN_IN = Wording(
    "Ask the person to sign in there.",
    "{ask_person} hands the tab over to them.",
    "Or {navigate} with both before the host: name:password@host.",
)

_REASONS: Mapping[str, tuple[str, str | Wording]] = {
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
    "ERR_BLOCKED_BY_CLIENT": ("an extension, or a rule that route has set, blocked it", ""),
    "ERR_INVALID_RESPONSE": ("the server's answer is not valid HTTP", "Check the server."),
    "ERR_HTTP_RESPONSE_CODE_FAILURE": ("the server answered with an error and without a page", "Check the address."),
    "ERR_INVALID_AUTH_CREDENTIALS": ("the server asks for a name and a password", _SIGN_IN),
    "ERR_UNKNOWN_URL_SCHEME": ("the browser has no handler for that scheme", ""),
}


def navigation_failed(url: str, error: str, status: int | None = None) -> KaptureError:
    """`NAVIGATION_FAILED` with the browser's `net::ERR_…` in words. `status`: of the server's answer, if one came."""
    code = error.removeprefix("net::")
    hint: str | Wording
    reason, hint = _REASONS.get(code, ("", ""))
    if code == "ERR_HTTP_RESPONSE_CODE_FAILURE" and status is not None:
        reason = f"the server answered HTTP {status} without a page"
    if code == "ERR_ABORTED" and split_url(url).scheme == "data":
        reason, hint = (
            "the browser takes no tab there for an extension",
            Wording("Open it in a tab of its own with {tab_new}."),
        )
    if not reason and code.startswith("ERR_CERT"):
        reason, hint = "the server's certificate is not valid", "Open it in the browser once to see the details."
    return KaptureError(
        ErrorCode.NAVIGATION_FAILED,
        f"{url[:500]} could not be opened: {f'{reason} ({code})' if reason else code}.",
        hint=hint,
        data={"url": url[:500], "reason": code},
    )
