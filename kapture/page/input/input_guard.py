"""Keeps trusted input from documents outside the grant during an action.

That the pointer and the focus are over a granted document is checked before (`grant_hit_test`), but a
page can change that at the last moment: enlarge such a frame when the pointer moves, insert it between the clicks of a
double click, focus it when a key goes down, or go to another site itself. So every document of the tab that is outside
the grant refuses input until the gesture is over (kapture/page/agent/act/guards/input_guard.js), and reports whether
there was any. New documents refuse input by themselves, before any can reach them, until they are judged here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import copy_context

import trio

from kapture.cdp import CdpError
from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import read_denied
from kapture.page.input.mouse import InputEvent, Point


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


_ANSWERS_WITHIN_S = 2.0

_ON_ITS_WAY_S = 2.0
"""Input of a gesture that is over may still be on its way for so long: a page that goes away acknowledges none."""


class InputGuard:
    """The guard of one tab."""

    def __init__(self, tree: FrameTree) -> None:
        self._tree = tree
        self._gestures: list[Callable[[Frame], None]] = []
        self._ended_at = float("-inf")
        self._was_granted: Callable[[Frame], bool] = lambda _: True
        """Whether the call that made the last gesture may read a frame."""
        tree.follow_documents(self._judge)

    @asynccontextmanager
    async def input(self) -> AsyncIterator[None]:
        """Refuse input in ungranted documents during the block. Raises `POLICY_DENIED` at its end if there was any.

        Nothing is sent while every frame is granted.
        """
        outside = [frame for frame in self._tree.all() if not frame.granted and frame.why_silent != "crashed"]
        async with self._gesture(outside):
            if outside and (silent := await _call_all(outside, "refuseInput")):
                raise KaptureError(
                    ErrorCode.POLICY_DENIED,
                    f"Frame {silent[0].key} is outside this tab's grant and does not answer, so that input cannot be"
                    " kept from it.",
                    hint="Try again when the page has loaded, or ask the person to extend the grant.",
                )
            yield

    @asynccontextmanager
    async def program(self) -> AsyncIterator[None]:
        """The same for input that has been sent already, while every frame was granted."""
        outside = [frame for frame in self._tree.all() if not frame.granted and frame.why_silent != "crashed"]
        for frame in outside:
            frame.notify("refuseInput")
        async with self._gesture(outside):
            yield

    @asynccontextmanager
    async def _gesture(self, refusing: Sequence[Frame]) -> AsyncIterator[None]:
        """Guard documents that load during the block as well; at its end release those that are `refusing` already."""
        frames = list(refusing)
        call = copy_context()  # the gate needs the call in progress; events of the browser belong to no call

        def is_granted(frame: Frame) -> bool:
            return call.run(lambda: frame.granted)

        def came(frame: Frame) -> None:
            if is_granted(frame):
                frame.notify("acceptInput")
                return
            frame.notify("refuseInput")
            if frame not in frames:
                frames.append(frame)

        refused: list[Frame] = []
        self._gestures.append(came)
        try:
            yield
        finally:
            self._gestures.remove(came)
            self._was_granted, self._ended_at = is_granted, trio.current_time()
            if frames:
                with trio.CancelScope(shield=True):
                    await _call_all(frames, "acceptInput", refused)
        if refused:
            error = read_denied(refused[0].policy_url, f"Frame {refused[0].key}")
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"The page moved a frame outside the grant in the way; no input reached it. {error.message}",
                hint=error.advice,
                data=error.data,
            )

    def _judge(self, frame: Frame) -> None:
        """A new document has its agent, and refuses input so far."""
        if self._gestures:
            for came in tuple(self._gestures):
                came(frame)
            return
        if trio.current_time() < self._ended_at + _ON_ITS_WAY_S and not self._was_granted(frame):
            frame.notify("refuseInput")  # and then what is still on its way
        frame.notify("acceptInput")


async def _call_all(frames: Sequence[Frame], function: FunctionName, refused: list[Frame] | None = None) -> list[Frame]:
    """Call the agents of all frames at once; returns those that did not answer in time, or are out of reach. A frame
    that is gone counts as answered; those that refused input are added to `refused`."""
    silent = list(frames)

    async def call(frame: Frame) -> None:
        if frame.why_silent:
            return  # a person sees it, and input reaches it
        try:
            answer = await frame.call(function)
        except (Detached, DialogOpen):
            answer = None  # it is gone: nothing can be sent to it
        silent.remove(frame)
        if refused is not None and answer and answer["refused"]:
            refused.append(frame)

    with trio.move_on_after(_ANSWERS_WITHIN_S):
        async with trio.open_nursery() as nursery:
            for frame in frames:
                nursery.start_soon(call, frame)
    return silent
