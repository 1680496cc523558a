"""What only looks different after an action, with no browser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from kapture.page.settling.settle import Watch


class MainFrame:
    """What a watch uses of the main frame."""

    id = "M"
    url = "https://a.example/"
    ask = session = None
    granted = True
    resting = False

    def ref(self, number: int) -> str:
        return f"e{number}"


def test_of_what_still_moves_only_where_it_came_to_is_told() -> None:
    main: Any = MainFrame()
    page: Any = SimpleNamespace(frames=SimpleNamespace(main=main))
    watch = Watch(page, thorough=False)
    moved = {"ref": 1, "role": "generic", "name": "", "tag": "div", "attribute": "style", "was": "left: 0px"}
    for now in ("left: 100px", "left: 120px"):
        watch.on_settled(main, {"resting": True, "restyled": [moved | {"now": now}]})
    assert [(one.now, one.was) for one in watch.outcome.restyled] == [("left: 120px", "left: 0px")]
