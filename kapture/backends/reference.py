"""Writes the table in docs/BACKENDS.md: `python -m kapture.backends.reference`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import attrs

import kapture.commands  # noqa: F401  fills the registry
from kapture.backends.chromium.find import ATTACHED, ATTACHED_ELSEWHERE, LAUNCHED
from kapture.backends.relay import relay_tab
from kapture.backends.remote import FIRST_COMMANDS
from kapture.commands.core.registry import Command, Scope, all_commands

FILE = Path(__file__).parents[2] / "docs" / "BACKENDS.md"
_BEGIN, _END = "<!-- table: begin -->\n", "<!-- table: end -->\n"


@attrs.frozen
class _Column:
    title: str
    unsupported: Mapping[str, str] = attrs.field(factory=dict)
    limited: Mapping[str, str] = attrs.field(factory=dict)
    executes_itself: bool = False

    def cell(self, command: Command) -> str:
        if command.scope is Scope.HUB:
            return "yes"
        if self.executes_itself:
            if command.name == "ask_person":  # the hub hands tabs over itself
                return "no"
            return "yes" if command.name in FIRST_COMMANDS else "if the tab knows it"
        if command.name in self.unsupported:
            return "no"
        return self.limited.get(command.name, "yes")


_COLUMNS = (
    _Column("extension"),
    _Column("launch", LAUNCHED.unsupported, LAUNCHED.limited),
    _Column("attach", ATTACHED.unsupported, ATTACHED.limited),
    _Column("attach, other machine", ATTACHED_ELSEWHERE.unsupported, ATTACHED_ELSEWHERE.limited),
    _Column("relay", relay_tab.UNSUPPORTED, relay_tab.LIMITED),
    _Column("self-executing", executes_itself=True),
)


def table() -> str:
    """The table, and the reasons for every `no`."""
    lines = [
        f"| command | {' | '.join(column.title for column in _COLUMNS)} |",
        f"| --- |{' --- |' * len(_COLUMNS)}",
    ]
    for command in all_commands():
        lines.append(f"| `{command.name}` | {' | '.join(column.cell(command) for column in _COLUMNS)} |")
    reasons = [
        f"- `{name}`, {column.title}: {reason}" for column in _COLUMNS for name, reason in column.unsupported.items()
    ]
    return "\n".join([*lines, "", "What is answered `UNSUPPORTED`, and why:", "", *reasons, ""])


def with_table(page: str) -> str:
    """The page with its table replaced."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{table()}{_END}{after}"


def main() -> int:
    """Write the file."""
    FILE.write_text(with_table(FILE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
