"""Whether a page may read another origin's response, by what the browser reports of both ends.

Fetch, "CORS check" (https://fetch.spec.whatwg.org/#concept-cors-check). CDP tells neither the mode nor the credentials
mode of a request, so both are taken from the headers that went over the network; what they leave open counts as no. An
opaque response may carry the same headers as one made for CORS: only the request tells them apart.
`extension/worker/gate/cors.js` decides the same, by the same examples (`tests/policy/bodies.json`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from kapture.split_url import split_url

MAX_HEADS = 64
_ALWAYS_CORS = frozenset({"xhr", "eventsource"})
_CREDENTIALS = frozenset({"cookie", "authorization", "proxy-authorization"})


@attrs.frozen
class SentHead:
    """What the headers of one request on the network say. `mode`: "" on plain http, but for this machine's."""

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
    """What a response says of who may read it: the only value of each header, "" for none or several."""

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
