"""Requests that are answered or refused on the way: block and mock by URL pattern (CDP `Fetch`).

While no route is set, nothing is intercepted and nothing costs anything. Patterns are globs over the whole URL:
`*` any run of characters, `?` one.
"""

from __future__ import annotations

import base64
from fnmatch import fnmatchcase
from typing import Any

import attrs

from kapture.cdp import CdpSession

MAX_ROUTES = 100


@attrs.frozen(kw_only=True)
class Route:
    """What to do with requests whose URL matches. `body` None and `status` None: refuse them."""

    id: str
    pattern: str
    status: int | None = None
    body: bytes | None = None
    headers: dict[str, str] = attrs.field(factory=dict)
    hits: list[str] = attrs.field(factory=list)

    @property
    def blocks(self) -> bool:
        """Whether matching requests fail instead of being answered."""
        return self.status is None


class Routes:
    """The routes of one tab, newest first: the latest that matches decides."""

    def __init__(self) -> None:
        self._routes: list[Route] = []
        self._sessions: list[CdpSession] = []
        self._last = 0

    def __iter__(self) -> Any:
        return iter(tuple(self._routes))

    def __len__(self) -> int:
        return len(self._routes)

    async def observe(self, session: CdpSession) -> None:
        """Take part in one CDP session."""
        session.on("Fetch.requestPaused", lambda params: self._decide(session, params))
        self._sessions.append(session)
        if self._routes:
            await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})

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
        self._routes.insert(0, route)
        if len(self._routes) == 1:
            for session in tuple(self._sessions):
                await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return route

    async def remove(self, route_id: str | None = None) -> int:
        """Remove one route, or all; how many went."""
        kept = [] if route_id is None else [route for route in self._routes if route.id != route_id]
        gone = len(self._routes) - len(kept)
        self._routes = kept
        if gone and not kept:
            for session in tuple(self._sessions):
                await session.send("Fetch.disable", {})
        return gone

    def _decide(self, session: CdpSession, params: dict[str, Any]) -> None:
        """Answer one paused request. Its reply is not waited for: a request that has gone needs no answer."""
        request_id = params["requestId"]
        url = params["request"]["url"]
        route = next((route for route in self._routes if fnmatchcase(url, route.pattern)), None)
        if route is None:
            session.submit("Fetch.continueRequest", {"requestId": request_id})
            return
        del route.hits[:-19]
        route.hits.append(f"{params['request']['method']} {url}")
        if route.status is None:
            session.submit("Fetch.failRequest", {"requestId": request_id, "errorReason": "BlockedByClient"})
            return
        session.submit(
            "Fetch.fulfillRequest",
            {
                "requestId": request_id,
                "responseCode": route.status,
                "responseHeaders": [{"name": name, "value": value} for name, value in route.headers.items()],
                "body": base64.b64encode(route.body or b"").decode(),
            },
        )
