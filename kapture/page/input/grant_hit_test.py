"""The documents that input would go to: trusted input goes to whatever is there, granted or not.

Checked only while some frame of the tab is outside the grant; otherwise nothing is sent.
"""

from __future__ import annotations

from kapture.cdp import CdpError
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.input.input_queue import InputEvent
from kapture.page.input.mouse import Point


def is_mixed(tree: FrameTree) -> bool:
    """Whether some frame of the tab is outside the grant."""
    return not all(frame.granted for frame in tree.all())


def is_mixed_in_a_process(tree: FrameTree) -> bool:
    """Whether some frame outside the grant shares its process with one inside, whose page can reach into it at once."""
    frames = tree.all()
    granted = {frame.session for frame in frames if frame.granted}
    return any(frame.session in granted and not frame.granted for frame in frames)


async def check_event(tree: FrameTree, event: InputEvent) -> None:
    """Raise `POLICY_DENIED` if this event, sent now, would go to a frame outside the grant.

    The pointer is free to move; a button is released, and a finger lifted, where it was pressed or put down, wherever
    it is by then; and a drag may be cancelled anywhere.
    """
    if event.method in ("Input.dispatchKeyEvent", "Input.insertText"):
        await check_focus(tree)
    elif event.method == "Input.dispatchTouchEvent":
        for touch in event.params["touchPoints"]:
            await check_point(tree, Point(touch["x"], touch["y"]))
    elif event.params["type"] not in ("mouseMoved", "mouseReleased", "dragCancel"):
        await check_point(tree, Point(event.params["x"], event.params["y"]))


async def check_point(tree: FrameTree, point: Point) -> None:
    """Raise `POLICY_DENIED` if a pointer at this point of the tab's viewport would hit a frame outside the grant."""
    if not is_mixed(tree):
        return
    local_root: Frame | None = tree.main
    while local_root is not None:
        local_root, point = await _step_into(tree, local_root, point)


async def check_focus(tree: FrameTree) -> None:
    """Raise `POLICY_DENIED` if keys would go to a frame outside the grant."""
    if is_mixed(tree):
        (await focused_frame(tree)).check_granted()


async def focused_frame(tree: FrameTree) -> Frame:
    """The innermost focused frame, granted or not."""
    frame = tree.main
    while key := await frame.call("focusedFrame"):
        frame = tree.get(key)
    return frame


async def _step_into(tree: FrameTree, local_root: Frame, point: Point) -> tuple[Frame | None, Point]:
    """Hit-test a point in the documents of one process. Returns the frame of another process that is there, if any, and
    the point in it."""
    send, session = local_root.renderer.send, local_root.session
    view = (await send(session, "Page.getLayoutMetrics", {}))["cssVisualViewport"]
    at = {"x": round(point.x + view["pageX"]), "y": round(point.y + view["pageY"])}
    try:
        hit = await send(session, "DOM.getNodeForLocation", {**at, "includeUserAgentShadowDOM": True})
        node = (await send(session, "DOM.describeNode", {"backendNodeId": hit["backendNodeId"]}))["node"]
    except CdpError:
        return None, point  # nothing is there
    if (frame := tree.by_id(hit["frameId"])) is not None:
        frame.check_granted()
    inner = tree.by_id(node.get("frameId", ""))
    if inner is None:
        return None, point
    inner.check_granted()
    if inner.session is session:
        return None, point
    box = (await send(session, "DOM.getBoxModel", {"backendNodeId": hit["backendNodeId"]}))["model"]["content"]
    return inner, Point(point.x - box[0], point.y - box[1])
