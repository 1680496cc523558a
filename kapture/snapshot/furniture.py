"""Site furniture: headers, menus and footers repeated on every page, summarized once a client was shown them."""

from __future__ import annotations

import re
from hashlib import blake2b

FURNITURE_ROLES = frozenset({"banner", "complementary", "contentinfo", "navigation"})
_LEAST_CHARS = 150  # shorter parts are shown again

# What differs between pages with the same furniture: refs, and which link is the current one.
_OF_THIS_PAGE = re.compile(r" ref=e[0-9]+| \[(?:current(?:=[a-z]+)?|focused)\]")


class Furniture:
    """What a client was shown before (`known`, by digest), and what is on this page (`met`)."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self.met: set[str] = set()

    def is_known(self, lines: list[str]) -> bool:
        """Whether the client was shown a part of a page with the same text."""
        text = _OF_THIS_PAGE.sub("", "\n".join(lines))
        if len(text) < _LEAST_CHARS:
            return False
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
        self.met.add(digest)
        return digest in self._known
