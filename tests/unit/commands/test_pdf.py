"""A PDF of a page that leaves the grant while it is printed."""

from __future__ import annotations

import json

import pytest

from kapture.commands.capture import Pdf, pdf
from kapture.errors import PolicyDenied
from tests.unit.commands.tab_of_world import tab_of
from tests.unit.page.frame_world import World


async def test_what_was_printed_of_it_is_not_answered_nor_is_a_page_in_its_place() -> None:
    world = World()
    world.run_scripts()
    world.replies["Runtime.evaluate"] = {"result": {"value": json.dumps({"top": 0, "value": {"veiled": True}})}}
    world.replies["Page.printToPDF"] = {"data": "UERG"}
    assert (await pdf(tab_of(world), Pdf())).bytes == 3
    world.leaving.add("Page.printToPDF")
    with pytest.raises(PolicyDenied):
        await pdf(tab_of(world), Pdf())
