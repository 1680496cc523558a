"""The URLs that a browser is launched with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import trio
from trio.testing import MockClock

from kapture.hub.browsers import _open_tabs

URLS = [f"https://site{number}.example/" for number in range(5)]


async def test_a_url_that_there_was_no_time_for_is_named(autojump_clock: MockClock) -> None:
    shown = []

    async def navigate(_: str, url: str) -> str:
        await trio.sleep(9)
        shown.append(url)
        return ""

    async def open_tab(url: str, **_: Any) -> str:
        return "another"

    connection = SimpleNamespace(closed=trio.Event())
    browser: Any = SimpleNamespace(
        tabs=[SimpleNamespace(tab_id="first")], connection=connection, navigate=navigate, open_tab=open_tab
    )
    [problem] = await _open_tabs(browser, URLS)
    assert problem == "https://site4.example/ is not opened: the others took 30 s."
    assert shown == URLS[:3]
