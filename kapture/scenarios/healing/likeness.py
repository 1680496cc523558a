"""Similarity of the recorded element to one on the page: a score from 0 to 1, and the threshold for a match.

The name, or an identifying attribute, must match: role, tag and surroundings alone do not identify an element. An
attribute whose element has another name counts only if it says what the element is. If several elements had the same
name, their surroundings must match too. An element whose name contradicts the recorded one is another, however much
else is equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import attrs

from kapture.scenarios.healing.names import (
    SAME,
    adds_another,
    agrees,
    among,
    answers,
    contradicts,
    destroys,
    distinctive_words_of,
    equal_texts,
    name_likeness,
    of_another_amount,
    says,
    spelt_out,
    undoes,
    without_count,
    words_more,
)
from kapture.scenarios.healing.words import words_of
from kapture.scenarios.model import Appearance

FLOOR = 0.6
MARGIN = 0.05
"""How far the best candidate must be ahead of the second best."""

_WEIGHTS = {"name": 4.0, "identity": 3.0, "neighbours": 2.0, "role": 1.0, "tag": 0.5, "within": 0.5}
_TEST_IDS = ("data-testid", "data-test-id", "data-test")
_IDENTITY = ("id", "name", *_TEST_IDS, "autocomplete", "placeholder")
_OF_GROUP = frozenset({"radio", "menuitemradio", "menuitemcheckbox"})
_TICKED = frozenset({"checkbox", "switch"})
_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_SENT = _FIELDS | _TICKED | {"listbox", "slider"}
"""What has a value that is sent under its own `name`, unlike a choice, which shares it with its group."""
_SAYS_WHICH = re.compile(r"[^\W\d_]{2}|[#№•●*]\s*\d")
"""Words, and numbers that are no amounts: "#218", "•••• 7744"."""
_COUNT = re.compile(r"\d[\d.,\s]*([^\W\d_]{2})")
"""How many of something there are: "2 devices". With a capital letter it may be a date: "9 May"."""
PART = "part "
"""With which an entry of `within` begins that is a text at the top of a part of the page."""
_KIN = (
    {"button", "link", "menuitem", "tab"},
    _FIELDS,
    {"checkbox", "switch"},
)


@attrs.frozen(kw_only=True)
class Seen:
    """An element on the page. `shared_name`: other elements with a similar role have the same name. `origin` is its
    document's, `box` its x, y, width and height in the viewport, if known."""

    ref: str
    role: str
    name: str
    tag: str = ""
    attributes: Mapping[str, str] = attrs.field(factory=dict)
    neighbours: Sequence[str] = ()
    within: Sequence[str] = ()
    shared_name: bool = False
    origin: str = ""
    box: Sequence[float] = ()


def score(wanted: Appearance, seen: Seen, *, was_shared: bool = False) -> float:
    """The similarity of `seen` to the recorded element; 0 if it cannot be it. `was_shared`: the name was not unique."""
    wanted_name = wanted.name or wanted.text
    of_field = wanted.role in _FIELDS
    if kin(wanted.role, seen.role) == 0 or (wanted_name and contradicts(wanted_name, seen.name, of_field=of_field)):
        return 0.0
    if of_another_amount(wanted_name, seen.name):
        return 0.0
    parts: dict[str, float] = {"role": kin(wanted.role, seen.role)}
    if wanted_name:
        parts["name"] = name_likeness(wanted_name, seen.name, of_field=of_field)
    if (identity := _identity(_own_attributes(wanted), seen.attributes)) is not None:
        parts["identity"] = identity
    if wanted.tag and seen.tag:
        parts["tag"] = float(wanted.tag == seen.tag)
    # A field's label is its name, and is not counted twice.
    if neighbours := [text for text in wanted.neighbours if name_likeness(text, wanted_name) < SAME]:
        parts["neighbours"] = _beside(neighbours, seen.neighbours)
        if parts["neighbours"] == 0 and destroys(wanted_name):
            return 0.0
    if wanted_name and identity and parts["name"] < FLOOR:
        if not _says_what_it_is(wanted, seen, wanted_name, parts.get("neighbours")):
            return 0.0
        parts["name"] = FLOOR  # as much as a similar name: in a translated page the neighbours are other texts too
    if (sections := [one for one in wanted.within if not one.startswith(PART)]) and seen.within:
        parts["within"] = _beside(sections[:1], seen.within)
    evidence = max(parts.get("name", 0.0), parts.get("identity", 0.0))
    known = "name" in parts or "identity" in parts
    if known and evidence < FLOOR:
        return 0.0
    if wanted_name and parts["name"] < SAME and not identity and parts.get("neighbours", 1.0) == 0:
        return 0.0
    if answers(wanted_name) and asks_another(_question(wanted), _question(seen)):
        return 0.0
    told_apart = parts.get("identity", 0.0) == 1 or not (was_shared or seen.shared_name)
    if not told_apart and not _beside_the_same(wanted, seen, neighbours):
        return 0.0
    if not known and parts.get("neighbours", 0.0) < FLOOR:
        return 0.0
    total = sum(_WEIGHTS[part] for part in parts)
    # An element's surroundings change most in a redesign: they only distinguish equal elements.
    alike = sum(_WEIGHTS[part] * value for part, value in parts.items()) / total
    return max(alike, FLOOR) if parts.get("name", 0.0) >= SAME and not was_shared and not seen.shared_name else alike


