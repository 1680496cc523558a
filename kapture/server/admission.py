"""Who a request comes from, and which requests are refused whatever they ask for.

A browser lets any page send requests to this port; what it cannot do is lie about `Host`, `Origin` and
`Sec-Fetch-Site`. So those decide, before an upgrade and again for each request on a connection that is kept alive.
Which caller may use which path is decided by `kapture.server.routes`.
"""

from __future__ import annotations

import re
from enum import Enum

import attrs

from kapture.server.request_head import RequestHead

EXTENSION_ID = "jjllhgagajepglkofmhapipikepcofkp"
EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_ID}"
_EXTENSION = re.compile(r"chrome-extension://[a-p]{32}")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Caller(Enum):
    """Who sent a request, as far as its head shows."""

    PROGRAM = "program"  # no page: a local program, or an address typed by a person
    EXTENSION = "extension"  # our extension, by its pinned Origin
    OWN_PAGE = "own page"  # a page that this hub served
    NAMED_ORIGIN = "origin let in"  # a page or extension that a person named with --allow-origin
    OTHER_EXTENSION = "another extension"
    LINK = "link"  # a person followed a link on a page of another site


@attrs.frozen(kw_only=True)
class Refusal:
    """Why a request is not served: an HTTP status and a sentence."""

    status: int
    reason: str


@attrs.frozen(kw_only=True)
class FurtherCallers:
    """Who else may come, on the paths that are for them: these origins; extensions that are not ours."""

    origins: frozenset[str] = frozenset()
    extensions: bool = False


NO_FURTHER_CALLERS = FurtherCallers()


def own_hosts(port: int) -> list[str]:
    """The `Host` values under which this hub answers."""
    return [f"{name}:{port}" for name in _LOOPBACK_NAMES]


def own_origins(port: int) -> list[str]:
    """The origins of pages that this hub serves."""
    return [f"http://{host}" for host in own_hosts(port)]


def identify_caller(head: RequestHead, port: int, further: FurtherCallers = NO_FURTHER_CALLERS) -> Caller | Refusal:
    """Who sent this request to the hub on this port; a `Refusal` for everyone who may use none of its paths.

    `further` is who else a person let in.
    """
    if (head.one(b"host") or "").lower() not in own_hosts(port):
        return Refusal(status=403, reason="The Host header does not name this hub.")
    if not head.target.startswith("/"):
        return Refusal(status=400, reason="The request target is not a path.")
    origins = {origin if origin == EXTENSION_ORIGIN else origin.lower() for origin in head.all(b"origin")}
    if origins == {EXTENSION_ORIGIN}:
        return Caller.EXTENSION
    if origins and origins <= set(own_origins(port)):
        return Caller.OWN_PAGE
    if origins and origins <= further.origins:
        return Caller.NAMED_ORIGIN
    if further.extensions and len(origins) == 1 and _EXTENSION.fullmatch(min(origins)):
        return Caller.OTHER_EXTENSION
    if origins:
        return Refusal(status=403, reason="Pages of this origin may not use the hub.")
    return _caller_without_origin(head)


def _caller_without_origin(head: RequestHead) -> Caller | Refusal:
    """A browser leaves `Origin` out of navigations and of requests for images, scripts and styles."""
    site = head.one(b"sec-fetch-site")
    if site is None or site == "none":
        return Caller.PROGRAM
    if site == "same-origin":
        return Caller.OWN_PAGE
    navigation = head.one(b"sec-fetch-mode") == "navigate" and head.one(b"sec-fetch-dest") == "document"
    if navigation and head.method == "GET":
        return Caller.LINK
    return Refusal(status=403, reason="Web pages may not use the hub.")
