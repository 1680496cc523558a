"""The table of who may do what in docs/SECURITY.md is the one of the code.

`python -m tests.checks.test_access_table` writes it there anew.
"""

from __future__ import annotations

import re
from pathlib import Path

from kapture.pairing.access import COLUMNS, Caller, Door

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "SECURITY.md"
BEGIN, END = "<!-- access: generated -->\n", "<!-- access: end -->\n"
ADMITTING = re.compile(r"connection(\(\))?\.prove\b|\.holder\(|\.spend_ticket\(|\.open_session\(")


def as_markdown() -> str:
    lines = [
        f"| at | what | from | {' | '.join(COLUMNS.values())} |",
        f"| --- | --- | --- |{' :-: |' * len(COLUMNS)}",
    ]
    for door in Door:
        at = f"`{door.path}{'/…' if door.value.below else ''}`"
        callers = ", ".join(caller.value for caller in Caller if door.reached_from(caller))
        cells = " | ".join("yes" if door.admits(who) else "–" for who in COLUMNS)
        lines.append(f"| {at} | {door.value.what} | {callers} | {cells} |")
    return "\n".join(lines) + "\n"


def inserted(document: str) -> str:
    before, begin, rest = document.partition(BEGIN)
    assert begin, "docs/SECURITY.md has no place for the table"
    return before + BEGIN + as_markdown() + END + rest.partition(END)[2]


def test_the_document_shows_the_table_of_the_code() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert document == inserted(document), "run: python -m tests.checks.test_access_table"


def test_nothing_else_admits_anybody() -> None:
    """Tokens and tickets are looked at, and connections taken for proven, where the table is asked."""
    admitting = {
        str(path.relative_to(ROOT / "kapture"))
        for path in (ROOT / "kapture").rglob("*.py")
        if ADMITTING.search(path.read_text("utf-8"))
    }
    handed_on = "server/server.py"  # for the handshake to call
    assert admitting == {"hub/sockets.py", "server/authentication.py", handed_on}


if __name__ == "__main__":
    DOCUMENT.write_text(inserted(DOCUMENT.read_text("utf-8")), "utf-8")
