"""Dialogs that cover the rest of the page: what is behind one is not removed, and comes back unchanged."""

from __future__ import annotations

import attrs

from kapture.page.ref import Key
from kapture.snapshot.tree import Covered, Tree

_DIALOGS = frozenset({"dialog", "alertdialog"})
_MOST_OF_IT = 0.5


def remembering(old: Tree | None, new: Tree) -> Tree:
    """The new tree to keep: while a dialog is open, with what it covers."""
    if old is None or old.main.document != new.main.document:
        return new
    if old.covered is not None and new.path(old.covered.dialog) is not None:
        return attrs.evolve(new, covered=old.covered)
    dialog = opened_over(old, new)
    return new if dialog is None else attrs.evolve(new, covered=Covered(old, dialog))


def opened_over(old: Tree, new: Tree) -> Key | None:
    """The dialog that has opened and covers most of the old page; None if there is none."""
    if old == new:
        return None
    dialogs = [(frame, node.ref) for frame, node in new.walk() if node.role in _DIALOGS]
    if not dialogs:
        return None
    were = {(frame, node.ref) for frame, node in old.walk()}
    opened = [dialog for dialog in dialogs if dialog not in were]
    if not opened:
        return None
    gone = were - {(frame, node.ref) for frame, node in new.walk()}
    return opened[0] if len(gone) > _MOST_OF_IT * len(were) else None
