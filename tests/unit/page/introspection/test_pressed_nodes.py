"""What listens for clicks, releases and touches may be there to be pressed; what listens for moves too is dragged."""

from __future__ import annotations

import pytest

from kapture.page.introspection.click_listeners import pressed_nodes


@pytest.mark.parametrize(
    ("types", "heard"),
    [
        (["click"], "press"),
        (["mousedown", "mousemove", "mouseup"], "press"),
        (["mouseup"], "release"),
        (["pointerup", "touchstart"], "release"),
        (["touchstart"], "touch"),
        (["touchend", "scroll"], "touch"),
        (["touchstart", "touchmove", "touchend"], None),
        (["mousemove", "mouseup"], None),
        (["scroll"], None),
    ],
)
def test_what_may_be_pressed_is_known_by_its_listeners(types: list[str], heard: str | None) -> None:
    found = pressed_nodes([{"backendNodeId": 4, "type": one} for one in types])
    assert found == ({4: heard} if heard else {})
