"""Whether a page shows the effect of an action yet, or only what the action does by itself and signs that more comes.

A page that fetches, debounces or animates answers an action twice: at once with the tick in a box, a spinner or
"Saving…", and later with what the action was for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from kapture.snapshot.node import Node
from kapture.snapshot.roles import INTERACTIVE
from kapture.snapshot.tree import Tree

Fact: TypeAlias = tuple[object, ...]

_TYPED = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_BY_ITSELF = frozenset({"checked", "selected", "pressed", "expanded"})
_BUSY = re.compile(r".*(…|\.\.\.)|(loading|please wait)\b.{0,20}", re.IGNORECASE | re.DOTALL)
_LONGEST_SIGN = 40


def is_awaited(before: Tree, after: Tree) -> bool:
    """Whether nothing is new but what an action does by itself (focus, values, ticks, another address), and what says
    that more is coming: words such as "Loading…", a button that is disabled, contents that made way for such a sign
    or went with the address."""
    if not _same_documents(before, after):
        return False
    was, now = _facts(before, by_itself=False), _facts(after, by_itself=False)
    lost, new = Counter(was), Counter(now)
    lost.subtract(now)
    new.subtract(was)
    if any(count > 0 for count in new.values()):
        return False
    gone = [fact for fact, count in lost.items() if count > 0 and fact[1] != "enabled"]
    if not gone:
        return lost.total() > 0 or was == now
    return before.main.url != after.main.url or _signs(after) > _signs(before)


def has_gone_on(before: Tree, after: Tree) -> bool:
    """Whether anything is different but the focus and signs that more is coming."""
    return not _same_documents(before, after) or _facts(before, by_itself=True) != _facts(after, by_itself=True)


def _same_documents(before: Tree, after: Tree) -> bool:
    return before.main.document == after.main.document and before.frames.keys() == after.frames.keys()


def _facts(tree: Tree, *, by_itself: bool) -> list[Fact]:
    """What a page says, in the order of reading, without the signs; `by_itself`: with ticks and values too."""
    return [fact for frame, node in tree.walk() for fact in _facts_of(frame, node, by_itself)]


def _facts_of(frame: str, node: Node, by_itself: bool) -> Iterator[Fact]:
    if _is_sign(node):
        return
    acts = node.role in INTERACTIVE
    left_out = {"focused", "disabled"} if by_itself else {"focused", "disabled", *_BY_ITSELF}
    states = tuple(sorted((name, state) for name, state in node.states.items() if name not in left_out))
    typed = node.role in _TYPED
    value = None if typed or (acts and not by_itself) else node.value
    url = node.url if by_itself else None  # relative ones change with the address
    look = node.hint if node.hint is not None and node.hint[0] in {"icon", "colour"} else None
    if node.name or states or acts or node.clickable or value is not None or url or look:
        yield frame, "node", node.role, node.name, states, value, url, node.description, look
    if acts and "disabled" not in node.states:
        yield frame, "enabled", node.role, node.name
    for child in node.children:
        if isinstance(child, str) and not typed and not _says_busy(child):
            yield frame, "text", child


def _signs(tree: Tree) -> int:
    """How much of a page says that more is coming."""
    return sum(
        _is_sign(node) + sum(isinstance(child, str) and _says_busy(child) for child in node.children)
        for _, node in tree.walk()
    )


def _is_sign(node: Node) -> bool:
    return node.role == "progressbar" or bool(node.states.get("busy")) or _says_busy(node.name)


def _says_busy(words: str) -> bool:
    return len(words) <= _LONGEST_SIGN and _BUSY.fullmatch(words.strip()) is not None
