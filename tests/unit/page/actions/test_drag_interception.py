"""Dragging leaves the browser as it was, however it ends."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import RefExpired
from kapture.page.actions.drag import drag
from kapture.page.page import Page
from tests.support.one_document import OneDocument

INTERCEPT = "Input.setInterceptDrags"
READY = {
    "status": "ready",
    "at_once": True,
    "element": {"ref": 4, "role": "listitem", "name": "First", "tag": "li"},
    "point": {"x": 10, "y": 10},
}


@pytest.fixture
def browser() -> OneDocument:
    browser = OneDocument()
    browser.answers = {"ready": READY}
    return browser


@pytest.fixture
async def page(browser: OneDocument, nursery: Any) -> Page:
    page = Page(browser.connection, "tab1", lambda _: True, nursery)
    page.frames.observe(browser.connection.root)
    page.frames.take(browser.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
    browser.load()
    return page


def intercepting(browser: OneDocument) -> list[bool]:
    """What the browser was told, in order."""
    return [params["enabled"] for params in browser.input if "enabled" in params]


async def test_an_element_that_goes_before_it_is_dragged_leaves_native_drags_to_the_person(
    page: Page, browser: OneDocument
) -> None:
    browser.errors["watchDrag"] = {"code": "REF_EXPIRED", "message": "It is gone."}
    with pytest.raises(RefExpired):
        await drag(page, "#first", None, by=(30, 0))
    assert intercepting(browser) == [True, False]


async def test_a_drag_that_is_cancelled_at_its_start_leaves_native_drags_to_the_person(
    page: Page, browser: OneDocument, autojump_clock: MockClock
) -> None:
    browser.silent.add(INTERCEPT)
    with trio.move_on_after(10) as scope:
        await drag(page, "#first", None, by=(30, 0))
    assert scope.cancelled_caught
    await wait_all_tasks_blocked()
    assert intercepting(browser) == [True, False]
