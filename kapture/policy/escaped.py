"""A client's text in a question to the person: invisible characters and those that move others are escaped.

Code with a direction override reads in another order than it runs in; an invisible letter makes another name; a letter
of another alphabet makes a host look like a site that the person knows.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from kapture.policy.address import parse

# Printable by their category, but drawn as nothing, or as a blank: fillers, variation selectors, and the like. From the
# property Default_Ignorable_Code_Point of Unicode, and the empty Braille pattern.
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
_DRAWN_AS_NOTHING = re.compile(f"[{_UNSEEN}]")

_STRIPPED = "".join(map(chr, range(0x21)))
_KEPT_IN_URL = "".join(map(chr, range(0x21, 0x7F)))


def escaped(text: str) -> str:
    """The text, with every character that is not visible as itself escaped: `‹U+202E›`. Line ends and tabs are kept."""
    if text.isprintable() and _DRAWN_AS_NOTHING.search(text) is None:
        return text
    return "".join(char if _is_seen(char) else f"‹U+{ord(char):04X}›" for char in text.replace("\r\n", "\n"))


def escaped_address(url: str) -> str:
    """An address as the browser gets it: its host in ASCII and without a user name before it, slashes for backslashes,
    other letters percent-encoded. Text that is no address of a site or a file is escaped."""
    address = parse(url)
    if address is None:
        return escaped(url)
    text = url.strip(_STRIPPED).translate(dict.fromkeys(map(ord, "\t\r\n")))
    scheme, _, rest = text.partition(":")
    if scheme.lower() == "blob":
        return f"blob:{escaped_address(rest)}"
    if address.scheme != "file":
        # As `parse` reads it, and not `urlsplit`: that takes a path after a backslash for a part of the host.
        before, after = re.fullmatch(r"([^?#]*)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
        _, slash, path = before.replace("\\", "/").lstrip("/").partition("/")
        text = f"{address.origin}{slash}{path}{after}"
    return quote(text, _KEPT_IN_URL, errors="replace")


def _is_seen(char: str) -> bool:
    return char in "\n\t" or (char.isprintable() and _DRAWN_AS_NOTHING.match(char) is None)
