"""Rules for requests, and what they need: conditions, cookies and CORS headers."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from kapture.cdp import CdpSession, PendingReply, is_gone
from kapture.cdp.rules import cdp_rules
from kapture.errors import ErrorCode, KaptureError, PolicyDenied
from kapture.glob import glob_matches
from kapture.page.documents.read_gate import EVERY_SITE, NOBODY, ReadGate, names_no_site
from kapture.page.tab_memory import mapping_bytes, texts_bytes
from kapture.split_url import split_url

# Requests that are blocked or mocked by URL pattern (CDP `Fetch`).
#
# While no route is set, nothing is intercepted, at no cost. Patterns are globs over the whole URL:
# `*` any run of characters, `?` one.

MAX_ROUTES = 100
MAX_ROUTES_BYTES = 2 * 2**20
"""Limit for the patterns, headers and bodies of all routes of a tab."""


@attrs.define(kw_only=True)
class Route:
    """A rule for requests whose URL matches. `body` None and `status` None: block them. `hits` counts those that
    it has decided."""

    id: str
    pattern: str
    status: int | None = None
    body: bytes | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    hits: int = 0

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        return len(self.body or b"") + texts_bytes(self.pattern) + mapping_bytes(self.headers)

    @property
    def blocks(self) -> bool:
        """Whether matching requests fail instead of being answered."""
        return self.status is None


class Routes:
    """The routes of one tab, newest first: the newest that matches decides.

    They concern the requests of granted documents alone: code in a mocked response would run in the document that asked
    for it, and a mocked document has the origin of its address. `owners`: see `Sessions.owners`.
    """

    def __init__(self, owners: Callable[[CdpSession, str | None], tuple[str, ...]], gate: ReadGate) -> None:
        self._owners = owners
        self._gate = gate
        self._routes: list[Route] = []
        self._sessions: list[CdpSession] = []
        self._last = 0
        self.on_grown: Callable[[], None] = lambda: None

    def __iter__(self) -> Iterator[Route]:
        return iter(tuple(self._routes))

    def __len__(self) -> int:
        return len(self._routes)

    @property
    def held_bytes(self) -> int:
        """About what all routes take."""
        return sum(route.held_bytes for route in self._routes)

    async def observe(self, session: CdpSession) -> None:
        """Apply the routes to one session."""
        session.on("Fetch.requestPaused", lambda params: self._decide(session, params))
        self._sessions.append(session)
        if self._routes:
            await _applied(session.submit("Fetch.enable", self._patterns()))

    def forget(self, session: CdpSession) -> None:
        """Drop a session that has gone."""
        if session in self._sessions:
            self._sessions.remove(session)

    async def add(
        self,
        pattern: str,
        *,
        status: int | None = None,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Route:
        """Block (`status` None) or answer requests whose URL matches `pattern`, from now on."""
        self._last += 1
        route = Route(id=f"route{self._last}", pattern=pattern, status=status, body=body, headers=headers or {})
        if len(self._routes) >= MAX_ROUTES or self.held_bytes + route.held_bytes > MAX_ROUTES_BYTES:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"A tab has at most {MAX_ROUTES} routes of {MAX_ROUTES_BYTES >> 20} MiB in all.",
                hint="Remove some first, or mock with less.",
            )
        self._routes.insert(0, route)
        self.on_grown()
        await self._apply()
        return route

    async def remove(self, route_id: str | None = None) -> int:
        """Remove one route, or all; returns how many were removed."""
        kept = [] if route_id is None else [route for route in self._routes if route.id != route_id]
        gone = len(self._routes) - len(kept)
        self._routes = kept
        if gone:
            await self._apply()
        return gone

    def end(self) -> None:
        """Remove all routes at once: the grant does not cover them any more."""
        if self._routes:
            self._routes = []
            for session in self._sessions:
                session.submit("Fetch.disable", {})

    async def _apply(self) -> None:
        method, params = ("Fetch.enable", self._patterns()) if self._routes else ("Fetch.disable", {})
        replies = [session.submit(method, params) for session in tuple(self._sessions)]
        for reply in replies:
            await _applied(reply)

    def _patterns(self) -> dict[str, Any]:
        """Return the patterns to intercept: only requests that a route may match. CDP's patterns are globs too, with
        `\\` as escape."""
        return {"patterns": [{"urlPattern": route.pattern.replace("\\", "\\\\")} for route in self._routes]}

    def _decide(self, session: CdpSession, params: dict[str, Any]) -> None:
        """Continue, fail or answer one paused request, without waiting for the reply: the request may be gone."""
        request_id = params["requestId"]
        url = params["request"]["url"]
        route = next((route for route in self._routes if glob_matches(url, route.pattern)), None)
        if route is None or not self._concerns(session, params):
            session.submit("Fetch.continueRequest", {"requestId": request_id})
            return
        route.hits += 1
        if route.status is None:
            session.submit("Fetch.failRequest", {"requestId": request_id, "errorReason": "BlockedByClient"})
            return
        asked = {name.lower(): value for name, value in params["request"]["headers"].items()}
        preflight = params["request"]["method"] == "OPTIONS" and "access-control-request-method" in asked
        given = {name.lower() for name in route.headers}
        allowing = {name: value for name, value in _allowing(asked).items() if name not in given}
        # The browser stores the cookies of a mocked response as those of its address.
        own = self._gate(url)
        headers = {
            name: value
            for name, value in route.headers.items()
            if name.lower() != "set-cookie" or (own and set_cookie_granted(value, self._gate))
        }
        fulfilled = session.submit(
            "Fetch.fulfillRequest",
            {
                "requestId": request_id,
                "responseCode": 204 if preflight else route.status,
                "responseHeaders": [{"name": name, "value": value} for name, value in {**allowing, **headers}.items()],
                "body": "" if preflight else base64.b64encode(route.body or b"").decode(),
            },
        )

        def refused(reply: PendingReply) -> None:
            # A header that the browser rejects would leave the request paused for ever.
            if reply.error is None or session.closed:
                return
            if isinstance(reply.error, PolicyDenied):  # the person has narrowed the grant
                session.submit("Fetch.continueRequest", {"requestId": request_id})
            else:
                session.submit("Fetch.failRequest", {"requestId": request_id, "errorReason": "Failed"})

        fulfilled.then(refused)

    def _concerns(self, session: CdpSession, params: dict[str, Any]) -> bool:
        """Whether all documents that a paused request may belong to are granted."""
        request = params["request"]
        if params.get("resourceType") == "Document" and not names_no_site(request["url"]):
            owners: tuple[str, ...] = (request["url"],)
        else:
            owners = self._owners(session, params.get("frameId", ""))
            # A request may be paused before its document is reported. `Origin` names it too; where there is none,
            # `Referer` may. That of a font or of a nested module is the style sheet or the module that asks for it.
            headers = {name.lower(): value for name, value in request["headers"].items()}
            named = [headers[name] for name in ("origin", "referer") if headers.get(name, "").startswith("http")]
            owners += tuple(named[:1])
        return all(self._gate(owner) or (owner == NOBODY and self._gate(EVERY_SITE)) for owner in owners)


async def _applied(reply: PendingReply) -> None:
    """Wait until a session has its routes. It may be gone, or refused because its document is outside the grant: no
    route concerns the requests of that."""
    try:
        await reply.wait()
    except KaptureError as error:
        if not (is_gone(error) or isinstance(error, PolicyDenied)):
            raise


def _allowing(asked: Mapping[str, str]) -> dict[str, str]:
    """CORS headers that let a page of another origin read the response."""
    origin = asked.get("origin")
    if origin is None:
        return {}
    allowed = {"access-control-allow-origin": origin, "access-control-allow-credentials": "true"}
    if "access-control-request-method" in asked:
        allowed["access-control-allow-methods"] = asked["access-control-request-method"]
    if "access-control-request-headers" in asked:
        allowed["access-control-allow-headers"] = asked["access-control-request-headers"]
    return allowed


# Whether a page may read another origin's response, by what the browser reports of both ends.
#
# Fetch, "CORS check" (https://fetch.spec.whatwg.org/#concept-cors-check). CDP tells neither the mode nor the
# credentials
# mode of a request, so both are taken from the headers that went over the network; what they leave open counts as no.
# An opaque response may carry the same headers as one made for CORS: only the request tells them apart.
# `extension/worker/gate/cors.js` decides the same, by the same examples (`tests/policy/bodies.json`).

MAX_HEADS = 64
_ALWAYS_CORS = frozenset({"xhr", "eventsource"})
_CREDENTIALS = frozenset({"cookie", "authorization", "proxy-authorization"})


@attrs.frozen
class SentHead:
    """The information in the headers of one request on the network. `mode`: "" on plain http, but for this
    machine's."""

    host: str
    origin: str
    mode: str
    credentials: bool

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> SentHead:
        """Read raw request headers."""
        lower = {name.lower(): value for name, value in headers.items()}
        host = lower.get(":authority") or lower.get("host") or ""
        credentials = not _CREDENTIALS.isdisjoint(lower)
        return cls(host.lower(), lower.get("origin", ""), lower.get("sec-fetch-mode", ""), credentials)


