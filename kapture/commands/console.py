"""Console and errors."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Annotated

import attrs
import msgspec
import trio
from msgspec import Meta

from kapture.commands.core.answer import MORE, NOTE_CHARS, Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.page.console import CAPACITY, ConsoleLog, Level, LogEntry, Source
from kapture.page.documents.read_gate import shown_address
from kapture.page.typed_secrets import TypedSecrets

MOST_MESSAGE_CHARS = 2_000
"""The longest message, unless the call asks for another limit."""
IMPORTANCE: Mapping[Level, int] = {"error": 0, "warn": 1}
"""Levels that are kept first where not all fit; others follow, the newest first."""


# An answer may have a thousand of these; msgspec makes and converts its structs four times as fast as attrs classes.
class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry; `timestamp` is ISO 8601 in UTC. `earlier`: of a page that the tab has left since. `place`: the worker
    or frame that it comes from; empty for the page itself."""

    timestamp: str
    level: Level
    source: Source
    message: str
    location: str
    stack: str
    earlier: bool = False
    place: str = ""


@attrs.frozen(kw_only=True)
class LogsAnswer(Answer):
    """Entries, most recent first, and the cursor to continue from."""

    entries: list[LogLine]
    cursor: int
    more: int
    missed: int
    hidden: int
    dropped: int = 0
    longest: int = MOST_MESSAGE_CHARS

    def text(self) -> str:
        """One line per entry, in the format of a log file."""
        return self._written(self.entries, self.longest)

    def text_within(self, limit: int) -> str:
        """The same within a limit: with shorter messages, or else without the entries that matter least."""
        for longest in (self.longest, 1_000, 500):
            text = self._written(self.entries, min(longest, self.longest))
            if len(text) <= limit + NOTE_CHARS // 2:
                return text
        longest = min(500, self.longest)
        by_importance = sorted(
            range(len(self.entries)), key=lambda at: IMPORTANCE.get(self.entries[at].level, len(IMPORTANCE))
        )
        kept, room = set(), limit
        for at in by_importance:
            room -= len(_line(self.entries[at], longest)) + 1
            if room < 0:
                break
            kept.add(at)
        return self._written([entry for at, entry in enumerate(self.entries) if at in kept], longest)

    def _written(self, entries: list[LogLine], longest: int) -> str:
        lines = []
        earlier = False
        for entry in entries:
            if entry.earlier and not earlier:
                lines.append("-- earlier pages of this tab --")
            earlier = entry.earlier
            lines.append(_line(entry, longest))
        if not self.entries:
            lines.append("No console entries match.")
        notes = [f"cursor {self.cursor}"]
        cut = sum(max(len(entry.message), len(entry.stack)) > longest for entry in entries)
        left_out = len(self.entries) - len(entries)
        if cut:
            notes.append(f"{cut} cut at {longest:,} characters")
        if left_out:
            notes.append(f"{left_out} left out")
        if cut or left_out:
            notes.append(MORE)
        if self.more:
            notes.append(f"{self.more} more match: raise max, or narrow by level or text")
        if self.missed:
            notes.append(f"{self.missed} older entries are no longer kept")
        if self.hidden:
            notes.append(f"{self.hidden} not shown: from documents outside the grant, or unknown ones")
        if self.dropped:
            notes.append(f"{self.dropped} dropped: the page causes more than can be carried")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


def _line(entry: LogLine, longest: int) -> str:
    location = f" ({entry.location})" if entry.location else ""
    kind = entry.level if entry.source == "console" else f"{entry.level} {entry.source}"
    where = f" in {entry.place}" if entry.place else ""
    line = f"{entry.timestamp} {kind}{where}: {_indented(_cut(entry.message, longest))}{_indented(location)}"
    return f"{line}\n    {_indented(_cut(entry.stack, longest).lstrip())}" if entry.stack else line


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters: max_chars)"


def _indented(text: str) -> str:
    """Indent continuation lines, so that a message cannot imitate several entries, and remove control characters."""
    if text.isprintable():
        return text
    lines = "".join(char if char in "\n\t" or char.isprintable() else _escaped(char) for char in text).split("\n")
    return "\n    ".join(lines)


