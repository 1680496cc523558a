"""Deleting and changing steps of a recording before it is saved."""

from __future__ import annotations

import pytest

from kapture.commands.core.recorder import StepEdit
from kapture.errors import ErrorCode, KaptureError
from kapture.page.recording.recording import CapturedAction, Navigation
from kapture.scenarios.model import Check, StepTarget
from kapture.scenarios.record.captured import Captured, CapturedStep
from kapture.scenarios.record.optimizer import optimize
from kapture.scenarios.record.recording import Recording
from kapture.scenarios.record.recording_edits import edited, shown_value

CITY = (StepTarget(label="City"),)
OTHER = (StepTarget(label="Street"),)


def _fill(key: str, value: str, targets: tuple[StepTarget, ...] = CITY) -> CapturedStep:
    return CapturedStep(id=key, command="fill", arguments={"value": value}, targets=targets)


def _click(key: str, text: str) -> CapturedStep:
    return CapturedStep(id=key, command="click", targets=(StepTarget(text=text),))


def _shown(captured: list[Captured]) -> list[tuple[str, str | None]]:
    return [(step.command, shown_value(step)) for step in optimize(captured)]


def test_a_deleted_step_takes_what_it_was_joined_from_with_it() -> None:
    captured = [_click("a0", "City"), _fill("a1", "Ber"), _fill("a2", "Bern"), _click("a3", "Next")]
    assert _shown(edited(captured, StepEdit(step="a2", delete=True)))[-1] == ("click", None)
    assert ("fill", "Ber") not in _shown(edited(captured, StepEdit(step="a2", delete=True)))


def test_a_deleted_step_takes_the_wait_for_what_it_led_to_with_it() -> None:
    recording = Recording("https://shop.example/", "2026-01-01T00:00:00Z")
    recording.take(CapturedAction(id="a1", command="click", targets=[{"text": "Cart"}]))
    recording.take(Navigation(url="https://shop.example/cart", cause="page"))
    recording.take(CapturedAction(id="a2", command="click", targets=[{"text": "Pay"}]))
    assert [command for command, _ in _shown(recording.captured)] == ["click", "wait_for", "click"]
    recording.edit(StepEdit(step="a1", delete=True))
    assert [step.id for step in optimize(recording.captured)] == ["a2"]


def test_what_is_kept_as_a_secret_is_in_no_step_also_when_more_is_typed() -> None:
    recording = Recording("https://shop.example/", "2026-01-01T00:00:00Z")
    recording.take(CapturedAction(id="a1", command="fill", arguments={"value": "PIN-1"}, targets=[{"label": "Code"}]))
    recording.edit(StepEdit(step="a1", secret=True))
    recording.take(CapturedAction(id="a1", value="PIN-12"))
    recording.take(CapturedAction(id="a2", command="click", targets=[{"text": "Next"}]))
    recording.take(CapturedAction(id="a3", command="fill", arguments={"value": "PIN-3"}, targets=[{"label": "Code"}]))
    steps = optimize(recording.captured)
    assert "PIN" not in repr(steps)
    assert [step.secret_value for step in steps] == ["PIN-12", None, "PIN-3"]


@pytest.mark.parametrize(
    "edit",
    [
        StepEdit(step="nowhere", delete=True),
        StepEdit(step="a2", value="x"),  # a click has none
        StepEdit(step="a2", secret=True),
        StepEdit(step="a3", value="x"),  # a secret's
        StepEdit(step="a1"),
    ],
)
def test_an_edit_that_cannot_be_is_refused(edit: StepEdit) -> None:
    secret = CapturedStep(id="a3", command="fill", targets=OTHER, secret="password", secret_value="hunter2")
    with pytest.raises(KaptureError) as refused:
        edited([_fill("a1", "Bern"), _click("a2", "Next"), secret], edit)
    assert refused.value.code == ErrorCode.INVALID_PARAMS
    assert "hunter2" not in str(refused.value)


def test_a_check_has_its_expected_text_as_a_value_and_a_long_text_is_not_shown() -> None:
    check = CapturedStep(id="c", check=Check(kind="text", expected="Thank you"))
    assert shown_value(check) == "Thank you"
    (changed,) = optimize(edited([check], StepEdit(step="c", value="Ordered")))
    assert changed.check == Check(kind="text", expected="Ordered")
    assert shown_value(_fill("a1", "x" * 2_001)) is None
    assert shown_value(CapturedStep(check=Check(kind="count", expected=3))) is None
