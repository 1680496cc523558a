"""Running an action: making its element ready, taking its steps, and keeping input from documents outside the grant."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import trio

from kapture.cdp import CdpConnection, Scalar, has
from kapture.page import program
from kapture.page.actionability import IN_TAB, PendingReady, Purpose, ReadyRequest, make_ready, request_for
from kapture.page.element import ReadyElement
from kapture.page.execution_context import ContextGone
from kapture.page.frame import Frame
from kapture.page.frames import FrameTree
from kapture.page.grant_hit_test import check_point, is_mixed
from kapture.page.input_guard import guarded_input
from kapture.page.input_queue import InputEvent, InputQueue
from kapture.page.locator import resolve
from kapture.page.target import Target


class ActionRunner:
    """What runs the actions of one tab. `touched` is called with each frame in which an element is acted on."""

    def __init__(
        self, connection: CdpConnection, frames: FrameTree, queue: InputQueue, touched: Callable[[Frame], None]
    ) -> None:
        self._connection = connection
        self._frames = frames
        self._queue = queue
        self._touched = touched
        self._handles = itertools.count(1)

    async def ready(self, target: Target, purpose: Purpose, prepare: Mapping[str, Any] | None) -> ReadyElement:
        """See `Page.ready`."""
        return await self._checked(await make_ready(resolve(self._frames, target), purpose, prepare), purpose)

    async def act(
        self,
        target: Target,
        purpose: Purpose,
        steps: program.Steps,
        prepare: Mapping[str, Any] | None,
        requires: Mapping[str, Scalar],
    ) -> tuple[ReadyElement, list[program.Answer] | None]:
        """See `Page.act`."""
        ready = None
        locator = resolve(self._frames, target)
        if locator.point is None:
            request = await request_for(locator, purpose, prepare)
            if (begun := self._begin(request, steps, requires)) is not None:
                pending, sent = begun
                try:
                    ready = await self._checked(await pending.finish(), purpose)
                    if pending.holds(requires):
                        return ready, await sent.finish()
                except trio.Cancelled:
                    sent.abandon()
                    raise
                except ContextGone:
                    if not request.may_be_repeated:
                        raise
        if ready is None:
            ready = await self.ready(target, purpose, prepare)
        if not all(has(ready.facts, path, value) for path, value in requires.items()):
            return ready, None
        return ready, await self.run(steps(ready.aim))

    async def run(self, steps: Sequence[program.Step]) -> list[program.Answer]:
        """See `Page.run`."""
        async with guarded_input(self._frames):
            return await program.run(self._connection, self._queue, steps)

    async def send_input(self, events: Sequence[InputEvent]) -> None:
        """See `Page.send_input`."""
        async with guarded_input(self._frames):
            await self._queue.send(events)

    def _begin(
        self, request: ReadyRequest, steps: program.Steps, requires: Mapping[str, Scalar]
    ) -> tuple[PendingReady, program.Submitted] | None:
        """Send all of it as one program; None where that cannot be."""
        if is_mixed(self._frames):
            return None  # what lies at the point must be asked first, and input kept from what is outside the grant
        with self._connection.together():
            pending = request.begin(next(self._handles))
            if pending is None:
                return None
            return pending, program.submit(
                self._connection, self._queue, steps(pending.aim), pending.conditions(requires)
            )

    async def _checked(self, ready: ReadyElement, purpose: Purpose) -> ReadyElement:
        if purpose in IN_TAB:
            await check_point(self._frames, ready.point)
        self._touched(ready.element.frame)
        return ready
