"""How captured steps are shown."""

from __future__ import annotations

import pytest

from kapture.scenarios.model import Appearance, Check
from kapture.scenarios.record.captured import CapturedStep


@pytest.mark.parametrize(
    "step",
    [
        CapturedStep(command="navigate", arguments={"url": "http://a.example/" + "x" * 1_000_000}),
        CapturedStep(check=Check(kind="text", expected="word " * 1_000_000)),
        CapturedStep(command="click", element=Appearance(role="button", name="Save " * 1_000_000)),
    ],
)
def test_the_title_of_a_step_is_short_whatever_the_page_says(step: CapturedStep) -> None:
    assert len(step.title) < 200
    assert step.title.rstrip('"').endswith("…")
