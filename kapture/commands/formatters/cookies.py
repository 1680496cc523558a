"""Cookies as a table."""

from __future__ import annotations

from typing import Any

import attrs
import toons

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class CookieJar(Answer):
    """Cookies read, or how many were changed."""

    action: str
    cookies: list[dict[str, Any]] = attrs.field(factory=list)
    changed: int = 0

    def text(self) -> str:
        """A TOON table of cookies, or one line on what was changed."""
        if self.action == "get":
            return toons.dumps({"cookies": self.cookies}) if self.cookies else "No cookies."
        done = {"set": "set", "delete": "deleted", "clear": "cleared"}[self.action]
        return f"{done} {self.changed} cookie{'' if self.changed == 1 else 's'}"
