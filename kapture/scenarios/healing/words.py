"""The words of a text, as names are compared by them: in lower case, a number as one word however it is written."""

from __future__ import annotations

import re
import unicodedata

from kapture.scenarios.healing.vocabulary import FILLERS, NEUTRAL, SYNONYMS

_SEPARATOR = "\u00b7"
_MARKS = "".join(
    chr(code)
    for block in (range(0x300, 0x2100), range(0xA600, 0xAC00), range(0xFE20, 0xFE30))
    for code in block
    if unicodedata.category(chr(code)).startswith("M")
)
"""Signs that are parts of words, such as the vowels of Thai and Hindi, though they are no letters."""
_WORD = re.compile(rf"(?:[\w{re.escape(_MARKS)}]|(?<=\d){_SEPARATOR}(?=\d))+")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[^\w]+(?=\d)")
_JOINED = re.compile(r"(?<=\w)['’\-‐‑](?=\w)|[\u00ad\u200c\u200d]")
_THAI = re.compile("[\u0e01-\u0e5b]+")
_WITHOUT_SPACES = re.compile(
    "|".join(sorted(filter(_THAI.fullmatch, {*FILLERS, *NEUTRAL, *SYNONYMS}), key=len, reverse=True))
)
"""Words of a script without spaces that say nothing by themselves, or are said in another way elsewhere: they are words
of their own wherever they stand."""


def words_of(text: str) -> set[str]:
    """The different words of a text, in lower case."""
    return set(words_in_order(text))


def words_in_order(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(joined(text))


def joined(text: str) -> str:
    """In lower case; each number is one word, whatever separates its digits, so that 1,000,000 is not 1,000, but 1.000
    is. Words with a hyphen or apostrophe are one too; known ones of a script without spaces get some."""
    plain = unicodedata.normalize("NFC", text.casefold())
    return _WITHOUT_SPACES.sub(r" \g<0> ", _JOINED.sub("", _BETWEEN_DIGITS.sub(_SEPARATOR, plain)))
