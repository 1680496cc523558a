"""Console entries, in the format of a log file."""

from __future__ import annotations

import attrs
import msgspec

from kapture.commands.core.answer import Answer
from kapture.page.console.console import Level, Source


# An answer may have a thousand of these; msgspec makes and converts its structs four times as fast as attrs classes.
class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entry; `timestamp` is ISO 8601 in UTC. `earlier`: of a page that the tab has left since."""

    timestamp: str
    level: Level
    source: Source
    message: str
    location: str
    stack: str
    earlier: bool = False


@attrs.frozen(kw_only=True)
class LogsAnswer(Answer):
    """Entries, most recent first, and the cursor to continue from."""

    entries: list[LogLine]
    cursor: int
    more: int
    missed: int
    hidden: int
    dropped: int = 0

    def text(self) -> str:
        """One line per entry, in the format of a log file."""
        lines = []
        earlier = False
        for entry in self.entries:
            if entry.earlier and not earlier:
                lines.append("-- earlier pages of this tab --")
            earlier = entry.earlier
            location = f" ({entry.location})" if entry.location else ""
            kind = entry.level if entry.source == "console" else f"{entry.level} {entry.source}"
            lines.append(f"{entry.timestamp} {kind}: {_indented(entry.message)}{_indented(location)}")
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
            notes.append(f"{self.hidden} not shown: from documents outside the grant, or unknown ones")
        if self.dropped:
            notes.append(f"{self.dropped} dropped: the page causes more than can be carried")
        return "\n".join([*lines, f"({'; '.join(notes)})"])


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
