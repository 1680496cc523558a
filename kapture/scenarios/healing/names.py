"""Whether two names of an element mean the same: how alike their words are, and whether one contradicts the other.

A name that contradicts the recorded one is that of another element, whatever else is equal: a button keeps its id when
it changes from "Follow" to "Unfollow".
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Set as AbstractSet

from kapture.scenarios.healing.vocabulary import (
    AGREEING,
    AGREEING_PARTS,
    ANSWERS,
    ASKING,
    CONJUNCTIONS,
    DESTROYING,
    DESTROYING_PARTS,
    DIRECTIONS,
    FILLERS,
    NARROWING,
    NARROWING_OF_FIELDS,
    NARROWING_PARTS,
    NEGATION_PARTS,
    NEGATIONS,
    NEUTRAL,
    NEUTRAL_OF_FIELDS,
    OPPOSITE_PREFIXES,
    OPPOSITE_SIGNS,
    OPPOSITES,
    REVERSING_PREFIXES,
    REVERSING_SUFFIXES,
    SPENDING,
    SPENDING_PARTS,
    SYNONYMS,
    UNDOING,
    UNDOING_PARTS,
    VERB_ENDINGS,
)
from kapture.scenarios.healing.words import joined, words_in_order, words_of

SAME = 0.85
"""The similarity from which on two names count as equal."""

_REWORDED = 0.75
"""The most that names in other words, or with another count, are alike."""

_PARTLY = 0.5
"""The most that names are alike of which one has a word more that says something."""

_COUNT = re.compile(r"\s*(\(\d+\+?\)|\[\d+\+?\])\s*$")
_PHRASE = re.compile(rf"(?<!\w)({'|'.join(sorted(SYNONYMS, key=len, reverse=True))})(?!\w)")
_SHORTEST_REST = 3
_SHORTEST = 5
"""Letters of a word from which on a small difference is a matter of spelling."""
_INFLECTIONS = frozenset({"s", "es", "e", "n", "en", "ue"})
"""Endings that make no other word. Any other may be a negation: "gönder" and "gönderme" in Turkish."""
_JOINING = re.compile(r"[&+,/]")
_WITHOUT_MARKS = str.maketrans({"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})


def contradicts(wanted: str, seen: str, *, of_field: bool = False) -> bool:
    """Whether an element called `seen` does something else than the one called `wanted`, judging by single words.
    `of_field`: they are names of text fields."""
    plain, others = _plain(wanted), _plain(seen)
    if _opposite_signs(wanted, seen) or _turned_round(wanted, seen):
        return True
    if equal_texts(plain, others):
        return False
    narrowing = NARROWING | NARROWING_OF_FIELDS if of_field else NARROWING
    return _contradict(words_of(wanted), words_of(seen), narrowing) or _contradict(
        words_of(plain), words_of(others), narrowing
    )


def _contradict(first: set[str], second: set[str], narrowing: frozenset[str]) -> bool:
    lost, added = first - second, second - first
    if _holds(added, UNDOING, UNDOING_PARTS) or any(_opposite(one, other) for one in lost for other in added):
        return True
    if _holds(added, NEGATIONS, NEGATION_PARTS) and not _holds(first, NEGATIONS, NEGATION_PARTS):
        return True
    # Without a word in common the names may be in two languages.
    return bool((first & second) - FILLERS) and _holds(lost | added, NEGATIONS | narrowing, NARROWING_PARTS)


def name_likeness(wanted: str, seen: str, *, of_field: bool = False) -> float:
    """1 for the same words; `SAME` if one only has words more that say nothing new, as "Save changes" for "Save"; less
    if they use synonyms; at most a half if any word differs. `of_field`: they are names of text fields."""
    if equal_texts(wanted, seen):
        return 1.0
    alike = _likeness(words_of(wanted), words_of(seen), of_field=of_field)
    plain, others = words_of(_plain(wanted)), words_of(_plain(seen))
    return max(alike, min(_REWORDED, _likeness(plain, others, of_field=of_field)))


def equal_texts(one: str, other: str) -> bool:
    """Whether two texts are spelt alike, but for case and punctuation. What has neither letters nor digits is compared
    as it is: "+" is not "−"."""
    return _key(one) == _key(other) and not _opposite_signs(one, other)


def without_count(name: str) -> str:
    """A name without the count at its end: "Inbox (12)"."""
    return _COUNT.sub("", name)


def destroys(name: str) -> bool:
    """Whether something is lost when an element of this name is pressed."""
    return _holds(words_of(name), DESTROYING, DESTROYING_PARTS)


def agrees(name: str) -> bool:
    """Whether something is agreed to or paid when an element of this name is pressed."""
    return _holds(words_of(name), AGREEING, AGREEING_PARTS)


def of_another_amount(wanted: str, seen: str) -> bool:
    """Whether both names have numbers, and not the same ones, and something is lost, agreed to, paid or bought when the
    one called `wanted` is pressed."""
    words = words_of(wanted)
    if not (destroys(wanted) or agrees(wanted) or _holds(words, SPENDING, SPENDING_PARTS)):
        return False
    numbers, others = (
        {word for word in words_of(_plain(one)) if any(map(str.isdigit, word))} for one in (wanted, seen)
    )
    return bool(numbers and others) and numbers != others


def undoes(text: str) -> bool:
    """Whether it speaks of undoing something, or of losing it."""
    return _holds(words_of(text), UNDOING, UNDOING_PARTS)


def _holds(words: set[str], whole: frozenset[str], parts: frozenset[str]) -> bool:
    return bool(words & whole) or any(part in word for word in words for part in parts)


def answers(name: str) -> bool:
    """Whether it is nothing but an answer, such as OK or Confirm."""
    words = words_of(name)
    return bool(words) and words <= ANSWERS


def distinctive_words_of(text: str) -> set[str]:
    """Its words, without fillers and answers."""
    return words_of(text) - FILLERS - ANSWERS


def asked_again(question: str, other: str, given: AbstractSet[str] = frozenset()) -> bool:
    """Whether two texts ask the same: they have the same words, but for numbers and those that make a question polite.
    Words of `given`, the values of a run, may stand in place of others."""

    def words(text: str) -> set[str]:
        said = words_of(text) - FILLERS - ASKING - NEUTRAL
        return {word for word in said if not any(map(str.isdigit, word))}

    lost, added = words(question) - words(other), words(other) - words(question)
    return not (lost or added) or (bool(added) and added <= given and len(lost) <= len(added))


def words_more(one: str, other: str, *, of_field: bool = False) -> set[str] | None:
    """The words that say something which one of two names has more than the other; None if each has some, or they have
    none in common. What is joined to a name in scripts and languages that join words is such a word too."""
    words, others = ({word for word in words_of(name) if not any(map(str.isdigit, word))} for name in (one, other))
    neutral = FILLERS | NEUTRAL | (NEUTRAL_OF_FIELDS | CONJUNCTIONS if of_field else frozenset())
    if (words & others) - FILLERS and (words <= others or others <= words):
        return (words ^ others) - neutral
    short, long = sorted((_key(one), _key(other)), key=len)
    if not short or short not in long:
        return None
    return {part for part in long.split(short, 1) if part} - neutral


def adds_another(one: str, other: str) -> bool:
    """Whether one of two names does something besides what the other does: "Save and publish", "Save & publish"."""
    joined = words_of(one) ^ words_of(other)
    return not joined.isdisjoint(CONJUNCTIONS) or bool(_JOINING.search(one)) != bool(_JOINING.search(other))


def among(word: str, words: AbstractSet[str]) -> bool:
    """Whether it is one of the words, maybe in another form or spelling."""
    return word in words or any(_one_word(word, one) for one in words)


def says(identifier: str, name: str, *, all_of_it: bool = False) -> bool:
    """Whether an identifier such as `save-profile` or `loginButton` has a word of the name, also one without accents,
    or all of them as they are spelt."""
    parts = words_of(_plain(spelt_out(identifier)))
    words = words_of(_plain(name)) - FILLERS
    if all_of_it:
        return bool(words) and words <= parts
    return not {*parts, *map(_without_marks, parts)}.isdisjoint({*words, *map(_without_marks, words)})


def spelt_out(identifier: str) -> str:
    """The words of an identifier, which are joined in one of the usual ways: `place-order`, `placeOrder`."""
    return re.sub(r"[\W_]+|(?<=[a-z])(?=[A-Z])", " ", identifier)


def _without_marks(word: str) -> str:
    spelt = unicodedata.normalize("NFKD", word.translate(_WITHOUT_MARKS))
    return "".join(letter for letter in spelt if not unicodedata.combining(letter))


def _likeness(words: set[str], others: set[str], *, of_field: bool) -> float:
    words, others = words - FILLERS, others - FILLERS
    for word in sorted(words - others):
        if spelt := next((other for other in sorted(others - words) if _one_word(word, other)), None):
            others = (others - {spelt}) | {word}
    lost, added = words - others, others - words
    neutral = NEUTRAL | NEUTRAL_OF_FIELDS if of_field else NEUTRAL
    if words & others and not (lost and added) and lost | added <= neutral:
        return SAME if lost | added else 1.0
    return _PARTLY * len(words & others) / max(1, len(words | others))


def _key(text: str) -> str:
    return "".join(words_in_order(text)).replace("_", "") or "".join(text.split())


def _turned_round(one: str, other: str) -> bool:
    """Whether the names have the same words in another order, of which one says where from or where to."""
    words, others = words_in_order(one), words_in_order(other)
    return words != others and sorted(words) == sorted(others) and not DIRECTIONS.isdisjoint(words)


def _opposite_signs(one: str, other: str) -> bool:
    """Whether one has a sign where the other has its opposite: "Zoom +", "Zoom −"."""
    lost, added = set(one.split()) - set(other.split()), set(other.split()) - set(one.split())
    return any(frozenset((sign, another)) in OPPOSITE_SIGNS for sign in lost for another in added)


def _plain(text: str) -> str:
    """In lower case, without a count at its end, with one phrase for all that mean the same."""
    return _PHRASE.sub(lambda found: SYNONYMS[found[0]], joined(without_count(text)))


def _one_word(one: str, other: str) -> bool:
    """Whether the words differ in their spelling or their form only. Numbers do not."""
    if _stem(one) == _stem(other):
        return True
    if min(len(one), len(other)) < _SHORTEST or one[0] != other[0] or any(map(str.isdigit, one + other)):
        return False
    short, long = sorted((one, other), key=len)
    if long.startswith(short):
        return long[len(short) :] in _INFLECTIONS
    return len(long) - len(short) <= 1 and difflib.SequenceMatcher(None, one, other).ratio() >= SAME


def _stem(word: str) -> str:
    """The verb without what only puts it in another form."""
    return next((word.removesuffix(one) for one in VERB_ENDINGS if word.endswith(one) and word != one), word)


def _opposite(one: str, other: str) -> bool:
    if frozenset((one, other)) in OPPOSITES:
        return True
    for pair in OPPOSITE_PREFIXES:
        for first, second in (pair.split(), pair.split()[::-1]):
            rest = one.removeprefix(first)
            if one != rest and other == second + rest and len(rest) >= _SHORTEST_REST:
                return True
    short, long = sorted((one, other), key=len)
    if len(short) < (_SHORTEST_REST if short.isascii() else 2):
        return False
    if long.endswith(short) and long[: -len(short)] in REVERSING_PREFIXES:
        return True
    if long.startswith(short) and long[len(short) :] in REVERSING_SUFFIXES:
        return True
    return short.endswith("e") and long == f"{short[:-1]}ing"
