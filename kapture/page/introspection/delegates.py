"""The elements that a delegating listener acts for, as far as its source names them.

`list.addEventListener("click", (event) => { const row = event.target.closest("[data-row]"); … })` listens for the rows:
no browser reports that, but the function's source says so, even minified. The source is the page's: processing it takes
time proportional to its length, whatever it contains.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

MOST_SELECTORS = 40
_LONGEST_SOURCE = 50_000

_QUOTED = r"""(?P<quote>['"`])(?P<words>(?:(?!(?P=quote))[^\\\n$]){1,150})(?P=quote)"""
_ASKED = re.compile(
    r"(?<=[\w$?])\.(?P<how>closest|matches|classList\??\.contains|getAttribute|hasAttribute)(?:\?\.)?\(\s*" + _QUOTED
)
_CHAIN = string.ascii_letters + string.digits + "_$?."
_LONGEST_CHAIN = 100
_GUARD = re.compile(r"\s*\)\s*\)\s*(?:\{\s*)?return\b")
_COMPARED = re.compile(r"\.(?P<how>className|id)\s*={2,3}\s*" + _QUOTED)
_DATA = re.compile(r"\.dataset\??\.(?P<name>[a-zA-Z]\w{0,60})\b(?!\s*=[^=])")
_UNPACKED = re.compile(r"\{(?P<names>[\w\s,:=$]{1,200})\}\s*=\s*[\w$.?]*\.dataset\b")
_PART = re.compile(r"[\w-]+")


def delegated_selectors(source: str) -> list[str]:
    """CSS selectors that a listener matches its event's target with; at most MOST_SELECTORS."""
    return list(dict.fromkeys(_selectors(source[:_LONGEST_SOURCE])))[:MOST_SELECTORS]


def _selectors(source: str) -> Iterator[str]:
    for found in _ASKED.finditer(source):
        # `if (!target.closest(".menu")) close()` is for everything else; followed by `return`, for just these.
        if _is_negated(source, found.start()) and not _GUARD.match(source, found.end()):
            continue
        words = found["words"].strip()
        match found["how"]:
            case "closest" | "matches":
                yield words
            case "getAttribute" | "hasAttribute":
                if words.startswith("data-") and _PART.fullmatch(words):
                    yield f"[{words}]"
            case _:
                if _PART.fullmatch(words):
                    yield f".{words}"
    for found in _COMPARED.finditer(source):
        parts = found["words"].split()
        if parts and all(map(_PART.fullmatch, parts)):
            yield "".join(f".{part}" for part in parts) if found["how"] == "className" else f"#{parts[0]}"
    for found in _DATA.finditer(source):
        yield _attribute(found["name"])
    for found in _UNPACKED.finditer(source):
        for one in found["names"].split(","):
            if name := re.match(r"\s*([a-zA-Z]\w*)", one):
                yield _attribute(name[1])


def _is_negated(source: str, end: int) -> bool:
    """Whether `!` precedes the chain of names that ends here."""
    return source[max(0, end - _LONGEST_CHAIN) : end].rstrip(_CHAIN).rstrip().endswith("!")


def _attribute(name: str) -> str:
    """`rowId` → `[data-row-id]`."""
    return f"[data-{re.sub('[A-Z]', lambda letter: f'-{letter[0].lower()}', name)}]"
