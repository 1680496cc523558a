"""Closing a tab whose page may ask whether to leave it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from kapture.background import running_beside

if TYPE_CHECKING:
    from kapture.page import Page


@asynccontextmanager
async def raising_question(page: Page | None) -> AsyncIterator[None]:
    """End the block with `DIALOG_OPEN` when the page asks, and nobody has said beforehand what to answer.

    A browser that closes a tab for an extension, or with `Page.close`, runs the page's beforeunload handlers.
    """

    async def look() -> None:
        while page is not None:
            upcoming = page.dialogs.changed.upcoming
            dialog, blocked = page.dialogs.current, page.dialogs.blocked()
            if blocked is not None and dialog is not None and dialog.type == "beforeunload":
                blocked.hint = "Answer it with handle_dialog: accepting closes the tab."
                raise blocked
            await upcoming.wait()

    async with running_beside(look):
        yield
