"""The console of a tab: its entries, and their texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession, PendingReply
from kapture.changed import Changed
from kapture.page.documents.read_gate import EVERY_SITE, origin_of
from kapture.page.tab_memory import Ring, texts_bytes
from kapture.split_url import split_url

_PLACEHOLDER = re.compile(r"%[sdifoOc%]")


def format_arguments(arguments: list[dict[str, Any]]) -> str:
    """The text of a console call, with `%s`-style placeholders replaced (Console Standard, formatter)."""
    rest = list(arguments)
    if not rest:
        return ""
    first = rest[0]
    if first.get("type") != "string" or len(rest) == 1:
        return " ".join(describe(argument) for argument in rest)
    rest.pop(0)

    def fill(match: re.Match[str]) -> str:
        kind = match.group()
        if kind == "%%":
            return "%"
        if not rest:
            return kind
        value = rest.pop(0)
        if kind == "%c":
            return ""  # styling
        if kind in {"%d", "%i", "%f"}:
            return _number(value, whole=kind != "%f")
        if kind in {"%o", "%O"} and value.get("type") == "string":
            return json.dumps(value.get("value", ""), ensure_ascii=False)
        return describe(value)

    text = _PLACEHOLDER.sub(fill, str(first.get("value", "")))
    return " ".join([text, *(describe(argument) for argument in rest)])


def _number(value: dict[str, Any], *, whole: bool) -> str:
    """A number as `%d` and `%f` show it; NaN for anything else, as in DevTools."""
    if value.get("type") == "bigint":
        return describe(value)
    number = value.get("value")
    if value.get("type") != "number" or number is None:
        return str(value.get("unserializableValue", "NaN")) if value.get("type") == "number" else "NaN"
    return str(int(number) if whole else number)


def describe(value: dict[str, Any]) -> str:
    """A `Runtime.RemoteObject` in one line, from its preview if it has one."""
    kind = value.get("type")
    if kind == "string":
        return str(value.get("value", ""))
    if kind == "undefined":
        return "undefined"
    if value.get("subtype") == "null":
        return "null"
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if kind in {"number", "boolean"}:
        shown = value.get("value")
        return str(shown).lower() if isinstance(shown, bool) else f"{shown}"
    preview = value.get("preview")
    if preview and value.get("subtype") not in {"error", "node", "regexp", "date"}:
        return _preview(preview)
    return str(value.get("description") or value.get("className") or kind)


def _preview(preview: dict[str, Any]) -> str:
    if "entries" in preview:  # Map and Set
        items = [
            f"{_preview(entry['key'])} => {_preview(entry['value'])}" if "key" in entry else _preview(entry["value"])
            for entry in preview["entries"]
        ]
        return f"{preview.get('description', '')} {{{_joined(items, preview)}}}"
    properties = preview.get("properties")
    if not properties:
        if preview.get("type") == "object" and preview.get("description") == "Object":
            return "{}"
        return str(preview.get("description", ""))
    if preview.get("subtype") == "array":
        return f"[{_joined([_property(item) for item in properties], preview)}]"
    name = preview.get("description", "Object")
    items = [f"{item['name']}: {_property(item)}" for item in properties]
    return f"{'' if name == 'Object' else name + ' '}{{{_joined(items, preview)}}}"


def _property(item: dict[str, Any]) -> str:
    if "valuePreview" in item:
        return _preview(item["valuePreview"])
    value = item.get("value", "")
    return f'"{value}"' if item.get("type") == "string" else str(value)


def _joined(items: list[str], preview: dict[str, Any]) -> str:
    return ", ".join([*items, "…"] if preview.get("overflow") else items)


# A tab's console: messages, uncaught errors, and the browser's own entries.
#
# Entries are kept here, in the hub, so they survive navigations. The buffer is a ring of `CAPACITY` entries, fewer
# where
# they are long (`kapture.page.tab_memory`); each has a sequence number that only grows, so a cursor ("everything after
# 57") never misses or repeats one, and says so when the ring has already dropped some.

CAPACITY = 1_000
MAX_TEXT_CHARS = 10_000
_MAX_PLACE_CHARS = 100

Owners: TypeAlias = Callable[[CdpSession, str | None], tuple[str, ...]]
"""The URLs of the documents that an event may belong to, by its frame's id; see `sessions.Sessions.owners`."""

Level: TypeAlias = Literal["error", "warn", "info", "log", "debug"]
Source: TypeAlias = Literal["console", "exception", "network", "browser"]

