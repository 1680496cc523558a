"""Which CDP events a client may see, by `kapture.cdp.rules` and the documents that they belong to.

An event that is not known to belong to a granted document is not shown. Of a request, everything must be granted: the
documents that made it, and every URL that it went to.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import attrs

from kapture.cdp.program import PendingReply
from kapture.cdp.rules import cdp_rules
from kapture.commands.cdp_access import Documents, without_other_cookies
from kapture.page.documents.frame import AGENT_WORLD
from kapture.page.network.network_request import maybe_opaque

Event: TypeAlias = tuple[str, dict[str, Any]]

_MAX_REQUESTS = 4_000
_URL = re.compile(r"\b(?:https?|wss?)://[^\s'\"<>)\]]+")
_MAX_HELD = 100
_MAX_HELD_OF_REQUEST = 4
_RAW_HEADERS = frozenset({"Network.requestWillBeSentExtraInfo", "Network.responseReceivedExtraInfo"})


class EventDocuments(Documents, Protocol):
    """The part of `kapture.page.documents.frames.SessionDocuments` that is needed here."""

    @property
    def all_granted(self) -> bool:
        """Whether every document of the session is granted."""


@attrs.define
class _Request:
    """`urls`: of the document that made it, and all that it went to. Whether these are granted is asked anew for each
    event: the person may have changed the grant. `wire_host`: where the hop whose raw headers came last went."""

    granted: bool  # whether a granted document made it
    urls: frozenset[str] = frozenset()
    wire_host: str = ""
    of_anyone: bool = False  # it may be of any document of the session


class EventAccess:
    """Follows all events of one session in order, and decides which may be seen."""

    def __init__(self, documents: EventDocuments) -> None:
        self._documents = documents
        self._requests: OrderedDict[str, _Request] = OrderedDict()
        self._held: OrderedDict[str, list[Event]] = OrderedDict()  # came before it was known whose their request is
        self._replays_entries = False
        self._own_worlds: set[object] = set()  # the execution contexts of Kapture's own worlds

    def sent(self, method: str, reply: PendingReply) -> None:
        """Note a command of the client. Until `Log.enable` is answered, the browser repeats what documents of the
        process have caused, which may be gone."""
        if method == "Log.enable":
            self._replays_entries = True
            reply.then(self._replayed)

    def _replayed(self, _: PendingReply) -> None:
        self._replays_entries = False

    def passing(self, method: str, params: dict[str, Any]) -> list[Event]:
        """Return the events that a client may see now: this one, if permitted, and those that waited for it.

        Raw headers come in no certain order with their request, and nothing in them says whose they are. Kapture's own
        worlds in the documents are not shown.
        """
        if self._is_own(method, params):
            return []
        key = str(params.get("requestId"))
        if method in _RAW_HEADERS and key not in self._requests and not self._documents.any_site:
            self._hold(key, (method, params))
            return []
        events = [(method, params)]
        if method == "Network.requestWillBeSent":
            events += self._held.pop(key, ())
        shown = [(name, self._visible(name, about)) for name, about in events]
        return [(name, about) for name, about in shown if about is not None]

    def _is_own(self, method: str, params: Mapping[str, Any]) -> bool:
        if method == "Runtime.executionContextCreated":
            name = params["context"].get("name", "")
            if name == AGENT_WORLD or name.startswith(f"{AGENT_WORLD}-"):
                self._own_worlds.add(params["context"]["id"])
                return True
        elif method == "Runtime.executionContextsCleared":
            self._own_worlds.clear()
        elif self._own_worlds and method.startswith(("Runtime.", "Debugger.")):
            context = _context_of(params)
            own = context in self._own_worlds
            if method == "Runtime.executionContextDestroyed":
                self._own_worlds.discard(context)
            return own
        return False

    def _visible(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """The event's parameters as a client may see them; None if it may not see the event."""
        rule = cdp_rules().event(method)
        if rule.owner == "request":
            granted = self._request(method, params)
        if self._documents.any_site:
            return params
        if rule.named != "client":
            return None
        match rule.owner:
            case "request":
                pass
            case "main":
                granted = self._documents.top_granted
            case "frame":
                granted = self._frame(params)
            case "context":
                granted = self._documents.context_granted(_context_of(params))
            case "dialog":
                granted = self._dialog(params)
            case "entry":
                granted = self._entry(params.get("entry") or {})
            case _:
                granted = False
        if not granted:
            return None
        if method == "Network.requestWillBeSent":
            return self._without_initiator(params)
        return without_other_cookies(method, params, self._documents)

    def _without_initiator(self, params: dict[str, Any]) -> dict[str, Any]:
        """A request without the scripts that asked for it, where they may be another document's: a navigation's."""
        if params.get("type") != "Document" or self._documents.all_granted:
            return params
        return {**params, "initiator": {"type": (params.get("initiator") or {}).get("type", "other")}}

    def _frame(self, params: Mapping[str, Any]) -> bool:
        frame = params.get("frame") or {}
        context = (params.get("context") or {}).get("auxData") or {}
        if not self._documents.frame_granted(params.get("frameId") or frame.get("id") or context.get("frameId")):
            return False
        url = params.get("url") or frame.get("unreachableUrl") or frame.get("url") or ""
        return not url.startswith(("http:", "https:", "file:")) or self._documents.covers(url)

    def _dialog(self, params: Mapping[str, Any]) -> bool:
        if "frameId" in params:
            return self._documents.frame_granted(params["frameId"])
        return self._documents.covers(params.get("url", ""))

    def _entry(self, entry: Mapping[str, Any]) -> bool:
        if "networkRequestId" in entry:
            return self._known(entry["networkRequestId"])
        if self._replays_entries:
            return False
        # The browser's messages, for example on CORS, name what the page has asked other sites for.
        urls = [entry.get("url") or "", *_URL.findall(entry.get("text") or "")]
        return self._documents.all_granted and all(not url or self._documents.covers(_web(url)) for url in urls)

    def _known(self, request_id: object) -> bool:
        request = self._requests.get(str(request_id))
        if request is None or not request.granted or not all(map(self._documents.covers, request.urls)):
            return False
        return not request.of_anyone or self._documents.all_granted

    def _request(self, method: str, params: Mapping[str, Any]) -> bool:
        documents, key = self._documents, str(params.get("requestId"))
        match method:
            case "Network.requestWillBeSent":
                before = self._requests.pop(key, None) if "redirectResponse" in params else None
                asker = documents.frame_granted(params["frameId"]) if "frameId" in params else documents.all_granted
                urls = {params["request"]["url"]}
                if params.get("type") != "Document":
                    urls.add(params.get("documentURL", ""))
                if "redirectResponse" in params:  # the hops before may not have been heard of
                    urls.add(params["redirectResponse"].get("url", ""))
                if before is not None:
                    asker, urls = asker and before.granted, urls | before.urls
                self._remember(key, _Request(asker, frozenset(urls), before.wire_host if before is not None else ""))
            case "Network.webSocketCreated":
                urls = {_web(params["url"])}
                self._remember(key, _Request(documents.all_granted, frozenset(urls), of_anyone=True))
            case "Network.webSocketWillSendHandshakeRequest":
                headers = _lower(params["request"]["headers"])
                origin = headers.get("origin", "")
                if "://" in origin:  # it is not opaque
                    urls = {f"{origin}/", f"https://{headers.get('host', '')}/"}
                    self._remember(key, _Request(all(map(documents.covers, urls)), frozenset(urls)))
            case "Network.requestWillBeSentExtraInfo":
                headers = _lower(params.get("headers") or {})
                host = headers.get(":authority") or headers.get("host") or ""
                request = self._requests.get(key)
                if request is None:
                    return False
                request.wire_host = f"https://{host}/" if host else ""
                return self._known(key) and documents.covers(request.wire_host)
            case "Network.responseReceivedExtraInfo":
                request = self._requests.get(key)
                return request is not None and self._known(key) and documents.covers(request.wire_host)
            case "Network.responseReceived":
                response = params["response"]
                opaque = maybe_opaque(str(params.get("type", "")).lower(), response)
                return self._known(key) and not opaque and documents.covers(response["url"])
        return self._known(key)

    def _hold(self, key: str, event: Event) -> None:
        events = self._held.setdefault(key, [])
        if len(events) < _MAX_HELD_OF_REQUEST:
            events.append(event)
        if len(self._held) > _MAX_HELD:
            self._held.popitem(last=False)

    def _remember(self, key: str, request: _Request) -> None:
        self._requests.pop(key, None)
        self._requests[key] = request
        if len(self._requests) > _MAX_REQUESTS:
            self._requests.popitem(last=False)


def _context_of(params: Mapping[str, Any]) -> object:
    return params.get("executionContextId") or (params.get("exceptionDetails") or {}).get("executionContextId")


def _web(url: str) -> str:
    """The http URL for a WebSocket's URL."""
    return "http" + url.removeprefix("ws") if url.startswith("ws") else url


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
