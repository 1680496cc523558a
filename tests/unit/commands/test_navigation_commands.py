"""Where the tab is after a navigation, as far as a client may know."""

from __future__ import annotations

from types import SimpleNamespace

from kapture.commands.navigation import arrived
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_of_a_page_outside_the_grant_no_more_than_its_origin_is_told() -> None:
    world = World()
    world.navigate("M", "https://secret.example/account?token=1", None)
    world.run_scripts()
    dialogs = SimpleNamespace(current=None, policy="ask")
    found = await arrived(tab_of(world, dialogs=dialogs, downloads=SimpleNamespace(get=lambda _: None)), None)
    assert (found.url, found.title) == ("https://secret.example", None)
    assert found.note == "This site is outside the tab's grant: the page cannot be read."
