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

from kapture.errors import Detached, DialogOpen, ErrorCode, KaptureError
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import read_denied

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
