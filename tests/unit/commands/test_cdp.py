"""A raw command on a tab that leaves the grant before, or while, it runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kapture.commands.cdp import Cdp, cdp
from kapture.commands.core.context import TabContext
from kapture.errors import PolicyDenied
from kapture.page.client_settings import ClientSettings
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


def tab(world: World) -> TabContext:
    made: Any = tab_of(world, client_settings=ClientSettings(world.connection.root))
    made.files = SimpleNamespace(check_upload=lambda path: path)
    return made  # type: ignore[no-any-return]


async def test_a_command_that_names_a_granted_site_is_not_sent_for_a_page_outside_the_grant() -> None:
    world = World()
    world.replies["Network.getCookies"] = {"cookies": []}
    wanted = Cdp(method="Network.getCookies", params={"urls": ["https://a.example/"]})
    await cdp(tab(world), wanted)
    world.sent.clear()
    world.leave()
    with pytest.raises(PolicyDenied):
        await cdp(tab(world), wanted)
    assert world.sent == []


async def test_the_result_of_a_page_that_left_the_grant_while_the_command_ran_is_not_shown() -> None:
    world = World()
    world.replies["Page.getLayoutMetrics"] = {"cssContentSize": {"height": 4711}}
    world.leaving.add("Page.getLayoutMetrics")
    with pytest.raises(PolicyDenied):
        await cdp(tab(world), Cdp(method="Page.getLayoutMetrics"))
