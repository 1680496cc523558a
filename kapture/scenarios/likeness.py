"""Similarity of the recorded element to one on the page: a score from 0 to 1, and the threshold for a match.

The name, or an identifying attribute, must match: role, tag and surroundings alone do not identify an element. If
several elements had the same name, their surroundings must match too. A name with a word such as cancel or delete that
the recorded one did not have is another element, however much else is equal.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence

import attrs

from kapture.scenarios.model import Appearance

FLOOR = 0.6
MARGIN = 0.05
"""How far the best candidate must be ahead of the second best."""

_SAME = 0.85
"""The similarity from which on two texts count as equal."""

_WEIGHTS = {"name": 4.0, "identity": 3.0, "neighbours": 2.0, "role": 1.0, "tag": 0.5, "within": 0.5}
_IDENTITY = ("id", "name", "data-testid", "autocomplete", "placeholder")
_KIN = (
    {"button", "link", "menuitem", "tab"},
    {"textbox", "searchbox", "combobox", "spinbutton"},
    {"checkbox", "switch"},
)
_UNDOING = frozenset(
    {
        *("cancel", "delete", "remove", "discard", "clear", "reset", "undo", "back", "close", "decline", "reject"),
        *(
            "abbrechen",
            "löschen",
            "entfernen",
            "zurück",
            "annuler",
            "supprimer",
            "cancelar",
            "eliminar",
            "out",
            "abmelden",
        ),
    }
)
_FILLERS = frozenset({"the", "a", "an", "to", "of", "in", "for", "your", "my", "now", "please", "and", "this", "it"})
_WORD = re.compile(r"\w+")


@attrs.frozen(kw_only=True)
class Seen:
    """An element on the page. `shared_name`: other elements with a similar role have the same name. `origin` is its
    document's, if known."""

    ref: str
    role: str
    name: str
    tag: str = ""
    attributes: Mapping[str, str] = attrs.field(factory=dict)
    neighbours: Sequence[str] = ()
    within: Sequence[str] = ()
    shared_name: bool = False
    origin: str = ""


def score(wanted: Appearance, seen: Seen, *, was_shared: bool = False) -> float:
    """The similarity of `seen` to the recorded element; 0 if it cannot be it. `was_shared`: the name was not unique."""
    wanted_name = wanted.name or wanted.text
    undoing = _words(seen.name) & _UNDOING
    if kin(wanted.role, seen.role) == 0 or undoing - _words(wanted_name):
        return 0.0
    parts: dict[str, float] = {"role": kin(wanted.role, seen.role)}
    if wanted_name:
        parts["name"] = name_likeness(wanted_name, seen.name)
    if (identity := _identity(wanted.attributes, seen.attributes)) is not None:
        parts["identity"] = identity
    if wanted.tag and seen.tag:
        parts["tag"] = float(wanted.tag == seen.tag)
    # A field's label is its name, and is not counted twice.
    if neighbours := [text for text in wanted.neighbours if name_likeness(text, wanted_name) < _SAME]:
        parts["neighbours"] = _beside(neighbours, seen.neighbours)
    if wanted.within and seen.within:
        parts["within"] = _beside(wanted.within[:1], seen.within)
    evidence = max(parts.get("name", 0.0), parts.get("identity", 0.0))
    known = "name" in parts or "identity" in parts
    if known and evidence < FLOOR:
        return 0.0
    told_apart = parts.get("identity", 0.0) == 1 or not (was_shared or seen.shared_name)
    if not told_apart and parts.get("neighbours", 0.0) < FLOOR:
        return 0.0
    if not known and parts.get("neighbours", 0.0) < FLOOR:
        return 0.0
    total = sum(_WEIGHTS[part] for part in parts)
    # An element's surroundings change most in a redesign: they only distinguish equal elements.
    return sum(_WEIGHTS[part] * value for part, value in parts.items()) / total


def kin(first: str, second: str) -> float:
    """1 for the same role, 0.7 for interchangeable roles, else 0; an unknown role matches any."""
    if not first or not second or first == second:
        return 1.0
    return 0.7 if any(first in group and second in group for group in _KIN) else 0.0


def name_likeness(wanted: str, seen: str) -> float:
    """1 for the same words; less if one contains the other, or they share words."""
    first, second = _key(wanted), _key(seen)
    if first == second:
        return 1.0
    if min(len(first), len(second)) >= 4 and (first in second or second in first):
        return _SAME
    words, others = _words(wanted) - _FILLERS, _words(seen) - _FILLERS
    shared = len(words & others) / max(1, len(words | others))
    close = difflib.SequenceMatcher(None, first, second).ratio()
    return max(shared, close if close >= _SAME else 0.0)


def _key(text: str) -> str:
    return "".join(_WORD.findall(text.casefold())).replace("_", "")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _identity(wanted: Mapping[str, str], seen: Mapping[str, str]) -> float | None:
    """Whether an identifying attribute is unchanged; None if none was recorded."""
    known = [name for name in _IDENTITY if wanted.get(name)]
    if not known:
        return None
    equal = sum(wanted[name] == seen.get(name) for name in known)
    return 1.0 if equal and ("id" not in known or wanted["id"] == seen.get("id")) else 0.9 if equal else 0.0


def _beside(wanted: Sequence[str], seen: Sequence[str]) -> float:
    """The share of the recorded texts that are present; one without letters, such as a price, counts for little."""
    weights = [1.0 if re.search(r"[^\W\d_]{2}", text) else 0.3 for text in wanted]
    there = [
        weight
        for weight, text in zip(weights, wanted, strict=True)
        if any(name_likeness(text, one) >= _SAME for one in seen)
    ]
    return sum(there) / sum(weights)
