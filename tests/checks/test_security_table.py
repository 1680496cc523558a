"""The table of attacks in docs/SECURITY.md names tests that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TITLES = {
    ".py": re.compile(r"def (?P<title>test_\w+)"),
    ".js": re.compile(r"""\btest\(\s*(["'`])(?P<title>.+?)\1"""),
    ".json": re.compile(r'"name": ?"(?P<title>[^"]+)"'),
}
"""How a test, or an example that one runs, is named in each kind of file."""


def table() -> Iterator[tuple[str, str, str]]:
    """Return the attack, the defence and the tests of each row."""
    text = (ROOT / "docs" / "SECURITY.md").read_text()
    lines = text.partition("## What was tried against it")[2].partition("\n## ")[0].splitlines()
    for row in lines:
        if row.startswith("| ") and "| attack |" not in row and "---" not in row:
            attack, holds, tests = (cell.strip() for cell in row.strip("|").split(" | "))
            yield attack, holds, tests


def files() -> dict[str, Path]:
    """The files of the tests by name, and by path within the project."""
    found = [path for path in (ROOT / "tests").rglob("*") if path.is_file()]
    return {path.name: path for path in found} | {str(path.relative_to(ROOT)): path for path in found}


def plain(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", words.lower()).strip()


def test_every_test_that_the_table_describes_is_in_its_file() -> None:
    known = files()
    described = 0
    for attack, _, tests in table():
        for file, words in re.findall(r"`([^`]+\.(?:py|js|json))`: ([^,`|]+)", tests):
            path = known[file]
            titles = [plain(match["title"]) for match in TITLES[path.suffix].finditer(path.read_text())]
            parts = [plain(part) for part in words.split("…")]
            assert any(all(part in title for part in parts) for title in titles), f"{attack}: {file}: {words}"
            described += 1
    assert described >= 20


def test_every_test_that_the_table_names_is_there() -> None:
    rows = list(table())
    assert len(rows) >= 20
    names = {path.name for path in (ROOT / "tests").rglob("*") if path.is_file()}
    for attack, holds, tests in rows:
        named = re.findall(r"`([^`]+\.(?:py|js))`", tests)
        assert named or holds.startswith("**nothing**"), attack
        for path in named:
            assert (ROOT / path).is_file() if "/" in path else path in names, f"{attack}: {path}"
