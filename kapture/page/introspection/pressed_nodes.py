"""Elements that listen for what a person does to press something, by the types of their listeners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

CLICKS = frozenset({"click", "dblclick", "mousedown", "pointerdown"})
_RELEASES = frozenset({"mouseup", "pointerup"})
_TOUCHES = frozenset({"touchstart", "touchend"})
_MOVES = frozenset({"mousemove", "pointermove", "touchmove"})
"""What listens for these too, and for no click, is dragged or swiped over."""

Heard: TypeAlias = Literal["press", "release", "touch"]


def pressed_nodes(listeners: Iterable[Mapping[str, Any]]) -> dict[int, Heard]:
    """Backend node ids of elements that may be there to be pressed, with what they listen for: clicks and presses, else
    only buttons that are released, else only touches. `listeners`: as `DOMDebugger.getEventListeners` returns them."""
    types: dict[int, set[str]] = {}
    for one in listeners:
        types.setdefault(one["backendNodeId"], set()).add(one["type"])
    found: dict[int, Heard] = {}
    for node, heard in types.items():
        if heard & CLICKS:
            found[node] = "press"
        elif not heard & _MOVES and heard & (_RELEASES | _TOUCHES):
            found[node] = "release" if heard & _RELEASES else "touch"
    return found