@attrs.frozen
class Readers:
    """The CORS headers of a response: the only value of each header, "" for none or several."""

    origin: str = ""
    with_credentials: str = ""

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Readers:
        """Read response headers."""
        return cls(_only(headers, "access-control-allow-origin"), _only(headers, "access-control-allow-credentials"))


def page_may_read(
    kind: str, method: str, hops: Sequence[str], heads: Sequence[SentHead], owners: Iterable[str], readers: Readers
) -> bool:
    """Whether scripts of the page that made a request to another origin could read its response.

    `kind`: its type, in lower case; `hops`: every URL that it went to, in order; `heads`: in the order in which they
    were sent; `owners`: the URLs of the documents that made it. The heads of one hop may be reported after the next hop
    has begun, so those of every hop to the last host count, and each must have been reported.
    """
    if kind not in _ALWAYS_CORS | {"fetch"} or len(heads) >= MAX_HEADS:
        return False
    host = host_of(hops[-1])
    sent = [head for head in heads if head.host == host]
    if len(sent) < sum(host_of(hop) == host for hop in hops):
        return False
    # Without the mode, a request that neither sends nor is `cors` by its kind has an origin only if it is `cors`.
    plain = kind in _ALWAYS_CORS or method in ("GET", "HEAD")
    if not all(head.origin and (head.mode == "cors" or (not head.mode and plain)) for head in sent):
        return False
    credentials = any(head.credentials for head in sent)
    if readers.origin == "*":
        return not credentials
    if readers.origin not in {"{0.scheme}://{0.netloc}".format(split_url(owner)) for owner in owners}:
        return False
    named = all(head.origin == readers.origin for head in sent)
    return named and (not credentials or readers.with_credentials == "true")


