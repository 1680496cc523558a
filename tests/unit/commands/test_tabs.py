from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trio.testing import MockClock

from kapture.commands.tabs import TabInfo, tab_info
from tests.support.context import View, on_hub
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_list_tabs_shows_what_is_granted() -> None:
    row = {
        "tabId": "abcd2345",
        "title": 'A "title", with\nlines',
        "url": "https://a.example/",
        "grant": {"sites": ["a.example"], "level": "interact"},
    }
    result = await on_hub("list_tabs", View(rows=[row]))
    assert "abcd2345" in result.text
    assert "interact on a.example" in result.text
    assert len(result.text.splitlines()) == 2, "a title cannot make lines of its own"
    assert result.data == {"tabs": [row]}


async def test_of_a_frame_outside_the_grant_no_more_than_its_origin_is_listed(autojump_clock: MockClock) -> None:
    world = World()
    for frame_id, url in (("A", "https://b.example/own"), ("B", "https://secret.example/account?token=1")):
        world.attach(frame_id)
        world.navigate(frame_id, url)
    page = {"dialogs": SimpleNamespace(current=None), "recording": SimpleNamespace(active=False)}
    tab: Any = tab_of(world, **page)
    tab.tab_id = "abcd2345"
    state = await tab_info(tab, TabInfo())
    assert [(one.frame, one.url, one.granted) for one in state.frames] == [
        ("f1", "https://b.example/own", True),
        ("f2", "https://secret.example", False),
    ]
