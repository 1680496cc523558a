"""Elements are only asked for in granted documents."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from kapture.errors import PolicyDenied, RefExpired
from kapture.page.element import Element
from kapture.page.remote_objects import backend_node_id, element_of
from tests.unit.page.frame_world import World


@pytest.fixture
def left() -> World:
    """A tab that has left the grant."""
    world = World()
    world.leave()
    return world


async def test_an_element_of_a_document_outside_the_grant_has_no_node(left: World, autojump_clock: MockClock) -> None:
    element = Element(left.tree.main, 1, "button", "Pay", "button")
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await backend_node_id(element)
    assert left.sent == []


async def test_a_node_of_a_document_outside_the_grant_gets_no_ref(left: World, autojump_clock: MockClock) -> None:
    with pytest.raises(PolicyDenied), trio.fail_after(1):
        await element_of(left.tree.main, 7)
    assert left.sent == []


async def test_an_element_that_is_gone_has_no_node() -> None:
    world = World()
    world.run_scripts()
    world.replies["Runtime.evaluate"] = {"result": {"type": "undefined"}}
    with pytest.raises(RefExpired):
        await backend_node_id(Element(world.tree.main, 1, "button", "Pay", "button"))
