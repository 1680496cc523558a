"""The targets of a browser's tabs, and the ids that the tabs keep when their targets change."""

from __future__ import annotations

import secrets

import attrs

from kapture.backends.browser_connection import SessionTransport
from kapture.backends.cdp_tab import CdpTab
from kapture.errors import ErrorCode, KaptureError

_TAB_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class TabIds:
    """The ids of a browser's tabs, by CDP target. Kept while the browser is disconnected, so that tabs keep their ids.

    `owner` is the secret by which only this browser may use these ids. `let_go`: targets that are to be left alone.
    """

    def __init__(self) -> None:
        self.owner = secrets.token_hex(16)
        self.let_go: set[str] = set()
        self._ids: dict[str, str] = {}

    def of(self, target_id: str) -> str:
        """The tab's id, chosen on first use."""
        if target_id not in self._ids:
            self._ids[target_id] = "".join(secrets.choice(_TAB_ID_LETTERS) for _ in range(8))
        return self._ids[target_id]

    def known(self, target_id: str | None) -> str | None:
        """The tab's id; None if it has none."""
        return self._ids.get(target_id or "")

    def replace(self, target_id: str, by: str) -> None:
        """Give a target's id to the target that the browser has put in its place."""
        self._ids[by] = self._ids.pop(target_id)

    def forget(self, target_id: str) -> None:
        """Forget a tab that was closed."""
        self._ids.pop(target_id, None)
        self.let_go.discard(target_id)


@attrs.define(eq=False)
class Target:
    """The target of a tab. `asleep`: it has no page, because the browser has put it to sleep, or it has crashed."""

    target_id: str
    transport: SessionTransport
    context: str | None
    tab: CdpTab
    asleep: bool = False

    def fall_asleep(self, why: str = "The browser has put this tab to sleep.") -> None:
        """Take the page away from commands."""
        self.asleep = True
        self.tab.detached(
            KaptureError(
                ErrorCode.DETACHED,
                why,
                hint="Navigate it, or wake it with tab_activate.",
                data={"reason": "replaced", "state": "tab_paused"},
            )
        )
