"""The elements of a document that show its child frames.

Scripts cannot tell which frame an element shows, but the browser can: the agent gets the key of each, once per
document.
"""

from __future__ import annotations

from typing import Any

from kapture.cdp import CdpError
from kapture.page.documents.execution_context import ContextGone, ExecutionContext
from kapture.page.documents.frame import Frame
from kapture.page.documents.renderer import Renderer
from kapture.page.object_group import object_group, release_group


def has_new_children(frame: Frame, context: ExecutionContext) -> bool:
    """Whether the agent in this context does not know the elements of some child frames yet."""
    return any(child.owner_known_in != context.context_id for child in frame.children)


async def announce_children(renderer: Renderer, frame: Frame, context: ExecutionContext) -> None:
    """Tell the agent which of its elements shows which frame."""

    async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await renderer.send(context.session, method, params, context)

    group = object_group("owners")
    try:
        for child in tuple(frame.children):
            if child.owner_known_in == context.context_id:
                continue
            try:
                owner = await send("DOM.getFrameOwner", {"frameId": child.id})
                node = {"backendNodeId": owner["backendNodeId"], "executionContextId": context.number}
                handle = await send("DOM.resolveNode", {**node, "objectGroup": group})
                await send(
                    "Runtime.callFunctionOn",
                    {
                        "objectId": handle["object"]["objectId"],
                        "functionDeclaration": "function(key){kapture.adoptFrame(this,key)}",
                        "arguments": [{"value": child.key}],
                    },
                )
            except (CdpError, ContextGone):
                pass  # the child or the document has gone; in the latter case the call that follows fails too
            child.owner_known_in = context.context_id
    finally:
        # The handles would keep elements that the page removes in its memory.
        release_group(context.session, group)


async def owner_quad(frame: Frame) -> list[float]:
    """The corners of the content box of a frame's element in its parent's viewport: x and y, clockwise from the top
    left. Unlike boxes they show how the element is rotated or skewed."""
    parent = frame.parent
    if parent is None:
        raise ValueError("the main frame has no owner")
    context = await parent.context()
    owner = await parent.renderer.send(context.session, "DOM.getFrameOwner", {"frameId": frame.id}, context)
    box = await parent.renderer.send(
        context.session, "DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}, context
    )
    quad: list[float] = box["model"]["content"]
    return quad
