"""Requests and their responses."""

from __future__ import annotations

import attrs

from kapture.commands.core.answer import Answer, Blob

_LONGEST_URL = 200
"""On a line of a list, in characters."""


@attrs.frozen(kw_only=True)
class RequestLine:
    """One request in a list. `size` is the number of bytes sent over the network."""

    id: str
    method: str
    status: str
    type: str
    size: int
    ms: int | None = None
    url: str


@attrs.frozen(kw_only=True)
class NetworkAnswer(Answer):
    """Requests, most recent first."""

    requests: list[RequestLine]
    cursor: int
    more: int
    hidden: int

    def text(self) -> str:
        """One line a request: id, method, status, type, bytes, milliseconds, URL."""
        lines = [
            f"{r.id} {r.method} {r.status} {r.type} {r.size}B {'-' if r.ms is None else f'{r.ms}ms'} {_cut(r.url)}"
            for r in self.requests
        ] or ["No requests match."]
        notes = [f"cursor {self.cursor}"]
        if self.more:
            notes.append(f"{self.more} more match")
        if self.hidden:
            notes.append(f"{self.hidden} not shown: requests by documents outside the grant, or unknown ones")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


@attrs.frozen(kw_only=True)
class Body:
    """A body, as text if it is text, otherwise base64; `bytes` is its whole size."""

    bytes: int
    text: str | None = None
    base64: str | None = None
    truncated: bool = False

    def shown(self) -> str:
        """For a model."""
        if self.bytes == 0:
            return "(empty)"
        if self.text is None:
            return f"({self.bytes} bytes, not text)"
        return self.text + (f"\n… cut: {self.bytes} bytes in all" if self.truncated else "")


@attrs.frozen(kw_only=True)
class NetworkRequestAnswer(Answer):
    """Everything known about one request. `phases`: how its time was spent, in milliseconds, as HAR names them."""

    request: RequestLine
    phases: dict[str, float] = attrs.field(factory=dict)
    redirects: list[str]
    failure: str
    request_headers: dict[str, str]
    request_body: Body | None
    response_headers: dict[str, str]
    response_body: Body | None
    messages: list[str]
    body_error: str

    def text(self) -> str:
        """In the format of an HTTP trace."""
        r = self.request
        lines = [f"{r.id} {r.method} {r.url} → {r.status}" + (f" in {r.ms} ms" if r.ms is not None else "")]
        lines += [f"redirected: {hop}" for hop in self.redirects]
        lines += [f"> {name}: {value}" for name, value in self.request_headers.items()]
        if self.request_body is not None:
            lines += ["", self.request_body.shown(), ""]
        lines += [f"< {name}: {value}" for name, value in self.response_headers.items()]
        if self.failure:
            lines.append(f"failed: {self.failure}")
        if self.response_body is not None:
            lines += ["", self.response_body.shown()]
        if self.messages:
            lines += ["", *self.messages]
        if self.body_error:
            lines.append(self.body_error)
        return "\n".join(lines)


@attrs.frozen(kw_only=True)
class ResponseAnswer(Answer):
    """The first request that matched."""

    request: RequestLine
    cursor: int

    def text(self) -> str:
        """One line."""
        r = self.request
        return f"{r.id} {r.method} {r.status} {r.type} {r.size}B {r.ms}ms {r.url}\n(cursor {self.cursor})"


@attrs.frozen(kw_only=True)
class ConditionsAnswer(Answer):
    """The conditions in force."""

    conditions: str

    def text(self) -> str:
        """One line."""
        return f"network: {self.conditions}"


@attrs.frozen(kw_only=True)
class RoutesAnswer(Answer):
    """The routes that are set now."""

    done: str
    routes: list[str]

    def text(self) -> str:
        """One line per route."""
        return "\n".join([self.done, *self.routes])


@attrs.frozen(kw_only=True)
class HarAnswer(Answer):
    """How many requests it has, and its size; the HAR itself is a binary part."""

    entries: int
    bytes: int
    file: Blob

    def text(self) -> str:
        """One line."""
        return f"HAR with {self.entries} requests, {self.bytes} bytes"

    def parts(self) -> tuple[Blob, ...]:
        """The file."""
        return (self.file,)


def shortened(url: str) -> str:
    """A URL of the log for an answer: of data: URLs the beginning, with their length if the log has kept all of it."""
    if not url.startswith("data:"):
        return url
    return f"{url[:60]}…" + ("" if url.endswith("…") else f" ({len(url)} characters)")


def _cut(url: str) -> str:
    """A URL for a line of a list."""
    return url if len(url) <= _LONGEST_URL else f"{url[:_LONGEST_URL]}…"
