"""Whether an element of the page is the recorded one. No word list decides that: only equal texts do.

A press on the wrong element cannot be taken back, a step that fails can be recorded again: in doubt it is another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence

import attrs

from kapture.scenarios.model import Appearance

PART = "part "
"""With which an entry of `within` begins that is a text at the top of a part of the page."""
FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_PRESSED = frozenset({"button", "link", "menuitem", "tab"})
_TEST_IDS = ("data-testid", "data-test-id", "data-test")
_DIALOG = re.compile(r"(alert)?dialog\b")
_COUNTED = frozenset({"link", "tab", "treeitem"})
_WORD = re.compile(r"\w+")
_LONGEST_VALUE = 200
_COUNT = re.compile(r"\s{0,9}\(\d{1,9}\+?\)$")


@attrs.frozen(kw_only=True)
class Seen:
    """An element on the page. `shared_name`: others that could be pressed, or filled, in its place have its name.

    `origin` is its document's, `box` its x, y, width and height in the viewport, if known.
    """

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


def is_same(wanted: Appearance, seen: Seen, *, was_shared: bool = False, values: Collection[str] = ()) -> bool:
    """Whether `seen` is the recorded element. `was_shared`: others had its name when it was recorded. `values`: of the
    run; where others have not the name, one beside the element stands for the recorded text.

    The role and the name must be equal, and something around it: all of it where others have the name, or where it
    answers a dialog. A field keeps its `id` or test id under another label.
    """
    if not _same_role(wanted.role, seen.role):
        return False
    identified = _same_identity(wanted, seen)
    name = wanted.name or wanted.text
    if name and not same_name(wanted.role, name, seen.name):
        return identified and not was_shared and wanted.role in FIELDS and _same_type(wanted, seen)
    if was_shared or seen.shared_name:
        return identified or _all_around(wanted, seen)
    if wanted.role in FIELDS and name:
        return True
    if any(map(_DIALOG.match, wanted.within)):
        return _all_around(wanted, seen)
    if identified and not (name and wanted.role in _PRESSED):  # what is pressed may do the same to another thing
        return True
    if not name:
        return _all_around(wanted, seen)
    texts = [text for text in wanted.neighbours if any(map(str.isalpha, text))] or wanted.neighbours
    around = _normalized(seen.neighbours)
    return not texts or not _normalized(texts).isdisjoint(around) or _has_value(around, values)


def same_name(role: str, one: str, other: str) -> bool:
    """Whether two names are equal, but for case, spaces and marks at their end; and the count of a link or tab."""
    if role in _COUNTED:
        one, other = _COUNT.sub("", one), _COUNT.sub("", other)
    return normalized(one) == normalized(other)


def normalized(text: str) -> str:
    """A text without differences that say nothing: "Save …" is "save", but "+" is not "−"."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u00ad", "").replace("\u200b", "")
    return " ".join(plain.split()).rstrip(" .:*") or " ".join(plain.split())


def in_its_place(one: str, other: str) -> bool:
    """Whether elements of these roles are used in the same way."""
    return one == other or any(one in kind and other in kind for kind in (FIELDS, _PRESSED))


def _has_value(texts: Iterable[str], values: Collection[str]) -> bool:
    """Whether one of the texts has one of the values, as whole words."""
    words = [f" {' '.join(_WORD.findall(text))} " for text in texts]
    wanted = (" ".join(_WORD.findall(normalized(value))) for value in values if len(value) <= _LONGEST_VALUE)
    return any(f" {value} " in text for value in wanted if value for text in words)


def _same_role(wanted: str, seen: str) -> bool:
    return not wanted or wanted == seen or (wanted in FIELDS and seen in FIELDS)


def _same_identity(wanted: Appearance, seen: Seen) -> bool:
    """Whether its id or test id is unchanged. One with a number is often that of a place in a list."""
    known = {name: wanted.attributes.get(name, "") for name in ("id", *_TEST_IDS)}
    lasting = {name: value for name, value in known.items() if value and not re.search(r"\d", value)}
    return bool(lasting) and lasting.items() <= seen.attributes.items()


def _same_type(wanted: Appearance, seen: Seen) -> bool:
    return wanted.attributes.get("type", "text") == seen.attributes.get("type", "text")


def _all_around(wanted: Appearance, seen: Seen) -> bool:
    """Whether all texts around it are there, and the innermost section that has a name."""
    beside, tops = _normalized(wanted.neighbours), _tops(wanted)
    section = _section(wanted)
    if section and section != _section(seen):
        return False
    around = _normalized(seen.neighbours)
    return bool(section or beside or tops) and beside <= around and tops <= around | _tops(seen)


def _tops(one: Appearance | Seen) -> set[str]:
    """The texts at the top of the parts that an element is in."""
    return _normalized(_name_of(each).strip('"') for each in one.within if each.startswith(PART))


def _section(one: Appearance | Seen) -> str:
    """The name of the innermost section that has one: `group "Rental"` may have become `region "Rental"`."""
    names = (_name_of(each) for each in one.within if not each.startswith(PART))
    return normalized(next(filter(None, names), ""))


def _normalized(texts: Iterable[str]) -> set[str]:
    return {found for text in texts if (found := normalized(text))}


def _name_of(section: str) -> str:
    return section.partition(" ")[2]