_LEVELS: dict[str, Level] = {
    "error": "error",
    "assert": "error",
    "warning": "warn",
    "info": "info",
    "debug": "debug",
    "verbose": "debug",
}


@attrs.frozen(kw_only=True)
class LogEntry:
    """One console entry. `timestamp` is in milliseconds since the epoch.

    `owners`: the URLs of the documents that it may belong to, all of which must be granted. `about`: the URL that an
    entry of the browser is about. `dropped`: how many entries before it were lost because they came too fast. `page`:
    the number of the tab's page at that time. `place`: the worker or frame that it comes from; empty for the page.
    """

    seq: int
    timestamp: float
    level: Level
    source: Source
    message: str
    location: str = ""
    stack: str = ""
    owners: tuple[str, ...] = ()
    about: str = ""
    dropped: int = 0
    page: int = 0
    place: str = ""


_MOST_SERVICE_WORKERS = 64
_ENTRY_BYTES = 300
"""The size of an entry without its texts. `owners` are not counted: entries share them."""


def _entry_bytes(entry: LogEntry) -> int:
    return _ENTRY_BYTES + texts_bytes(entry.message, entry.location, entry.stack, entry.about)


class ConsoleLog:
    """The entries of one tab. `observe` is called for every CDP session of the page, including those of workers."""

    def __init__(
        self,
        owners: Owners,
        request_owners: Callable[[str], tuple[str, ...]],
        place: Callable[[CdpSession, str], str] = lambda *_: "",
    ) -> None:
        self._owners = owners
        self._place = place
        self._service_workers: dict[tuple[str, ...], float] = {}
        """The time of the newest entry of each service worker, by its owners."""
        self._request_owners = request_owners
        self.entries: Ring[LogEntry] = Ring(CAPACITY, _entry_bytes)
        """The kept entries, oldest first."""
        self._last = 0
        self.dropped_last = 0
        """Events that were dropped after the newest entry."""
        self.page = 0
        """The number of the tab's current page; entries with a lower one are from earlier pages."""
        self.changed = Changed()
        """Notified when the next entry arrives."""

    @property
    def cursor(self) -> int:
        """The sequence number of the newest entry; 0 if there was none yet."""
        return self._last

    @property
    def dropped_before(self) -> int:
        """Entries up to this sequence number have been dropped."""
        oldest = self.entries.oldest
        return self._last if oldest is None else oldest.seq - 1

    def note_dropped(self, count: int) -> None:
        """Note that this many events before the next entry are lost, because the page caused too many at once."""
        self.dropped_last += count

    def newest_first(self) -> Iterator[LogEntry]:
        """All kept entries."""
        return reversed(self.entries)

    async def observe(self, session: CdpSession) -> None:
        """Collect from one session. Enabling replays what the page logged before."""
        contexts: dict[int, tuple[str, str]] = {}  # frame id, and origin, by execution context
        replaying = True  # what was kept of documents of this process, which may be gone

        def replayed(_: PendingReply) -> None:
            nonlocal replaying
            replaying = False

        def of_session() -> tuple[str, ...]:
            return (EVERY_SITE,) if replaying else self._owners(session, "")

        def created(params: dict[str, Any]) -> None:
            context = params["context"]
            frame_id = (context.get("auxData") or {}).get("frameId", "")
            contexts[context["id"]] = frame_id, context.get("origin", "")

        def destroyed(params: dict[str, Any]) -> None:
            contexts.pop(params["executionContextId"], None)

        def owners(context_id: int | None) -> tuple[str, ...]:
            frame_id, origin = contexts.get(context_id or 0, (None, ""))
            found = self._owners(session, frame_id)
            # A process may report what a document logs before, or without, which document the frame shows.
            known = not origin.startswith("http") or any(origin_of(url) == origin for url in found)
            return found if known else (*found, f"{origin}/")

        def place(context_id: int | None) -> str:
            return self._place(session, contexts.get(context_id or 0, ("", ""))[0])

        def logged(params: dict[str, Any]) -> None:
            if params["type"] in {"clear", "endGroup"}:
                return
            self._add(
                timestamp=params["timestamp"],
                level=_LEVELS.get(params["type"], "log"),
                source="console",
                message=format_arguments(params["args"]),
                frames=(params.get("stackTrace") or {}).get("callFrames", []),
                keep_stack=params["type"] in {"error", "assert", "trace"},
                owners=owners(params.get("executionContextId")),
                place=place(params.get("executionContextId")),
            )

        def thrown(params: dict[str, Any]) -> None:
            details = params["exceptionDetails"]
            exception = details.get("exception") or {}
            text = exception.get("description") or describe(exception)
            message, _, stack = text.partition("\n    at ")
            self._add(
                timestamp=params["timestamp"],
                level="error",
                source="exception",
                message=f"{details.get('text', 'Uncaught')} {message}".strip(),
                frames=(details.get("stackTrace") or {}).get("callFrames", []) or [details],
                stack=f"    at {stack}" if stack else "",
                keep_stack=bool(details.get("stackTrace")),
                owners=owners(details.get("executionContextId")),
                place=place(details.get("executionContextId")),
            )

        def remarked(params: dict[str, Any]) -> None:
            entry = params["entry"]
            request = entry.get("networkRequestId", "")
            if entry["source"] in {"javascript", "worker"}:
                return  # uncaught errors and messages of workers, which Runtime reports in full
            self._add(
                timestamp=entry["timestamp"],
                level=_LEVELS.get(entry["level"], "log"),
                source="network" if entry["source"] == "network" else "browser",
                message=f"{entry['text']} ({entry['url']})" if _names_no_address(entry) else entry["text"],
                frames=[entry] if entry.get("url") else [],
                owners=self._request_owners(request) if request else of_session(),
                about=entry.get("url", ""),
            )

        def navigated(params: dict[str, Any]) -> None:
            if not params["frame"].get("parentId"):
                self.page += 1

        session.on("Page.frameNavigated", navigated)
        session.on("Runtime.executionContextCreated", created)
        session.on("Runtime.executionContextDestroyed", destroyed)
        session.on("Runtime.executionContextsCleared", lambda _: contexts.clear())
        session.on("Runtime.consoleAPICalled", logged)
        session.on("Runtime.exceptionThrown", thrown)
        session.on("Log.entryAdded", remarked)
        replies = [session.submit("Runtime.enable"), session.submit("Log.enable")]
        replies[-1].then(replayed)
        for reply in replies:
            await reply.wait()

    def _add(
        self,
        *,
        timestamp: float,
        level: Level,
        source: Source,
        message: str,
        frames: list[dict[str, Any]],
        owners: tuple[str, ...],
        about: str = "",
        stack: str = "",
        keep_stack: bool = False,
        place: str = "",
    ) -> None:
        if place.startswith("service worker"):  # its messages are replayed for each document that it controls
            if timestamp <= self._service_workers.get(owners, 0):
                return
            if len(self._service_workers) >= _MOST_SERVICE_WORKERS:
                del self._service_workers[next(iter(self._service_workers))]
            self._service_workers[owners] = timestamp
        self._last += 1
        if keep_stack and not stack:
            stack = "\n".join(f"    at {f.get('functionName') or '<anonymous>'} ({_place(f)})" for f in frames)
        length = len(message)
        message = _without_lone_surrogates(message[:MAX_TEXT_CHARS])
        if length > MAX_TEXT_CHARS:
            message += f"… ({length} characters)"
        self.entries.append(
            LogEntry(
                seq=self._last,
                timestamp=timestamp,
                level=level,
                source=source,
                message=message,
                location=_short_place(frames[0]) if frames else "",
                stack=_without_lone_surrogates(stack[:MAX_TEXT_CHARS]),
                owners=owners,
                about=about,
                dropped=self.dropped_last,
                page=self.page,
                place=place,
            )
        )
        self.dropped_last = 0
        self.changed.notify()


def _names_no_address(entry: dict[str, Any]) -> bool:
    """Whether the text does not say which URL it is about, as `Failed to load resource: …`, which has it in `url`."""
    return bool(entry["source"] == "network" and entry.get("url") and entry["url"] not in entry["text"])


def _without_lone_surrogates(text: str) -> str:
    """Replace lone surrogates, which scripts can create and no encoding can carry, by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _place(frame: dict[str, Any]) -> str:
    line = frame.get("lineNumber")
    position = "" if line is None else f":{line + 1}"
    if line is not None and frame.get("columnNumber") is not None:
        position += f":{frame['columnNumber'] + 1}"
    return f"{frame.get('url', '')}{position}"


def _short_place(frame: dict[str, Any]) -> str:
    """`shop.js:40`: the last part of the path, which is enough to identify the file; of a `data:` URL its type."""
    url = frame.get("url") or ""
    line = frame.get("lineNumber")
    is_data = url.startswith("data:")
    name = url.partition(",")[0] if is_data else split_url(url).path.rsplit("/", 1)[-1] or url
    name = name if len(name) <= _MAX_PLACE_CHARS else f"{name[:_MAX_PLACE_CHARS]}…"
    return f"{name}:{line + 1}" if name and line is not None else name
