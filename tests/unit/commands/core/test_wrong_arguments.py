"""Errors for arguments that a command does not take."""

from __future__ import annotations

import math
from typing import Any

import pytest

import kapture.commands  # noqa: F401  declares every command
from kapture.commands.core.params import decode_arguments
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError


def _refusal(command: str, arguments: dict[str, Any]) -> KaptureError:
    with pytest.raises(KaptureError) as refused:
        decode_arguments(get_command(command), {"tabId": "T1", **arguments})
    assert refused.value.code is ErrorCode.INVALID_PARAMS
    return refused.value


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("click", {"button": "Left"}, "click: button is 'Left'; it must be left, middle or right."),
        (
            "click",
            {"modifiers": ["Shift", "ctl"]},
            "click: modifiers[1] is 'ctl'; it must be Alt, Control, Meta or Shift.",
        ),
        ("logs", {"level": "Error"}, "logs: level is 'Error'; it must be debug, error, info, log or warn."),
        ("click", {"snapshot": "all"}, "click: snapshot is 'all'; it must be diff, full or none."),
        ("click", {"target": 5}, "click: target must be a string or an object, not an integer."),
        ("click", {"target": {"ref": True}}, "click: target.ref must be a string, not a boolean."),
        ("click", {"count": 0}, "click: count must be an integer >= 1."),
        ("navigate", {"url": None}, "navigate: url must be a string, not null."),
        ("navigate", {}, "navigate needs url."),
        ("fill_form", {"fields": [{"target": "e1"}]}, "fill_form: fields[0] needs value."),
        ("fill_form", {"fields": []}, "fill_form: fields must be an array of length >= 1."),
        ("scroll", {"x": math.inf}, "scroll: x must be a finite number."),
        ("scroll", {"delta_y": -math.inf}, "scroll: delta_y must be a finite number."),
        ("fill", {"selector": "#a", "value": math.nan}, "fill: value must be a finite number."),
        (
            "cdp",
            {"method": "A.b", "params": {"a": [1.5, {"c": math.nan}]}},
            "cdp: params.a[1].c must be a finite number.",
        ),
        ("click", {"selector": "#a", "timeout": math.inf}, "click: timeout must be a finite number."),
    ],
)
def test_an_invalid_argument_is_named_with_what_it_must_be(
    command: str, arguments: dict[str, Any], message: str
) -> None:
    assert _refusal(command, arguments).message == message


def test_a_choice_in_the_wrong_case_is_corrected() -> None:
    assert _refusal("wait_for", {"state": "VISIBLE"}).hint == "Did you mean 'visible'?"


@pytest.mark.parametrize(
    ("command", "arguments", "message", "hint"),
    [
        (
            "click",
            {"target": {"role": "button", "nmae": "Save"}},
            "click: target has no field 'nmae'.",
            "Did you mean 'name'?",
        ),
        (
            "fill_form",
            {"fields": [{"target": {"CSS": "input"}, "value": ""}]},
            "fill_form: fields[0].target has no field 'CSS'.",
            "Did you mean 'css'?",
        ),
        (
            "emulate",
            {"viewport": {"columns": 80}},
            "emulate: viewport has no field 'columns'.",
            "Its fields are: width, height.",
        ),
    ],
)
def test_an_unknown_name_inside_an_object_is_refused(
    command: str, arguments: dict[str, Any], message: str, hint: str
) -> None:
    refusal = _refusal(command, arguments)
    assert (refusal.message, refusal.hint) == (message, hint)


@pytest.mark.parametrize(
    ("command", "arguments", "hint"),
    [
        ("click", {"ref": "e6"}, 'Give it in target: {"ref":"e6"}.'),
        ("hover", {"name": "Save", "role": "button"}, 'Give it in target: {"name":"Save","role":"button"}.'),
        ("fill", {"label": "Name", "value": "Ada"}, 'Give it in target: {"label":"Name"}.'),
        ("click", {"css": "#a" * 1_000}, "Give it in target."),
        ("tab_close", {"ref": "e6"}, "It takes no parameters of its own."),
        (
            "reload",
            {"fresh": 1},
            "Its parameters are: [bypass_cache], [wait_until], [tabId], [timeout], [snapshot], [max_chars], [save_to].",
        ),
    ],
)
def test_misplaced_target_argument_is_explained(command: str, arguments: dict[str, Any], hint: str) -> None:
    assert _refusal(command, arguments).hint == hint