def host_of(url: str) -> str:
    """The host of a URL with its port, as in a request's headers."""
    return split_url(url).netloc.rpartition("@")[2].lower()


def _only(headers: Mapping[str, str], name: str) -> str:
    values = {value.strip(" \t") for key, value in headers.items() if key.lower() == name}
    return values.pop() if len(values) == 1 else ""


_SET = "Network.emulateNetworkConditions"


class NetworkConditions:
    """Those of all sessions with documents, also of later ones. `sessions`: the current ones."""

    def __init__(self, sessions: Sequence[CdpSession]) -> None:
        self._sessions = sessions
        self._conditions: Mapping[str, Any] | None = None

    @property
    def in_force(self) -> bool:
        """Whether any have been set."""
        return self._conditions is not None

    async def set(self, conditions: Mapping[str, Any]) -> None:
        """Send these parameters of `Network.emulateNetworkConditions` to every session; one may go away meanwhile."""
        self._conditions = dict(conditions)
        for reply in [session.submit(_SET, conditions) for session in self._sessions]:
            try:
                await reply.wait()
            except KaptureError as error:
                if not is_gone(error):
                    raise

    def apply(self, session: CdpSession) -> list[PendingReply]:
        """Send what has been set to a new session."""
        return [] if self._conditions is None else [session.submit(_SET, self._conditions)]

    def end(self) -> None:
        """Back to normal at once, without waiting: the grant does not cover them any more."""
        if self._conditions is not None:
            self._conditions = None
            for session in self._sessions:
                session.submit(_SET, cdp_rules().undo[_SET].params)


def domain_granted(domain: object, covers: Callable[[str], bool]) -> bool:
    """Whether cookies of a domain belong to a granted site: those of the domain above it are every subdomain's. This
    holds for every way to read, set and delete one. Cookies are shared by the ports of a host."""
    bare = domain.removeprefix(".") if isinstance(domain, str) else ""
    urls = (f"{scheme}://{bare}/" for scheme in ("https", "http"))
    return bare != "" and any(not names_no_site(url) and covers(url) for url in urls)


def set_cookie_granted(line: str, covers: Callable[[str], bool]) -> bool:
    """Whether a `Set-Cookie` of a granted response is for a granted site."""
    pairs = (part.partition("=") for part in line.split(";")[1:])
    domains = [value.strip() for name, _, value in pairs if name.strip().lower() == "domain"]
    return all(domain_granted(domain, covers) for domain in domains if domain)
