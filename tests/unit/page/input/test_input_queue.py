"""How much input is on its way to a page at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import trio
from trio.testing import wait_all_tasks_blocked

from kapture.cdp import CdpConnection, PendingReply
from kapture.page import program
from kapture.page.input.keyboard import insert_event
from kapture.page.input.mouse import MOST_AHEAD, InputQueue
from tests.support.cdp_transports import SilentTransport


class Browser(SilentTransport):
    """A page that is slow to handle input."""

    def __init__(self) -> None:
        self.replies: list[PendingReply] = []
        self.connection = CdpConnection(self)
        self.queue = InputQueue(self.connection.root, lambda: None)

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.replies.append(reply := PendingReply())
        return reply


async def test_no_more_events_are_sent_than_can_be_spared_until_the_page_has_handled_them() -> None:
    browser = Browser()
    events = [insert_event("a")] * (MOST_AHEAD + 10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(program.run, browser.connection, browser.queue, [program.Input(events)])
        await wait_all_tasks_blocked()
        assert len(browser.replies) == MOST_AHEAD
        for reply in browser.replies[:]:
            reply.resolve({})
        await wait_all_tasks_blocked()
        assert len(browser.replies) == len(events)
        for reply in browser.replies[MOST_AHEAD:]:
            reply.resolve({})