def kin(first: str, second: str) -> float:
    """1 for the same role, 0.7 for interchangeable roles, else 0; an unknown role matches any."""
    if not first or not second or first == second:
        return 1.0
    return 0.7 if any(first in group and second in group for group in _KIN) else 0.0


def beside_nothing_known(wanted: Appearance, page: Iterable[Seen]) -> bool:
    """Whether the page shows none of the texts that were beside an element: what deletes may delete another thing."""
    texts = [text for one in page for text in (one.name, *one.neighbours)]
    return bool(wanted.neighbours) and _beside(wanted.neighbours, list(dict.fromkeys(texts))) == 0


def asks_another(asked: Sequence[str], asks: Sequence[str]) -> bool:
    """Whether a dialog with the texts `asks` is about something else than one with the texts `asked`: it undoes
    something, or has no word in common with it."""
    if not asked or not asks:
        return False
    if any(undoes(text) for text in asks) and not any(undoes(text) for text in asked):
        return True
    words = set().union(*map(distinctive_words_of, asked))
    return bool(words) and words.isdisjoint(set().union(*map(distinctive_words_of, asks)))


def _question(one: Appearance | Seen) -> list[str]:
    """What the dialog around an element says; nothing, if it is in none."""
    dialog = next((name for name in one.within if name.startswith(("dialog", "alertdialog"))), None)
    return [] if dialog is None else [text for text in (_name_of(dialog), *one.neighbours) if text]


def _beside_the_same(wanted: Appearance, seen: Seen, neighbours: Sequence[str]) -> bool:
    """Whether the surroundings are those that told the element from others with its name: the texts beside it, those at
    the top of the parts that it is in, and the innermost section that has a name."""
    tops = [_name_of(one) for one in wanted.within if one.startswith(PART)]
    section = next((name for one in wanted.within if not one.startswith(PART) and (name := _name_of(one))), None)
    inside = [_name_of(one) for one in seen.within]
    if section is not None and not any(_identical(section, name) for name in inside):
        return False
    known = set().union(*map(words_of, (*tops, *neighbours)))
    if tops and _share(tops, [*inside, *seen.neighbours], _identical, known) < 1:
        return False
    if not neighbours:
        return bool(tops) or section is not None
    amounts = [text for text in neighbours if not _SAYS_WHICH.search(text) and any(map(str.isdigit, text))]
    if amounts and agrees(wanted.name) and _share(amounts, seen.neighbours, _identical, known) < 1:
        return False
    return _share(neighbours, seen.neighbours, _identical) >= FLOOR and not _replaced(neighbours, seen.neighbours)


def _name_of(section: str) -> str:
    """The name of a section: `group "Rental"` may have become `region "Rental"`."""
    return section.partition(" ")[2]


def _identical(one: str, other: str) -> bool:
    """Whether two texts are spelt alike: rows may differ in a single letter, or in a word that says little."""
    return bool(other) and equal_texts(one, other)


