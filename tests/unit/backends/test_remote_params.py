from __future__ import annotations

from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.backends.remote import as_fields, remote_params
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, InvalidParams, KaptureError


def sent(command: str, **arguments: Any) -> dict[str, Any]:
    decoded = decode_arguments(get_command(command), {**arguments, "tabId": "t"})
    return remote_params(command, arguments, decoded.params)


@pytest.mark.parametrize(
    "arguments",
    [
        {"selector": "#save"},
        {"target": "#save"},
        {"target": {"css": "#save"}},
        {"target": {"css": "#save", "nth": 0}},
    ],
)
def test_every_way_to_say_a_css_selector_is_sent_as_selector(arguments: dict[str, Any]) -> None:
    assert sent("click", **arguments) == {"selector": "#save"}


@pytest.mark.parametrize(
    ("target", "way"),
    [({"ref": "e1"}, "ref"), ({"role": "button", "name": "Go"}, "role, name"), ({"css": "a", "nth": 2}, "nth")],
)
def test_a_target_that_only_our_engine_understands_is_refused_by_name(target: dict[str, Any], way: str) -> None:
    with pytest.raises(KaptureError, match=f"not by {way}") as caught:
        sent("click", target=target)
    assert caught.value.code is ErrorCode.UNSUPPORTED


@pytest.mark.parametrize("command", ["click", "hover", "fill", "select"])
def test_a_required_element_is_asked_for_before_anything_is_sent(command: str) -> None:
    more = {} if command in ("click", "hover") else {"value": "x"}
    with pytest.raises(InvalidParams, match="element is required"):
        sent(command, **more)


def test_a_screenshot_has_the_name_that_the_first_specification_requires() -> None:
    assert sent("screenshot") == {"name": "screenshot"}
    assert sent("screenshot", name="mine", selector="#x") == {"name": "mine", "selector": "#x"}


def test_log_entries_have_our_fields_whatever_their_time_is_written_as() -> None:
    fields = as_fields("logs", [{"level": "warn", "timestamp": 1_700_000_000_000, "message": "careful"}, "plain"])
    assert fields is not None
    first, second = fields["entries"]
    assert (first["level"], first["text"], first["timestamp"]) == ("warn", "careful", "2023-11-14T22:13:20+00:00")
    assert second["text"] == "plain"
