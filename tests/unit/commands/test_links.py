"""Links of a page that has left the grant since the call was admitted."""

from __future__ import annotations

import pytest

from kapture.commands.links import ExtractLinks, extract_links
from kapture.errors import PolicyDenied
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_a_page_outside_the_grant_is_refused_and_not_said_to_have_no_links() -> None:
    world = World()
    world.leave()
    with pytest.raises(PolicyDenied):
        await extract_links(tab_of(world), ExtractLinks())
