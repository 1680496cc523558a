"""Console and errors."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated

import attrs
import trio
from msgspec import Meta

from kapture.commands.core.answer import Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.registry import Access, Lane, command
from kapture.page.console import ConsoleLog, Level, LogEntry, Source


@attrs.frozen(kw_only=True)
class Logs:
    """Read console messages and uncaught errors, most recent first."""

    max: Annotated[int, Meta(ge=1, le=1_000, description="At most so many.")] = 100
    level: Annotated[Level | list[Level] | None, Meta(description="Only these.")] = None
    source: Annotated[Source | list[Source] | None, Meta(description="Only these.")] = None
    text: Annotated[str | None, Meta(description="Only messages with this.")] = None
    since: Annotated[int, Meta(ge=0, description="Only after this cursor.")] | None = None
    last_ms: Annotated[float, Meta(gt=0, description="Only of the last milliseconds.")] | None = None
    max_chars: Annotated[int, Meta(ge=1, le=10_000, description="Cut longer messages and stacks.")] = 2_000
    watch_ms: Annotated[float, Meta(gt=0, le=600_000, description="First wait so long for new ones.")] | None = None
    stack: Annotated[bool, Meta(description="Show stacks of errors.")] = True


@attrs.frozen(kw_only=True)
class LogLine:
    """One entry as the client gets it; `timestamp` is ISO 8601 in UTC."""

    timestamp: str
    level: Level
    source: Source
    message: str
    location: str
    stack: str


@attrs.frozen(kw_only=True)
class LogsAnswer(Answer):
    """Entries, most recent first, and the cursor to go on from."""

    entries: list[LogLine]
    cursor: int
    more: int
    missed: int
    hidden: int

    def text(self) -> str:
        """One line an entry, in the manner of a log file."""
        lines = []
        for entry in self.entries:
            place = f" ({entry.location})" if entry.location else ""
            kind = entry.level if entry.source == "console" else f"{entry.level} {entry.source}"
            lines.append(f"{entry.timestamp} {kind}: {_indented(entry.message)}{_indented(place)}")
            if entry.stack:
                lines.append(f"    {_indented(entry.stack.lstrip())}")
        if not lines:
            lines.append("No console entries match.")
        notes = [f"cursor {self.cursor}"]
        if self.more:
            notes.append(f"{self.more} more match")
        if self.missed:
            notes.append(f"{self.missed} older entries are no longer kept")
        if self.hidden:
            notes.append(f"{self.hidden} of documents outside the grant not shown")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


@command("logs", access=Access.READ, lane=Lane.CONTROL, idempotent=True)
async def logs(tab: TabContext, params: Logs) -> LogsAnswer:
    """Read the ring, after watching it for a while if asked."""
    log = tab.page.console
    since = params.since
    if params.watch_ms is not None:
        since = log.cursor if since is None else since
        with trio.move_on_after(params.watch_ms / 1000):
            await trio.sleep_forever()
    cursor = log.cursor
    entries, more, hidden = select_entries(log, params, since, tab.page.gate)
    return LogsAnswer(
        entries=[_line(entry, stack=params.stack, max_chars=params.max_chars) for entry in entries],
        cursor=cursor,
        more=more,
        missed=max(0, log.dropped_before - since) if since is not None else 0,
        hidden=hidden,
    )


def select_entries(
    log: ConsoleLog, params: Logs, since: int | None, gate: Callable[[str], bool]
) -> tuple[list[LogEntry], int, int]:
    """The newest entries that match, most recent first; how many more match; how many the grant withholds."""
    earliest = None if params.last_ms is None else time.time() * 1000 - params.last_ms
    wanted = None if params.text is None else params.text.casefold()
    chosen: list[LogEntry] = []
    more = hidden = 0
    for entry in log.newest_first():
        if since is not None and entry.seq <= since:
            break
        if params.level is not None and entry.level not in _several(params.level):
            continue
        if params.source is not None and entry.source not in _several(params.source):
            continue
        if earliest is not None and entry.timestamp < earliest:
            continue
        if wanted is not None and wanted not in entry.message.casefold():
            continue
        if not gate(entry.document_url):
            hidden += 1
            continue
        if len(chosen) < params.max:
            chosen.append(entry)
        else:
            more += 1
    return chosen, more, hidden


def _line(entry: LogEntry, *, stack: bool, max_chars: int) -> LogLine:
    moment = datetime.fromtimestamp(entry.timestamp / 1000, UTC)
    return LogLine(
        timestamp=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        level=entry.level,
        source=entry.source,
        message=_cut(entry.message, max_chars),
        location=entry.location,
        stack=_cut(entry.stack, max_chars) if stack else "",
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def _indented(text: str) -> str:
    """So that a message cannot pretend to be several entries, and nothing in it steers a terminal."""
    lines = "".join(char if char in "\n\t" or char.isprintable() else _escaped(char) for char in text).split("\n")
    return "\n    ".join(lines)


def _escaped(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return ""
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _several(one_or_more: str | list[Level] | list[Source]) -> tuple[str, ...]:
    return (one_or_more,) if isinstance(one_or_more, str) else tuple(one_or_more)
