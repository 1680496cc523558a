"""Reading a tab that has left the grant since the call was admitted."""

from __future__ import annotations

import json

import pytest

from kapture.commands.reading import GetText, get_text
from kapture.errors import PolicyDenied
from kapture.page.element import Element
from kapture.page.target import Target
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_a_granted_frame_is_not_read_together_with_the_title_of_a_page_outside_the_grant() -> None:
    world = World()
    world.attach("F")
    world.navigate("F", "https://a.example/inner")
    world.run_scripts("F")
    world.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": ["words"]})}}

    async def locate(target: Target) -> Element:
        return Element(world.tree.get("f1"), 1, "text", "words", "p")

    params = GetText(target="f1e1")
    assert (await get_text(tab_of(world, locate=locate), params)).content == "words"
    for frame in world.tree.all():
        frame.gate = lambda url: url.endswith("/inner")
    with pytest.raises(PolicyDenied):
        await get_text(tab_of(world, locate=locate, title="a secret"), params)
