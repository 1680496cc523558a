"""Dialogs and other modal layers that cover the rest of the page: what is behind one is not removed, and comes back
unchanged.

Libraries make menus, drawers and lists modal too, by hiding the rest of the page from assistive technology
(aria-hidden, inert) while one is open.
"""

from __future__ import annotations

import attrs

from kapture.page.documents.ref import Key
from kapture.snapshot.node import Node
from kapture.snapshot.tree import Covered, Tree

_DIALOGS = frozenset({"dialog", "alertdialog"})
_LAYERS = _DIALOGS | {"menu", "listbox", "tree", "grid"}
_MOST_OF_IT = 0.5


def remembering(old: Tree | None, new: Tree) -> Tree:
    """The new tree to keep: while a layer is open, with what it covers."""
    if old is None or old.main.document != new.main.document:
        return new
    if old.covered is not None and not is_under_another(old, new):
        if not has_closed(old.covered, new):
            return attrs.evolve(new, covered=old.covered)
        return remembering(old.covered.page, new)
    layer = opened_over(old, new)
    return new if layer is None else attrs.evolve(new, covered=Covered(_before(layer, old), layer))


def _before(layer: Key, old: Tree) -> Tree:
    """The page without the layer, which may have been there before it covered the rest."""
    view = old.frames.get(layer[0])
    if view is None or view.root is None or layer not in _keys(old):
        return old
    root = _without(view.root, layer[1])
    return attrs.evolve(old, frames={**old.frames, layer[0]: attrs.evolve(view, root=root)})


def has_closed(covered: Covered, new: Tree) -> bool:
    """Whether the layer is gone, or is only drawn until it has faded: the page behind it is shown again."""
    if new.path(covered.layer) is None:
        return True
    page, now = _keys(covered.page), _keys(new)
    return len(page & now) > _MOST_OF_IT * len(page)


def without_layer(covered: Covered, new: Tree) -> Tree:
    """The new tree without the closed layer, which may be drawn until it has faded."""
    path = new.path(covered.layer)
    if path is None:
        return new
    page = _keys(covered.page)
    frame, top = next(((frame, node) for frame, node in path if (frame, node.ref) not in page), path[-1])
    view = new.frames[frame]
    assert view.root is not None  # noqa: S101  it holds the layer
    return Tree({**new.frames, frame: attrs.evolve(view, root=_without(view.root, top.ref))})


def _without(node: Node, ref: int) -> Node:
    kept = [child for child in node.children if isinstance(child, str) or child.ref != ref]
    return node.with_children(tuple(child if isinstance(child, str) else _without(child, ref) for child in kept))


def is_under_another(old: Tree, new: Tree) -> bool:
    """Whether another layer has opened over the one that covered the old page."""
    if old.covered is None:
        return False
    layer = opened_over(old, new)
    if layer is None or layer in _keys(old.covered.page):
        return False  # a layer that another had covered comes back
    now = _keys(new)
    page, gone = _keys(old.covered.page) - now, _keys(old) - now
    return _behind(new) - len(page) > _MOST_OF_IT * len(gone)


def opened_over(old: Tree, new: Tree) -> Key | None:
    """The dialog or layer that covers most of the old page, having opened or just before; None if there is none."""
    if old == new:
        return None
    were = _keys(old)
    gone = were - _keys(new)
    if len(gone) <= _MOST_OF_IT * len(were):
        return None
    opened = [(frame, node) for frame, node in new.walk() if (frame, node.ref) not in were]
    dialogs = [one for one in opened if one[1].role in _DIALOGS]
    if not dialogs and _behind(new) > _MOST_OF_IT * len(gone):
        dialogs = [one for one in new.walk() if one[1].role in _DIALOGS][-1:]
    if dialogs:
        frame, node = dialogs[0]
    elif opened and _behind(new) > _MOST_OF_IT * len(gone):
        frame, node = next((one for one in opened if one[1].role in _LAYERS), max(opened, key=_size))
    else:
        return None
    return frame, node.ref


def _behind(tree: Tree) -> int:
    return sum(view.behind for view in tree.frames.values())


def _keys(tree: Tree) -> set[Key]:
    return {(frame, node.ref) for frame, node in tree.walk()}


def _size(one: tuple[str, Node]) -> int:
    return sum(1 for _ in one[1].nodes())
