"""In which documents the recorder's widget is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

from kapture.cdp import PendingReply
from kapture.page.recording.recording import PageWidget
from tests.unit.page.frame_world import World


class Browser(World):
    """A tab whose binding is added when the test says so. `drawn` are the contexts that code was sent to."""

    def __init__(self) -> None:
        self.binding = PendingReply()
        self.drawn: list[str] = []
        super().__init__()

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if method == "Runtime.addBinding":
            return self.binding
        reply = PendingReply()
        if method == "Runtime.evaluate":
            self.drawn.append(params["uniqueContextId"])
            reply.resolve({"result": {"value": True}})
        return reply


@pytest.mark.parametrize(("goes_to", "drawn"), [("https://b.example/", ["None-2"]), ("https://secret.example/", [])])
async def test_the_steps_are_not_drawn_in_a_page_outside_the_grant_that_came_meanwhile(
    goes_to: str, drawn: list[str], mock_clock: trio.testing.MockClock
) -> None:
    # On this clock the widget's own timeout never comes, however long the machine stands still.
    browser = Browser()
    browser.context("M", 1)
    widget = PageWidget(browser.connection.root, browser.tree)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(widget.show, {"steps": ["fill City"]})
        await trio.testing.wait_all_tasks_blocked()
        browser.navigate("M", goes_to, None)
        browser.context("M", 2)
        browser.binding.resolve({})
    assert browser.drawn == drawn


async def test_nothing_is_drawn_in_a_page_outside_the_grant_nor_asked_to_stay_there(
    mock_clock: trio.testing.MockClock,
) -> None:
    browser = Browser()
    browser.context("M", 1)
    browser.binding.resolve({})
    granted = True
    browser.tree.main.gate = lambda _: granted
    widget = PageWidget(browser.connection.root, browser.tree)
    await widget.show({"steps": ["fill City"]})
    assert await widget.stay()
    assert len(browser.drawn) == 2
    granted = False
    await widget.show({"steps": ["fill City"]})
    assert not await widget.stay()
    assert len(browser.drawn) == 2
