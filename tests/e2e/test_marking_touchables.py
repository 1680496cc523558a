"""What a person presses, though the page listens only for what follows a press."""

from __future__ import annotations

import pytest

from tests.support.agent_page import AgentPage
from tests.support.orders_page import clickables

pytestmark = pytest.mark.e2e


async def test_what_listens_only_for_a_release_or_a_touch_is_marked_unless_it_is_read_or_swiped(
    page: AgentPage,
) -> None:
    await page.show(
        """<div id=mouseup>up</div><span id=pointerup>lift</span><div id=touchend>tap</div>
        <div id=touchmove>slides</div>
        <div id=text><p>What people select a part of, to share it with others who may read it.</p><p>More</p></div>
        <script>const listen=(id,...types)=>types.forEach(t=>document.getElementById(id).addEventListener(t,()=>1));
        listen('mouseup','mouseup');listen('pointerup','pointerup');listen('touchend','touchend');
        listen('touchmove','touchstart','touchmove');listen('text','mouseup')</script>"""
    )
    assert clickables(await page.snapshot()) == [("generic", "up"), ("generic", "lift"), ("generic", "tap")]
