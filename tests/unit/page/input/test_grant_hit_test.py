"""Where input would go, in a tab with a frame outside the grant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kapture.errors import PolicyDenied
from kapture.page.input.input_guard import check_focus, check_point, is_mixed_in_a_process
from kapture.page.input.mouse import Point
from tests.unit.page.frame_world import World

POINT = Point(5, 5)


@pytest.fixture
def mixed() -> World:
    """A granted page with a frame outside the grant in the same process."""
    world = World()
    world.attach("F")
    world.leave("F", "M")
    world.run_scripts()
    world.tree.get("f1").owner_known_in = "None-2"
    world.replies["Page.getLayoutMetrics"] = {"cssVisualViewport": {"pageX": 0, "pageY": 0}}
    return world


def hits(world: World, frame_id: str, **node: Any) -> None:
    """What is at a point: the document of a frame, and in it a node."""
    world.replies["DOM.getNodeForLocation"] = {"backendNodeId": 1, "frameId": frame_id}
    world.replies["DOM.describeNode"] = {"node": {"backendNodeId": 1, **node}}


def focuses(world: World, *keys: str) -> None:
    """Which frame has the focus in each document that is asked, one after the other."""
    world.in_turn["Runtime.evaluate"] = [{"result": {"value": json.dumps({"top": 0, "value": key})}} for key in keys]


async def test_the_pointer_may_be_over_the_granted_page(mixed: World) -> None:
    hits(mixed, "M")
    await check_point(mixed.tree, POINT)


async def test_the_pointer_may_not_be_over_an_element_of_a_document_outside_the_grant(mixed: World) -> None:
    hits(mixed, "F")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_point(mixed.tree, POINT)


async def test_the_pointer_may_not_be_over_the_element_that_shows_a_frame_outside_the_grant(mixed: World) -> None:
    hits(mixed, "M", frameId="F")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_point(mixed.tree, POINT)


async def test_keys_may_go_to_the_granted_page(mixed: World) -> None:
    focuses(mixed, "")
    await check_focus(mixed.tree)


async def test_keys_may_not_go_to_a_focused_frame_outside_the_grant(mixed: World) -> None:
    focuses(mixed, "f1", "")
    with pytest.raises(PolicyDenied, match="Frame f1"):
        await check_focus(mixed.tree)


def test_only_a_frame_outside_the_grant_in_a_process_with_one_inside_is_in_reach_of_that(mixed: World) -> None:
    assert is_mixed_in_a_process(mixed.tree)
    mixed.navigate("F", "https://a.example/")
    assert not is_mixed_in_a_process(mixed.tree)
    mixed.leave("F", "M")
    mixed.leave()
    assert not is_mixed_in_a_process(mixed.tree)


def test_a_frame_outside_the_grant_in_a_process_of_its_own_is_in_reach_of_nobody(mixed: World) -> None:
    mixed.tree.announce(mixed.connection.session("S"), {"targetId": "F", "url": "https://secret.example/"})
    assert not is_mixed_in_a_process(mixed.tree)
