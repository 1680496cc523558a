"""What an error says of what covers an element, in a document that the client may not see."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from kapture.page.actionability import _covered_frame
from kapture.page.actions.click import _not_met

ELEMENT: Any = SimpleNamespace(describe=lambda: "button", as_json=dict)
COVER = {"text": "secret words", "ref": 3}


def frame(*, granted: bool) -> Any:
    return cast("Any", SimpleNamespace(granted=granted, key="f1", ref=lambda number: f"f1e{number}"))


@pytest.mark.parametrize("granted", [True, False])
def test_what_covers_a_frame_is_named_only_of_a_granted_document(granted: bool) -> None:
    error = _covered_frame(ELEMENT, frame(granted=True), frame(granted=granted), COVER, "click")
    assert ("secret words" in error.message) is granted
    assert ("f1e3" in error.message) is granted


@pytest.mark.parametrize("granted", [True, False])
def test_what_came_over_an_element_is_named_only_of_a_granted_document(granted: bool) -> None:
    ready: Any = SimpleNamespace(element=ELEMENT)
    error = _not_met(ready, {"met": False, "cover": COVER}, frame(granted=granted))
    assert ("secret words" in error.message) is granted
    assert "secret words" not in str(error.hint) + str(error.data)
