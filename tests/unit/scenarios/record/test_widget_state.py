"""When the recorder's widget is to be seen, and what it shows."""

from __future__ import annotations

from typing import Any

import pytest

from kapture.commands.core.recorder import RecordedStep, RecordingState
from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.record.widget_state import WidgetMessage, WidgetState, read_message


def recording(*, going: bool = True) -> RecordingState:
    steps = [RecordedStep(id="1", title="fill textbox", value=None, secret="password")]
    return RecordingState(tabId="tab", recording=going, steps=steps)


def shown(state: WidgetState, of: RecordingState | None) -> dict[str, Any]:
    view = state.shown(of)
    assert view is not None
    return view


def test_it_goes_when_anything_but_its_own_stop_ends_the_recording() -> None:
    state = WidgetState()
    shown(state, recording())
    assert state.shown(recording(going=False)) is None


def test_its_own_stop_leaves_it_there_until_it_is_closed() -> None:
    state = WidgetState()
    state.busy = True
    assert shown(state, recording(going=False))["busy"]
    state.succeeded(WidgetMessage(command="record_stop"))
    state.busy = False
    assert not shown(state, recording(going=False))["going"]
    state.close()
    assert state.shown(recording(going=False)) is None


def test_a_problem_is_shown_until_something_succeeds() -> None:
    state = WidgetState(problem=KaptureError(ErrorCode.SCENARIO_INVALID, "There is one already.", hint="Replace it."))
    problem = {"code": "SCENARIO_INVALID", "message": "There is one already.", "hint": "Replace it."}
    assert shown(state, recording())["problem"] == problem
    state.succeeded(WidgetMessage(command="record_edit"))
    assert shown(state, recording())["problem"] is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"command": "evaluate", "params": {"code": "1"}}',
        '{"shape": {"right": 1e9}}',
        '{"shape": {"side": "left"}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_message_of_the_widget_is_nothing(text: str) -> None:
    assert read_message(text) is None
