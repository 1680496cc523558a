"""Identification of callers, and refusals that hold on every path.

A browser lets any page send requests to this port, but no page can forge `Host`, `Origin` and `Sec-Fetch-Site`. So
those decide, before an upgrade and again for each request on a kept-alive connection. What each may do is in
`kapture.pairing.access`.
"""

from __future__ import annotations

import re

import attrs

from kapture.__about__ import EXTENSION_IDS
from kapture.pairing.access import Caller
from kapture.server.request_head import RequestHead

EXTENSION_ORIGIN = f"chrome-extension://{EXTENSION_IDS[0]}"
_EXTENSION = re.compile(r"chrome-extension://[a-p]{32}")
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@attrs.frozen(kw_only=True)
class Refusal:
    """Why a request is refused: an HTTP status and a sentence."""

    status: int
    reason: str


@attrs.frozen(kw_only=True)
class FurtherCallers:
    """Further admitted callers, on the paths that allow them: these origins; other extensions. `own_ids` are those of
    further builds of our extension, which prove the key as it does."""

    origins: frozenset[str] = frozenset()
    extensions: bool = False
    own_ids: tuple[str, ...] = ()


NO_FURTHER_CALLERS = FurtherCallers()


def own_hosts(port: int) -> list[str]:
    """The `Host` values that this hub accepts."""
    return [f"{name}:{port}" for name in _LOOPBACK_NAMES]


def own_origins(port: int) -> list[str]:
    """The origins of pages that this hub serves."""
    return [f"http://{host}" for host in own_hosts(port)]


def identify_caller(head: RequestHead, port: int, further: FurtherCallers = NO_FURTHER_CALLERS) -> Caller | Refusal:
    """Identify who sent this request to the hub on this port; a `Refusal` for callers that may use none of its paths.

    `further`: callers that a person has admitted besides.
    """
    if (head.one(b"host") or "").lower() not in own_hosts(port):
        return Refusal(status=403, reason="The Host header does not name this hub.")
    if not head.target.startswith("/"):
        return Refusal(status=400, reason="The request target is not a path.")
    ours = {f"chrome-extension://{own_id}" for own_id in (*EXTENSION_IDS, *further.own_ids)}
    origins = {origin if origin in ours else origin.lower() for origin in head.all(b"origin")}
    if len(origins) == 1 and origins <= ours:
        return Caller.EXTENSION
    if origins and origins <= set(own_origins(port)):
        return Caller.OWN_PAGE
    if origins and origins <= further.origins:
        return Caller.NAMED_ORIGIN
    if further.extensions and len(origins) == 1 and _EXTENSION.fullmatch(min(origins)):
        return Caller.OTHER_EXTENSION
    if origins:
        return Refusal(status=403, reason="Pages of this origin may not use the hub.")
    return _caller_without_origin(head, further)


def _caller_without_origin(head: RequestHead, further: FurtherCallers) -> Caller | Refusal:
    """Identify a caller without Origin: browsers omit it for navigations and for images, scripts and styles."""
    site = head.one(b"sec-fetch-site")
    if site == "none" and head.one(b"sec-fetch-mode") == "cors" and further.extensions:
        return Caller.OTHER_EXTENSION  # its GET to a host that it has permission for; no page can do that
    if site is None or site == "none":
        return Caller.PROGRAM
    if site == "same-origin":
        return Caller.OWN_PAGE
    navigation = head.one(b"sec-fetch-mode") == "navigate" and head.one(b"sec-fetch-dest") == "document"
    if navigation and head.method == "GET":
        return Caller.LINK
    return Refusal(status=403, reason="Web pages may not use the hub.")
