"""Marks the element that one Console points at in its page; only the latest counts."""

from __future__ import annotations

from contextlib import suppress
from typing import TypeAlias

from kapture.changed import Changed
from kapture.commands.core.registry import get_command
from kapture.errors import KaptureError
from kapture.hub import Client
from kapture.hub.state import HubState
from kapture.page import Page

_Wish: TypeAlias = tuple[str, str]
"""A tab's id, and a ref."""


class Highlights:
    """The highlight of one Console, whose client is `client`."""

    def __init__(self, state: HubState, client: Client) -> None:
        self._state = state
        self._client = client
        self._wish: _Wish | None = None
        self._changed = Changed()

    def point_at(self, tab_id: str, ref: str | None) -> None:
        """Mark this element instead of the previous one; None: mark none."""
        self._wish = (tab_id, ref) if ref is not None else None
        self._changed.notify()

    async def run(self) -> None:
        """Update the highlight until cancelled, which removes it."""
        marked: Page | None = None
        try:
            while True:
                upcoming, wish = self._changed.upcoming, self._wish
                page = self._page(wish[0]) if wish is not None else None
                if marked is not None and marked is not page:
                    _hide(marked)
                if wish is not None and (marked := page) is not None:
                    with suppress(KaptureError), self._state.consent.calling(self._client):
                        await marked.highlight.show(wish[1])  # an element that is gone is not marked
                await upcoming.wait()
        finally:
            if marked is not None:
                _hide(marked)

    def _page(self, tab_id: str) -> Page | None:
        """The page of a tab, if this client may read it."""
        tab = self._state.router.connected.get(tab_id)
        page = tab.backend.current_page if tab is not None and tab.backend is not None else None
        if tab is None or page is None:
            return None
        snapshot = get_command("snapshot")
        allowed = self._state.consent.decide(self._client, snapshot, snapshot.params(), tab).allowed
        return page if allowed else None


def _hide(page: Page) -> None:
    with suppress(KaptureError):  # the tab is gone, and the mark with it
        page.highlight.hide()
