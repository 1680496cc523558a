"""Tabs of a browser with the extension: waiting for them, and what is said of the URLs that it was started on."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from kapture.changed import Changed
from kapture.cli.extension_browser import CONNECT_TIMEOUT_S, connected_tabs, not_shown
from kapture.errors import KaptureError

URL = "http://127.0.0.1:2/"


class Hub:
    """A hub whose only tab shows `urls`, one after the other. `again`: its answer to `navigate`."""

    def __init__(self, again: dict[str, Any], *urls: str) -> None:
        self.urls = list(urls)
        self.again = again
        self.called: list[str] = []
        self.tabs_changed = Changed()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self.called.append(tool.removeprefix("kapturemcp_"))
        return self.again

    async def tabs(self) -> list[dict[str, Any]]:
        row = {"tabId": "t1", "url": self.urls[0]}
        if len(self.urls) > 1:
            del self.urls[0]
            self.tabs_changed.notify()
        return [row]


def failed(**data: str) -> dict[str, Any]:
    return {"isError": True, "_meta": {"dev.kapture/error": {"code": "NAVIGATION_FAILED", "data": data}}}


@pytest.mark.parametrize(
    ("again", "words"),
    [
        (failed(reason="ERR_CONNECTION_REFUSED"), f"{URL} is not shown: net::ERR_CONNECTION_REFUSED"),
        (failed(), f"{URL} is not shown: it cannot be opened"),
        ({}, ""),
    ],
)
async def test_an_error_page_is_said_to_be_one_with_the_browsers_reason(again: dict[str, Any], words: str) -> None:
    hub: Any = Hub(again, "chrome-error:")
    assert await not_shown(hub, "t1", URL) == words
    assert hub.called == ["tab_info", "navigate"]


class Starting:
    """A hub whose tab connects with the first change, and the process of a browser."""

    def __init__(self) -> None:
        self.tab_ids = ["before"]
        self.asked = trio.Event()
        self.tabs_changed = Changed()
        self.ended = trio.Event()

    async def tabs(self) -> list[dict[str, Any]]:
        self.asked.set()
        return [{"tabId": tab_id} for tab_id in self.tab_ids]


async def test_the_first_tab_of_a_browser_is_waited_for() -> None:
    starting: Any = Starting()
    async with trio.open_nursery() as nursery:

        async def connect() -> None:
            await starting.asked.wait()
            starting.tab_ids.append("new")
            starting.tabs_changed.notify()

        nursery.start_soon(connect)
        assert await connected_tabs(starting, starting, {"before"}) == ["new"]


async def test_a_browser_that_ends_before_a_tab_of_it_has_connected_is_not_waited_for() -> None:
    starting: Any = Starting()
    starting.ended.set()
    with trio.fail_after(CONNECT_TIMEOUT_S / 2), pytest.raises(KaptureError, match="no tab of it connected before"):
        await connected_tabs(starting, starting, {"before"})


async def test_a_browser_whose_tabs_do_not_connect_is_an_error(autojump_clock: trio.abc.Clock) -> None:
    starting: Any = Starting()
    with pytest.raises(KaptureError, match="no tab of it connected within 30 s"):
        await connected_tabs(starting, starting, {"before"})
