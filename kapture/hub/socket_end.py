"""How the socket of a tab or an extension ended, for error messages."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class SocketEnd:
    """`code` 0: still open."""

    code: int = 0
    reason: str = ""
    by_tab: bool = False

    def __str__(self) -> str:
        return f"its socket closed with code {self.code}" if self.by_tab else self.reason or "the hub stopped"
