"""The table of attacks in docs/SECURITY.md names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_table_names_is_there() -> None:
    text = (ROOT / "docs" / "SECURITY.md").read_text()
    table = text.partition("## What was tried against it")[2].partition("\n## ")[0]
    rows = [
        line for line in table.splitlines() if line.startswith("| ") and "| attack |" not in line and "---" not in line
    ]
    assert len(rows) >= 20
    names = {path.name for path in (ROOT / "tests").rglob("*") if path.is_file()}
    for row in rows:
        attack, holds, tests = (cell.strip() for cell in row.strip("|").split(" | "))
        named = re.findall(r"`([^`]+\.(?:py|js))`", tests)
        assert named or holds.startswith("**nothing**"), attack
        for path in named:
            assert (ROOT / path).is_file() if "/" in path else path in names, f"{attack}: {path}"
