"""Advice names only tools that a client has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kapture.commands
from kapture.commands.core.registry import all_commands
from kapture.commands.core.result import CallResult
from kapture.commands.formatters.snapshot import SnapshotAnswer
from kapture.mcp.options import Options
from kapture.mcp.profiles import profile_of

PACKAGE = Path(kapture.__file__).parent


def advice_in(path: Path) -> Iterator[str]:
    """The literal hints of the errors that a module raises."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "hint":
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


COMMANDS = re.compile(rf"(?<![\w.])({'|'.join(c.name for c in all_commands() if '_' in c.name)})\b")


@pytest.fixture(scope="module")
def advice() -> list[str]:
    """All of Kapture's. The whole source is read for it: not while tests are collected, which every worker does."""
    return sorted({text for path in PACKAGE.rglob("*.py") for text in advice_in(path)})


@pytest.mark.parametrize("profile", ["minimal", "chrome", "browser"])
def test_no_hint_names_a_tool_that_the_profile_lacks(profile: str, advice: list[str]) -> None:
    made = profile_of(Options(profile=profile))
    assert made.wording is not None
    tools = {tool.name for tool in made.tools}
    assert len(advice) > 100
    for text in advice:
        shown = made.wording.advice(text)
        for name in COMMANDS.findall(shown):
            assert name in tools, shown
        assert "snapshot" in tools or "take a snapshot" not in shown.lower(), shown


@pytest.mark.parametrize(
    ("profile", "advice", "shown"),
    [
        ("minimal", "Use handle_dialog.", "Use interact (action accept_dialog or dismiss_dialog)."),
        ("browser", "Answer it with handle_dialog.", "Answer it with browser_handle_dialog."),
        ("chrome", "Check the code with evaluate, or wait.", "Check the code with eval, or wait."),
        ("minimal", "Check the code with evaluate, or wait longer.", "Wait longer."),
        ("minimal", "Call list_tabs to see whether it is back, and look again.", "Look again."),
        ("minimal", "Ask the person. Call list_tabs.", "Ask the person."),
        ("chrome", "Take a new snapshot.", "Read the page with get_text."),
        ("chrome", "Take a snapshot, and click.", "Read the page with get_text, and click."),
        ("minimal", "Read it with get_text, read_as_markdown or snapshot.", "Read it with snapshot."),
        ("chrome", "Use get_text, read_as_markdown or snapshot.", "Use get_text or read_as_markdown."),
        ("minimal", "Press `kapture launch`; wait.", "Press `kapture launch`; wait."),
        ("minimal", "", ""),
    ],
)  # fmt: skip
def test_advice_is_put_in_the_words_of_a_profile(profile: str, advice: str, shown: str) -> None:
    wording = profile_of(Options(profile=profile)).wording
    assert wording is not None
    assert wording.advice(advice) == shown


@pytest.mark.parametrize("profile", ["minimal", "chrome", "browser"])
def test_a_snapshot_names_no_tool_that_the_profile_lacks(profile: str) -> None:
    wording = profile_of(Options(profile=profile)).wording
    assert wording is not None
    toon = "url: https://a.test/\ntitle: A\nelements[0]:"
    page = SnapshotAnswer(url="https://a.test/", title="A", kind="full", snapshot=toon, page_tools=3)
    assert page.text().endswith("\n3 page tools: page_tools lists them")
    assert wording.result(CallResult(answer=page, text=page.text(), data={})).text == toon
