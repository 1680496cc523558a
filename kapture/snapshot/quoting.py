"""Text of a page in Kapture's output: in quotes, on one line, without invisible characters.

A page chooses its own names and texts. Whatever it chooses, it must not be able to end a quote, begin a line, forge a
ref, or hide text that only the model sees.
"""

from __future__ import annotations

import re
import unicodedata

# Joiners and direction marks that languages need; by themselves they do not reorder the text around them.
_KEPT = frozenset("\u200c\u200d\u200e\u200f\u061c")
_PRIVATE = "Co"  # the glyphs of icon fonts: no meaning outside that font
_UNASSIGNED = "Cn"  # newer than this Python's tables: most likely an emoji
_SMUGGLING = re.compile("[\U000e0000-\U000e01ef]")  # tags and variation selectors, which can carry hidden text

_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_UNSAFE_IN_URL = re.compile(r"[^\x21\x23-\x5b\x5d-\x7e]")


def flat(text: str) -> str:
    """One line: white space becomes single blanks; invisible and private characters are removed or escaped."""
    if text.isprintable():
        return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    return " ".join(_visible(text, keep="").split())


def verbatim(text: str) -> str:
    """Like `flat`, but with line ends and tabs kept, for values that people type."""
    return text if text.isprintable() else _visible(text.replace("\r\n", "\n"), keep="\n\t")


def quote(text: str, limit: int) -> str:
    """The text in quotes. Text beyond `limit` characters is left out, which `…` after the quotes indicates."""
    text = verbatim(text)
    cut = len(text) > limit
    if cut:
        text = text[:limit].rstrip()
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if '"' in text:
        text = text.replace('"', '\\"')
    if "\n" in text or "\t" in text:
        text = text.replace("\n", "\\n").replace("\t", "\\t")
    return f'"{text}"…' if cut else f'"{text}"'


def token(text: str) -> str:
    """A role or the value of a state: bare if it is one plain word, otherwise in quotes."""
    return text if _TOKEN.fullmatch(text) else quote(flat(text), 40)


def plain_url(url: str, limit: int) -> str:
    """A URL with every character encoded that could end it, truncated at `limit` characters."""
    url = _UNSAFE_IN_URL.sub(_percent, url[: limit + 1])
    return url if len(url) <= limit else url[:limit] + "…"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def _visible(text: str, keep: str) -> str:
    out = []
    for character in _SMUGGLING.sub("", text):
        if character.isprintable() or character in _KEPT or character in keep:
            out.append(character)
        elif character.isspace():
            out.append(" ")
        else:
            category = unicodedata.category(character)
            if category == _UNASSIGNED and ord(character) & 0xFFFE != 0xFFFE:
                out.append(character)
            elif category != _PRIVATE and character not in "\u00ad\u200b\u2060\ufeff":
                out.append(f"‹U+{ord(character):04X}›")
    return "".join(out)