def _escaped(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return ""
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ADDRESS = re.compile(r"\b(?:https?|wss?|file)://[^\s'\"<>)\]]+")


@attrs.frozen(kw_only=True)
class Logs:
    """Read console messages and errors, newest first. Where not all fit, errors and warnings are kept first."""

    max: Annotated[int, Meta(ge=1, le=CAPACITY, description="At most this many; default 100.")] | None = None
    level: Annotated[Level | list[Level] | None, Meta(description="Only messages of these levels.")] = None
    source: Annotated[Source | list[Source] | None, Meta(description="Only messages from these sources.")] = None
    text: Annotated[str | None, Meta(description="Only with this text.")] = None
    since: Annotated[int, Meta(ge=0, description="Only after this cursor.")] | None = None
    last_ms: Annotated[float, Meta(gt=0, description="Only those of the last so many milliseconds.")] | None = None
    watch_ms: (
        Annotated[float, Meta(gt=0, le=600_000, description="Wait so many milliseconds for new ones first.")] | None
    ) = None
    stack: Annotated[bool, Meta(description="Show stack traces.")] = True


@command("logs", access=Access.READ, lane=Lane.CONTROL, idempotent=True, long=True)
async def logs(tab: TabContext, params: Logs) -> LogsAnswer:
    """Read the log, after waiting for new entries if requested."""
    log = tab.page.console
    since = params.since
    if params.watch_ms is not None:
        since = log.cursor if since is None else since
        await trio.sleep(params.watch_ms / 1000)
    cursor = log.cursor
    most = tab.arguments.most(params.max, 100, CAPACITY)
    entries, more, hidden = select_entries(log, params, most, since, tab.page.gate, tab.page.typed_secrets)
    return LogsAnswer(
        entries=[log_line(entry, log.page, stack=params.stack) for entry in entries],
        cursor=cursor,
        more=more,
        missed=max(0, log.dropped_before - since) if since is not None else 0,
        hidden=hidden,
        dropped=sum(entry.dropped for entry in entries) + log.dropped_last,
        longest=tab.arguments.limit if tab.arguments.whole else MOST_MESSAGE_CHARS,
    )


def select_entries(
    log: ConsoleLog, params: Logs, most: int, since: int | None, gate: Callable[[str], bool], secrets: TypedSecrets
) -> tuple[list[LogEntry], int, int]:
    """The newest matching entries, most recent first; how many more match; how many the grant withholds. Where more
    match, errors and warnings are kept first."""
    gate = cache(gate)  # most entries are of one document
    earliest = None if params.last_ms is None else time.time() * 1000 - params.last_ms
    wanted = None if params.text is None else params.text.casefold()
    chosen: list[LogEntry] = []
    hidden = 0
    for entry in log.newest_first():
        if since is not None and entry.seq <= since:
            break
        shown = _as_granted(entry, gate, secrets)
        if shown is None:
            hidden += 1
            continue
        if params.level is not None and entry.level not in _several(params.level):
            continue
        if params.source is not None and entry.source not in _several(params.source):
            continue
        if earliest is not None and entry.timestamp < earliest:
            continue
        if wanted is not None and wanted not in shown.message.casefold():
            continue
        chosen.append(shown)
    kept = {entry.seq for entry in sorted(chosen, key=lambda one: IMPORTANCE.get(one.level, len(IMPORTANCE)))[:most]}
    return [entry for entry in chosen if entry.seq in kept], len(chosen) - len(kept), hidden


def _as_granted(entry: LogEntry, gate: Callable[[str], bool], secrets: TypedSecrets) -> LogEntry | None:
    """The part of an entry that may be shown, without what was typed into password fields; None if it is not known to
    belong to a granted document.

    The browser's own entries contain URLs; of those outside the grant only the origin is shown.
    """
    if not all(map(gate, entry.owners)):
        return None
    hide = secrets.in_text
    message, location, stack = hide(entry.message), hide(entry.location), hide(entry.stack)
    if (message, location, stack) != (entry.message, entry.location, entry.stack):
        entry = attrs.evolve(entry, message=message, location=location, stack=stack)
    if entry.source not in ("network", "browser"):
        return entry
    message = _ADDRESS.sub(lambda found: shown_address(found[0], gate), entry.message)
    outside = shown_address(entry.about, gate) != entry.about
    return attrs.evolve(entry, message=message, location="" if outside else entry.location)


def log_line(entry: LogEntry, page: int, *, stack: bool) -> LogLine:
    """An entry as answers show it. `page`: the number of the tab's current page."""
    return LogLine(
        timestamp=_iso(int(entry.timestamp)),
        level=entry.level,
        source=entry.source,
        message=entry.message,
        location=entry.location,
        stack=entry.stack if stack else "",
        earlier=entry.page < page,
        place=entry.place,
    )


@lru_cache(1_000)
def _iso(timestamp_ms: int) -> str:
    """The time in UTC, to the millisecond."""
    second, millisecond = divmod(timestamp_ms, 1_000)
    return f"{_iso_second(second)}.{millisecond:03}Z"


@lru_cache(1_000)
def _iso_second(second: int) -> str:
    """The same to the second. Most entries share theirs with others, and formatting it took half of an entry's time."""
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="seconds").removesuffix("+00:00")


def _several(one_or_more: str | list[Level] | list[Source]) -> tuple[str, ...]:
    return (one_or_more,) if isinstance(one_or_more, str) else tuple(one_or_more)
