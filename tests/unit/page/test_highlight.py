"""The mark of an element, which may be taken away while it is still being set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import PendingReply
from kapture.page.highlight import Highlight
from tests.support.one_document import OneDocument


class Document(OneDocument):
    """One whose overlay is switched on late."""

    def __init__(self) -> None:
        super().__init__()
        self.load()
        self.answers = {"box": [10, 20, 30, 40]}
        self.enabled = PendingReply()
        self.marked = False
        self.highlight = Highlight(self.connection.root, self.frames)

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method in ("Overlay.highlightQuad", "Overlay.hideHighlight"):
            self.marked = "quad" in params
        return self.enabled if method == "Overlay.enable" else super()._reply(method, params, session_id)


async def test_a_mark_that_is_taken_away_while_it_is_set_does_not_stay(nursery: trio.Nursery) -> None:
    document = Document()
    nursery.start_soon(document.highlight.show, "e4")
    await wait_all_tasks_blocked()
    document.highlight.hide()
    document.enabled.resolve({})
    await wait_all_tasks_blocked()
    assert not document.marked
