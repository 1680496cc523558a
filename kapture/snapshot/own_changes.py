"""Which differences between an element before and after are its own, and what the new line does not show of it."""

from __future__ import annotations

import msgspec

from kapture.snapshot.content import acts
from kapture.snapshot.node import OWN_HINTS, Node
from kapture.snapshot.notation import hint_text, states_of
from kapture.snapshot.quoting import flat, quote

_CHARS = 60


def with_the_same_surroundings(before: Node, after: Node) -> Node:
    """The old element, without differences that are not its own.

    A hint that names what is around the element follows from that; the description of what nobody acts on says how to
    use it, or repeats a text of the page.
    """
    if before.hint != after.hint and _is_around(before) and _is_around(after):
        before = msgspec.structs.replace(before, hint=after.hint)
    if before.description != after.description and not acts(after):
        before = msgspec.structs.replace(before, description=after.description)
    return before


def _is_around(node: Node) -> bool:
    """Whether the hint of an element, if there is one, says where it is rather than what it looks like."""
    return node.hint is None or node.hint[0] not in OWN_HINTS


def is_renewed(before: Node, after: Node) -> bool:
    """Whether an element was rendered anew as it was: there are new refs, and else nothing but places on the screen is
    different, and the focus that it had."""
    if after.states.get("focused") and not before.states.get("focused"):
        return False
    return _said(before) == _said(after) and _refs(before) != _refs(after)


def only_focus_moved(before: Node, after: Node) -> bool:
    """Whether nothing is different but the focus, and places on the screen."""
    return _said(before) == _said(after) and _refs(before) == _refs(after)


def _refs(node: Node) -> list[int]:
    return [one.ref for one in node.nodes()]


def _said(node: Node) -> Node:
    children = tuple(child if isinstance(child, str) else _said(child) for child in node.children)
    states = {name: state for name, state in node.states.items() if name != "focused"}
    return msgspec.structs.replace(node, ref=0, offscreen=False, states=states, children=children)


def facts_gone(before: Node, after: Node) -> str:
    """The old facts that the new line does not show."""
    if before.ref != after.ref and before.name != after.name:
        return f" (was {quote(flat(before.name), _CHARS)})" if before.name else ""
    lost = [state for state in states_of(before) if state not in states_of(after) and state != "focused"]
    now = {state.partition("=")[0] for state in states_of(after)} | (
        {"expanded", "collapsed"} if after.states else set()
    )
    lost = [state for state in lost if state.partition("=")[0] not in now]
    if before.hint is not None and before.hint != after.hint:
        lost.insert(0, hint_text(before))
    return f" (was {' '.join(lost)})" if lost else ""
