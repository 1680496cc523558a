"""A page that holds the recorder's widget, without a hub."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from kapture.scenarios.record.recorder_widgets import RENEW_S
from tests.support.context import Tab, open_tab
from tests.support.recorder_widget import SeenWidget

STEPS = [
    {"id": "1", "title": 'fill textbox "City"', "value": "Rome of all places", "secret": None},
    {"id": "2", "title": 'fill textbox "Password"', "value": None, "secret": "password"},
    {"id": "3", "title": 'click button "Go"', "value": None, "secret": None},
]
SHAPE = {"right": 16, "side": "bottom", "offset": 16, "open": True}
VIEW = {
    "going": True,
    "steps": STEPS,
    "leftOut": 0,
    "saved": None,
    "busy": False,
    "shape": SHAPE,
    "problem": None,
}


@attrs.define
class Scene:
    """A page that holds the widget, and what the widget has sent."""

    tab: Tab
    widget: SeenWidget
    sent: trio.MemoryReceiveChannel[str]

    async def message(self) -> Any:
        with trio.fail_after(30):
            return json.loads(await self.sent.receive())


@asynccontextmanager
async def widget_at(browser: int, url: str) -> AsyncIterator[Scene]:
    async with open_tab(browser, url) as tab:
        put, sent = trio.open_memory_channel[str](1_000)
        tab.page.widget.on_message = put.send_nowait
        await tab.page.widget.show(VIEW)
        async with put, sent, trio.open_nursery() as nursery:
            nursery.start_soon(_renew, tab)
            yield Scene(tab, SeenWidget(tab.page.connection), sent)
            nursery.cancel_scope.cancel()


async def _renew(tab: Tab) -> None:
    """As the hub does: without it the widget goes by itself, in the middle of a test that a busy machine draws out."""
    while True:
        await trio.sleep(RENEW_S)
        await tab.page.widget.stay()
