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
from kapture.errors import ErrorCode, KaptureError
from kapture.mcp.options import Options
from kapture.mcp.profiles import profile_of, wording

PACKAGE = Path(kapture.__file__).parent


def advice_in(path: Path) -> Iterator[str]:
    """The literal hints of the errors that a module raises."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "hint":
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


COMMANDS = re.compile(rf"(?<![\w.])({'|'.join(c.name for c in all_commands() if '_' in c.name)})\b")


PARAMETERS = re.compile(r"\b(nth|[a-z]+_page|[a-z]+_events|wait_until|delta_[xy]|(?<=with )timeout\w*)\b")


@pytest.fixture(scope="module")
def advice() -> list[str]:
    """All of Kapture's. The whole source is read for it: not while tests are collected, which every worker does."""
    return sorted({text for path in PACKAGE.rglob("*.py") for text in advice_in(path)})


@pytest.mark.parametrize("phrase", [ours for ours, _ in (*wording.ONLY_SELECTORS, *wording.NO_TEXT, *wording.NO_REFS)])
def test_a_phrase_that_profiles_replace_stands_in_advice(phrase: str, advice: list[str]) -> None:
    agent = (path.read_text() for path in (PACKAGE / "page" / "agent").rglob("*.js"))
    assert any(phrase in text for text in (*advice, *agent))


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
        ("chrome", "For a CSS selector, use css.", "For a CSS selector, use selector."),
        ("browser", "To name an element by its text, use text, or role with name.", ""),
        ("browser", "Use the ref of the one that is meant, or nth.", "Use a selector that matches it alone."),
        ("browser", "Take a snapshot and use a ref that it shows.", ""),
        ("minimal", "Then use text, or role with name.", "Then use role with name."),
        ("minimal", "", ""),
    ],
)  # fmt: skip
def test_advice_is_put_in_the_words_of_a_profile(profile: str, advice: str, shown: str) -> None:
    wording = profile_of(Options(profile=profile)).wording
    assert wording is not None
    assert wording.advice(advice) == shown


@pytest.mark.parametrize("profile", ["minimal", "chrome", "browser"])
def test_no_hint_names_a_parameter_that_the_tool_lacks(profile: str, advice: list[str]) -> None:
    made = profile_of(Options(profile=profile))
    assert made.wording is not None
    for tool in made.tools:
        own = set(tool.schema["properties"])
        for text in advice:
            shown = made.wording.error(KaptureError(ErrorCode.INVALID_PARAMS, "x", hint=text), tool).hint
            assert not (set(PARAMETERS.findall(shown)) - own), (tool.name, shown)


@pytest.mark.parametrize(
    ("profile", "tool", "hint", "shown"),
    [
        ("chrome", "click", "Use the ref of the one that is meant, or nth.", "Use the ref of the one that is meant."),
        ("chrome", "wait_for", "Or wait longer with timeout.", "Or wait longer with timeoutMs."),
        ("chrome", "eval", "Look at the page, or wait longer with `timeout` (milliseconds).", "Look at the page."),
        ("chrome", "type", "It may need type with key_events.", "It may need type with keyEvents."),
        ("chrome", "click", "Look again, or name it by role and name.", "Look again."),
        ("minimal", "interact", "Look again, or name it by role and name.", "Look again, or name it by role and name."),
        ("chrome", "reload", "Its parameters are: [wait_until].", "Its parameters are: tabId, waitUntil."),
        ("minimal", "nothing", "Look again, or give nth.", "Look again."),
    ],
)
def test_advice_names_the_parameters_of_the_tool_that_failed(profile: str, tool: str, hint: str, shown: str) -> None:
    made = profile_of(Options(profile=profile))
    assert made.wording is not None
    assert made.wording.error(KaptureError(ErrorCode.INVALID_PARAMS, "x", hint=hint), made.known(tool)).hint == shown


@pytest.mark.parametrize("given", ["#full_page", "[name=full_page]", "'full_page'", '"full_page"', "x-full_page"])
def test_what_the_client_wrote_is_repeated_as_it_is(given: str) -> None:
    made = profile_of(Options(profile="chrome"))
    assert made.wording is not None
    error = KaptureError(ErrorCode.ELEMENT_NOT_FOUND, f"No element matches css {given}.")
    assert made.wording.error(error, made.known("screenshot")) is error


@pytest.mark.parametrize(
    ("quotes_page", "shown"), [(False, "This asks for fullPage."), (True, "This asks for full_page.")]
)
def test_messages_name_the_tools_own_parameters_and_quote_pages_as_they_are(quotes_page: bool, shown: str) -> None:
    made = profile_of(Options(profile="chrome"))
    assert made.wording is not None
    error = KaptureError(ErrorCode.INVALID_PARAMS, "This asks for full_page.", quotes_page=quotes_page)
    assert made.wording.error(error, made.known("screenshot")).message == shown


@pytest.mark.parametrize(
    ("profile", "tool", "message", "shown"),
    [
        ("chrome", "click", "click: count must be an integer >= 1.", "click: clickCount must be an integer >= 1."),
        ("chrome", "eval", "evaluate: code must be a string.", "eval: expression must be a string."),
        ("chrome", "back", "go_back needs a tabId.", "back needs a tabId."),
        ("chrome", "fill_form", "fill_form: fields[0].value is 1.", "fill_form: fields[0].value is 1."),
        ("browser", "browser_type", "type needs text.", "browser_type needs text."),
        ("minimal", "console", "logs: max must be an integer.", "console: max must be an integer."),
        ("chrome", "back", "go_back needs the level 'interact'.", "back needs the level 'interact'."),
        ("chrome", "eval", "Say what code needs text.", "Say what code needs text."),
    ],
)
def test_a_message_about_an_argument_names_the_tool_and_its_parameter(
    profile: str, tool: str, message: str, shown: str
) -> None:
    made = profile_of(Options(profile=profile))
    assert made.wording is not None
    assert made.wording.error(KaptureError(ErrorCode.INVALID_PARAMS, message), made.known(tool)).message == shown


def test_a_message_about_the_timeout_names_the_tools_own_parameter() -> None:
    made = profile_of(Options(profile="chrome"))
    assert made.wording is not None
    error = KaptureError(ErrorCode.INVALID_PARAMS, "timeout is -1 ms; it must be greater than 0.")
    message = made.wording.error(error, made.known("wait_for")).message
    assert message == "timeoutMs is -1 ms; it must be greater than 0."


@pytest.mark.parametrize("profile", ["minimal", "chrome", "browser"])
def test_a_snapshot_names_no_tool_that_the_profile_lacks(profile: str) -> None:
    wording = profile_of(Options(profile=profile)).wording
    assert wording is not None
    toon = "url: https://a.test/\ntitle: A\nelements[0]:"
    page = SnapshotAnswer(url="https://a.test/", title="A", kind="full", snapshot=toon, page_tools=3)
    assert page.text().endswith("\n3 page tools: page_tools lists them")
    assert wording.result(CallResult(answer=page, text=page.text(), data={})).text == toon
