"""Telling the agent which of its elements shows which frame."""

from __future__ import annotations

from kapture.page.documents.frame import Renderer, announce_children, has_new_children
from tests.unit.page.frame_world import World


async def test_the_handles_of_frame_elements_are_released_once_the_agent_has_their_keys() -> None:
    world = World()
    world.run_scripts()
    for frame_id in ("A", "B"):
        world.attach(frame_id)
    world.replies["DOM.getFrameOwner"] = {"backendNodeId": 7}
    world.replies["DOM.resolveNode"] = {"object": {"objectId": "1.2.3"}}
    world.replies["Runtime.callFunctionOn"] = {"result": {"type": "undefined"}}
    main, context = world.tree.main, world.tree.main.current_context()
    assert context is not None
    assert has_new_children(main, context)
    await announce_children(Renderer(lambda: None), main, context)
    assert not has_new_children(main, context)
    told = ["DOM.getFrameOwner", "DOM.resolveNode", "Runtime.callFunctionOn"]
    assert world.sent == [*told, *told, "Runtime.releaseObjectGroup"]