def test_null_for_an_optional_parameter_means_that_it_is_not_given() -> None:
    given = {"tabId": "T1", "target": "e1", "selector": None, "count": None, "snapshot": None, "timeout": None}
    assert decode_arguments(get_command("click"), given) == decode_arguments(
        get_command("click"), {"tabId": "T1", "target": "e1"}
    )


def decoded(command: str, **arguments: Any) -> Any:
    return decode_arguments(get_command(command), {"tabId": "T1", **arguments}).params


def test_a_number_where_only_text_can_be_meant_is_text() -> None:
    assert decoded("select", selector="#x", value=4).value == "4"
    assert decoded("select", selector="#x", label=[2024, "2025"]).label == ["2024", "2025"]
    assert decoded("select", selector="#x", index=[1]).index == [1]
    assert decoded("fill", selector="#x", value=4).value == 4  # it may be a number
    assert "not a boolean" in _refusal("select", {"selector": "#x", "value": True}).message


@pytest.mark.parametrize(
    ("command", "sent", "meant"),
    [
        ("click", {"target": '{"role": "button"}', "count": "2"}, {"target": {"role": "button"}, "count": 2}),
        ("click", {"target": {"css": "a", "nth": "1"}, "count": 2.0}, {"target": {"css": "a", "nth": 1}, "count": 2}),
        ("click", {"modifiers": '["Shift"]'}, {"modifiers": ["Shift"]}),
        ("click", {"modifiers": "null", "target": None}, {}),
        ("fill_form", {"fields": '[{"value": "3", "choose": "true"}]'}, {"fields": [{"value": "3", "choose": True}]}),
        ("fill_form", {"fields": ['{"value": "3"}']}, {"fields": [{"value": "3"}]}),
        ("select", {"label": '["red", "blue"]'}, {"label": ["red", "blue"]}),
        ("select", {"index": "[0, 2]"}, {"index": [0, 2]}),
        ("select", {"index": "2.0"}, {"index": 2}),
        (
            "screenshot",
            {"region": '{"x": 0, "y": "0", "width": 5e1, "height": 50}'},
            {"region": {"x": 0, "y": 0, "width": 50, "height": 50}},
        ),
        ("logs", {"level": '["error"]'}, {"level": ["error"]}),
        ("wait_for", {"text": "1", "timeout": "3000"}, {"text": "1", "timeout": 3000}),
        ("cdp", {"method": "A.b", "params": '{"a": "1"}'}, {"method": "A.b", "params": {"a": "1"}}),
    ],
)
def test_json_text_is_read_where_the_parameter_takes_no_text(
    command: str, sent: dict[str, Any], meant: dict[str, Any]
) -> None:
    read, wanted = (decode_arguments(get_command(command), {"tabId": "T1", **one}) for one in (sent, meant))
    assert read == wanted
    assert read.given == {"tabId": "T1", **meant}


@pytest.mark.parametrize("text", ['["a"]', "3", "true", "null", '{"a": 1}', ""])
def test_text_for_a_parameter_that_takes_text_stays_text(text: str) -> None:
    assert decoded("fill", selector="#x", value=text).value == text
    assert decoded("fill_form", fields=[{"selector": "#x", "value": text}]).fields[0].value == text
    assert decoded("type", text=text).text == text


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("click", {"selector": "#w", "count": '"2"'}),
        ("click", {"selector": "#w", "count": "2.5"}),
        ("click", {"selector": "#w", "modifiers": "Shift"}),
        ("screenshot", {"full_page": "yes"}),
        ("screenshot", {"full_page": 1}),
        ("scroll", {"delta_y": "1e999"}),
        ("scroll", {"delta_y": "true"}),
        ("fill_form", {"fields": "[" * 100_000}),
    ],
)
def test_text_that_is_not_json_of_the_right_type_is_refused(command: str, arguments: dict[str, Any]) -> None:
    _refusal(command, arguments)


def test_empty_text_for_an_optional_parameter_means_that_it_is_not_given() -> None:
    params = decoded("find", text="Save", role="", name="")
    assert (params.text, params.role, params.name) == ("Save", None, None)
    assert decoded("click", target="", selector="#a", button="").element == "#a"
    assert decoded("click", target={"role": "button", "name": ""}).target.name is None
    assert decoded("fill", selector="#a", value="").value == ""
    assert decoded("storage", action="set", key="k", value="").value == ""
