"""Whether a page shows the final effect of an action yet, or only its immediate effect and signs of more to come.

A page that fetches, debounces or animates reacts to an action twice: at once with a checked box, a spinner or
"Saving…", and later with the final effect.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from kapture.snapshot import cover
from kapture.snapshot.node import OWN_HINTS, Node
from kapture.snapshot.roles import INTERACTIVE
from kapture.snapshot.ticking import steadied
from kapture.snapshot.tree import Tree

Fact: TypeAlias = tuple[object, ...]

_TYPED = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_BY_ITSELF = frozenset({"checked", "selected", "pressed", "expanded"})
_PASSING = frozenset({"focused", "disabled", "out-of-view"})
"""States that are no effect yet: what moves into view is on its way, and carousels turn by themselves."""
_SUGGESTED = frozenset(
    {"alert", "alertdialog", "article", "dialog", "gridcell", "link", "listitem", "menuitem", "menuitemcheckbox"}
    | {"menuitemradio", "option", "row", "status", "treeitem"}
)
"""What a page shows in reply to typed text: suggestions, results, messages."""
_BUSY = re.compile(r".*(…|\.\.\.)|(loading|please wait)\b.{0,20}", re.IGNORECASE | re.DOTALL)
_LONGEST_SIGN = 40
_CLOCK = re.compile(r"\d{1,2}:\d{2}\b|\b\d+ ?(s|sec|seconds?|min|minutes?)\b")


def is_awaited(before: Tree, after: Tree) -> bool:
    """Whether a page shows only the immediate effect of an action (focus, values, checked states, a closed menu,
    another URL), and signs that more is coming: words such as "Loading…", a disabled button."""
    before = _comparable(before, after)
    if not _same_documents(before, after):
        return False
    was, now = _facts(before, by_itself=False), _facts(after, by_itself=False)
    return (len(now) < len(was) and not Counter(now) - Counter(was)) or was == now


def may_suggest_more(before: Tree, after: Tree) -> bool:
    """Whether a page that has been typed into shows nothing new to choose, and no message: only the immediate effect
    of typing, such as a button that clears the field, the text of an editor, a counter of characters."""
    return _same_documents(before, after) and not Counter(_suggested(after)) - Counter(_suggested(before))


def _suggested(tree: Tree) -> Iterator[Fact]:
    for frame, node in tree.walk():
        if node.role in _SUGGESTED:
            yield frame, node.role, node.name


def announces_more(before: Tree, after: Tree) -> bool:
    """Whether a page has begun to show signs that more is coming, whoever does the work: a worker, a long request."""
    now = Counter(_signs(after)) if before != after else Counter()
    return bool(now) and bool(now - Counter(_signs(before)))


def _signs(tree: Tree) -> Iterator[str]:
    for _, node in tree.walk():
        if node.role == "progressbar" or node.states.get("busy") or _says_busy(node.name):
            yield f"{node.role} {node.name}"
        yield from (child for child in node.children if isinstance(child, str) and _says_busy(child))


def has_gone_on(before: Tree, after: Tree) -> bool:
    """Whether anything has changed but the focus and signs that more is coming."""
    before = _comparable(before, after)
    return not _same_documents(before, after) or _facts(before, by_itself=True) != _facts(after, by_itself=True)


def _comparable(before: Tree, after: Tree) -> Tree:
    """The page before, without what is no news: what changes by itself; and if a modal layer is closed now, the page
    that it covered."""
    return steadied(_without_layer(before, after), after).old


def _without_layer(before: Tree, after: Tree) -> Tree:
    covered = before.covered
    return covered.page if covered is not None and cover.has_closed(covered, after) else before


def _same_documents(before: Tree, after: Tree) -> bool:
    return before.main.document == after.main.document and before.frames.keys() == after.frames.keys()


def _facts(tree: Tree, *, by_itself: bool) -> list[Fact]:
    """The page's facts in reading order, without the signs; `by_itself`: including checked states and values."""
    return [fact for frame, node in tree.walk() for fact in _facts_of(frame, node, by_itself)]


def _facts_of(frame: str, node: Node, by_itself: bool) -> Iterator[Fact]:
    if _is_sign(node):
        return
    acts = node.role in INTERACTIVE
    left_out = _PASSING if by_itself else _PASSING | _BY_ITSELF
    states = tuple(sorted((name, state) for name, state in node.states.items() if name not in left_out))
    typed = node.role in _TYPED
    value = None if typed or (acts and not by_itself) else node.value
    url = node.url if by_itself else None  # relative URLs change with the page's
    look = node.hint if node.hint is not None and node.hint[0] in OWN_HINTS else None
    if node.name or states or acts or node.clickable or value is not None or url or look:
        yield frame, "node", node.role, node.name, states, value, url, node.description, look
    if acts and "disabled" not in node.states:
        yield frame, "enabled", node.role, node.name
    for child in node.children:
        if isinstance(child, str) and not typed and not _says_busy(child):
            yield frame, "text", _timeless(child)


def _is_sign(node: Node) -> bool:
    if node.role == "progressbar" or node.states.get("busy") or _says_busy(node.name):
        return True
    words = [child for child in node.children if isinstance(child, str)]
    return bool(words) and len(words) == len(node.children) and all(map(_says_busy, words))


def _says_busy(words: str) -> bool:
    return len(words) <= _LONGEST_SIGN and _BUSY.fullmatch(words.strip()) is not None


def _timeless(words: str) -> str:
    """Remove clocks, countdowns and ages, which change by themselves."""
    return re.sub(r"\d+", "0", words) if _CLOCK.search(words) else words
