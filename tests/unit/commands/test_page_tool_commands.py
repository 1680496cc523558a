"""Tools of a frame outside the grant."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kapture.commands.page_tools import PageTools, page_tools
from kapture.errors import PolicyDenied
from kapture.page.page_tools import PageTool
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_a_frame_outside_the_grant_is_refused_and_not_said_to_have_no_tools() -> None:
    world = World()
    world.attach("F")
    world.leave("F", "M")

    async def granted_tools() -> list[PageTool]:
        return []

    tab = tab_of(world, tools=SimpleNamespace(all=granted_tools))
    assert (await page_tools(tab, PageTools())).tools == []
    with pytest.raises(PolicyDenied):
        await page_tools(tab, PageTools(frame="f1"))
