"""Errors name commands and parameters as each profile's clients know them."""

from __future__ import annotations

import pytest

from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.mcp.options import Options
from kapture.mcp.profiles import profile_of

AMBIGUOUS = Wording("Use the {ref} of the one that is meant.", "Or give {nth}.", "A selector may match it alone.")
LOOK = Wording("{Look}.", "Or wait longer with {timeout}.")


def hint_of(profile: str, tool: str, hint: Wording) -> str:
    """The hint of an error of this tool, as a client of the profile gets it."""
    return profile_of(Options(profile=profile)).named(KaptureError(ErrorCode.INVALID_PARAMS, "x", hint=hint), tool).hint


@pytest.mark.parametrize(
    ("profile", "tool", "hint", "shown"),
    [
        ("kapture", "kapturemcp_click", LOOK, "Take a snapshot. Or wait longer with timeout."),
        ("minimal", "interact", LOOK, "Take a snapshot."),
        ("chrome", "wait_for", LOOK, "Read the page with get_text. Or wait longer with timeoutMs."),
        ("browser", "browser_click", LOOK, "Read the page with browser_get_content."),
        ("minimal", "console", Wording("{handle_dialog}"), "interact (action accept_dialog or dismiss_dialog)"),
        ("minimal", "nothing", Wording("Ask the person.", "{list_tabs} shows them."), "Ask the person."),
        ("chrome", "click", AMBIGUOUS, "Use the ref of the one that is meant. A selector may match it alone."),
        ("browser", "browser_click", AMBIGUOUS, "A selector may match it alone."),
        ("minimal", "interact", Wording("Use {by_text}."), "Use role with name."),
        ("chrome", "click", Wording("Use {by_text}."), ""),
    ],
)
def test_hint_names_only_what_the_client_has(profile: str, tool: str, hint: Wording, shown: str) -> None:
    assert hint_of(profile, tool, hint) == shown


def test_values_in_a_hint_are_shown_as_they_are() -> None:
    assert str(Wording("Not {value}: {look}.", value="{handle_dialog}")) == "Not {handle_dialog}: take a snapshot."


@pytest.mark.parametrize(
    ("tool", "command", "arguments", "message"),
    [
        ("click", "click", {"target": "a", "count": 0}, "click: clickCount must be an integer >= 1."),
        ("eval", "evaluate", {"code": []}, "eval: expression must be a string, not an array."),
        ("back", "go_back", {"tabId": ""}, "back needs a tabId."),
        ("wait_for", "wait_for", {"timeout": -1}, "timeoutMs is -1 ms; "),
        ("fill_form", "fill_form", {"fields": [{"value": {}}]}, "fill_form: fields[0].value must be "),
    ],
)
def test_message_about_an_argument_names_the_tool_and_its_parameter(
    tool: str, command: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(KaptureError) as raised:
        decode_arguments(get_command(command), {"tabId": "t1", **arguments})
    assert profile_of(Options(profile="chrome")).named(raised.value, tool).message.startswith(message)