def _replaced(wanted: Sequence[str], seen: Sequence[str]) -> bool:
    """Whether another text stands in place of a recorded one: rows of a list differ in one of several texts."""
    known = set().union(*map(words_of, wanted))
    lost = any(_SAYS_WHICH.search(text) and _share([text], seen, _identical, known) == 0 for text in wanted)
    return lost and any(not any(map(str.isdigit, word)) for text in seen for word in words_of(text) - known)


def _says_what_it_is(wanted: Appearance, seen: Seen, name: str, beside: float | None) -> bool:
    """Whether an unchanged identifier identifies an element with another name. Where some texts beside it are the same
    (`beside`), the page was not translated: an id that has only a word of the name may be that of another action."""
    own = _own_attributes(wanted)
    same = [one for one in _IDENTITY if own.get(one) and own[one] == seen.attributes.get(one)]
    if wanted.role in _SENT and not {"name", "autocomplete"}.isdisjoint(same):
        return True  # the name under which a field's value is sent
    more = words_more(name, seen.name, of_field=wanted.role in _FIELDS)
    if more is not None:
        return not destroys(name) and _known_of_it(more, wanted, seen, name)
    if wanted.role in _TICKED:  # an id that still says what both names do
        return any(says(own[one], name) and says(own[one], seen.name) for one in same)
    if beside:  # an id of one word, such as `save`, may stay where something else is done
        same = [one for one in same if one in _TEST_IDS or len(words_of(name)) > 1]
    return any(says(own[one], name, all_of_it=bool(beside) and one not in _TEST_IDS) for one in same)


def _known_of_it(more: AbstractSet[str], wanted: Appearance, seen: Seen, name: str) -> bool:
    """Whether words that a name has got or lost only say what was known anyway: they are those of the sections that it
    is in, or of its attributes. Any other may be something else that it does, in whichever language."""
    if wanted.role not in _FIELDS and adds_another(name, seen.name):
        return False
    around = [_name_of(one) for one in (*wanted.within, *seen.within)]
    own = [spelt_out(value) for one in _IDENTITY if (value := wanted.attributes.get(one))]
    known = set().union(*map(words_of, (*around, *own)))
    return all(among(word, known) for word in more)


def _own_attributes(wanted: Appearance) -> Mapping[str, str]:
    """Without the `name` of a choice, which all choices of its group have."""
    if wanted.role not in _OF_GROUP:
        return wanted.attributes
    return {name: value for name, value in wanted.attributes.items() if name != "name"}


def _identity(wanted: Mapping[str, str], seen: Mapping[str, str]) -> float | None:
    """Whether an identifying attribute is unchanged; None if none was recorded. One with a number identifies nothing:
    it is often that of a place in a list, or made anew for each page."""
    known = [name for name in _IDENTITY if wanted.get(name) and not re.search(r"\d", wanted[name])]
    if not known:
        return None
    equal = sum(wanted[name] == seen.get(name) for name in known)
    return 1.0 if equal and ("id" not in known or wanted["id"] == seen.get("id")) else 0.9 if equal else 0.0


def _beside(wanted: Sequence[str], seen: Sequence[str]) -> float:
    """The share of the recorded texts that are present, as `_share`: also with another count, or in a word that says
    little."""

    def alike(one: str, other: str) -> bool:
        return name_likeness(without_count(one), without_count(other)) >= SAME

    return _share(wanted, seen, alike)


def _share(
    wanted: Sequence[str], seen: Sequence[str], alike: Callable[[str, str], bool], known: set[str] | None = None
) -> float:
    """The share of the recorded texts that are present; an amount, such as a price, and a count are worth little."""
    weights = [1.0 if _SAYS_WHICH.search(text) and not _counts(text) else 0.3 for text in wanted]
    known = known or set().union(*map(words_of, wanted))
    there = [
        weight
        for weight, text in zip(weights, wanted, strict=True)
        if any(alike(text, one) or _part_of(text, one, known) for one in seen)
    ]
    return sum(there) / sum(weights)


def _counts(text: str) -> bool:
    found = _COUNT.match(text)
    return found is not None and found[1].islower()


def _part_of(text: str, seen: str, known: set[str]) -> bool:
    """Whether a recorded text is a part of one on the page that else has only numbers and words of the other recorded
    ones: texts beside one another may be joined."""
    words = words_of(seen)
    return words_of(text) <= words and all(word in known or any(map(str.isdigit, word)) for word in words)
