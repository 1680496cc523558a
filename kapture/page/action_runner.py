"""Runs actions: makes the element ready, takes the steps, and keeps input from documents outside the grant."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import attrs
import trio

from kapture.cdp import CdpConnection, Condition, Skipped, has
from kapture.errors import Detached, DialogOpen, ElementNotFound, KaptureError
from kapture.page import program
from kapture.page.actionability import (
    IN_TAB,
    PendingReady,
    ReadyRequest,
    make_ready,
    request_for,
    request_in,
)
from kapture.page.documents.frame import ContextGone, Frame
from kapture.page.documents.frames import FrameTree
from kapture.page.element import ReadyElement
from kapture.page.input.input_guard import InputGuard, check_event, check_point, is_mixed, is_mixed_in_a_process
from kapture.page.input.keyboard import refusable
from kapture.page.input.mouse import InputEvent, InputQueue
from kapture.page.locator import Locator, resolve
from kapture.page.program import Purpose
from kapture.page.target import Target

_T = TypeVar("_T")


class ActionRunner:
    """Runs the actions of one tab. `touched` is called with each frame in which an element is acted on."""

    def __init__(
        self, connection: CdpConnection, frames: FrameTree, queue: InputQueue, touched: Callable[[Frame], None]
    ) -> None:
        self._connection = connection
        self._frames = frames
        self._queue = queue
        self._guard = InputGuard(frames)
        self._touched = touched
        self._handles = itertools.count(1)
        self.count = 0
        """Counts elements made ready and inputs sent."""

    async def ready(
        self,
        target: Target,
        purpose: Purpose,
        prepare: Mapping[str, Any] | None = None,
    ) -> ReadyElement:
        """Wait until the target's element is attached, visible, still, enabled, in view and not covered, as far as the
        purpose requires it; returns it.

        Waits until shortly before the deadline in force, then raises `ELEMENT_NOT_ACTIONABLE` with what is in the way.
        `prepare`: how to prepare a field at that moment (see kapture/page/actions/fill.py). The point
        is in the tab's viewport for purposes of the pointer, else in that of the
        element's frame.
        """

        async def attempt(locator: Locator) -> ReadyElement:
            return await self._checked(await make_ready(locator, purpose, prepare), purpose)

        return await self._in_frames(target, attempt)

    async def act(self, action: program.Action) -> Acted:
        """Make an element ready, as `ready` does, and take steps on it, in one message if possible."""

        async def attempt(locator: Locator) -> Acted:
            if locator.point is None:
                request = await request_for(locator, action.purpose, action.prepare)
                begun = self._begin(action, request, patient=True)
                if begun is not None:
                    return await self.finish(begun)
            ready = await self.ready(action.target, action.purpose, action.prepare)
            return await self._act_on(action, ready)

        return await self._in_frames(action.target, attempt)

    async def _in_frames(self, target: Target, attempt: Callable[[Locator], Awaitable[_T]]) -> _T:
        """Try with the frames that there are, and once more if none has the element but others have come meanwhile."""
        locator = resolve(self._frames, target)
        try:
            return await attempt(locator)
        except ElementNotFound:
            again = resolve(self._frames, target)
            if set(again.frames) <= set(locator.frames):
                raise
        return await attempt(again)

    def begin_all(self, actions: Sequence[program.Action]) -> list[BegunAction]:
        """Send several actions as one program. Each begins when the page has handled the input of the one before; only
        the first waits for its element. Returns the actions that could be sent, in order from the first."""
        begun: list[BegunAction] = []
        with self._connection.together():
            for action in actions:
                locator = resolve(self._frames, action.target)
                if locator.point is not None or len(locator.frames) > 1:
                    break
                request = request_in(locator.frames[0], locator, action.purpose, action.prepare)
                one = self._begin(action, request, patient=not begun)
                if one is None:
                    break
                begun.append(one)
        return begun

    async def run(self, steps: Sequence[program.Step]) -> list[program.Answer]:
        """Send the steps of an action together; see `kapture.page.program.run`.

        `POLICY_DENIED` when input came to a document outside the grant, which has refused it, or would come to one.
        """
        self.count += 1
        if is_mixed(self._frames):
            steps = [program.Input(refusable(one.events)) if isinstance(one, program.Input) else one for one in steps]
        async with self._guard.input():
            if is_mixed_in_a_process(self._frames):
                return await self._run_checked(steps)
            return await program.run(self._connection, self._queue, steps)

    async def send_input(self, events: Sequence[InputEvent]) -> None:
        """Send input events back to back, guarded as in `run`, and wait until the page has handled them."""
        await self.run([program.Input(events)])

    async def _run_checked(self, steps: Sequence[program.Step]) -> list[program.Answer]:
        """Send the steps event by event, and check before each where it would go.

        The guard of a frame is not always called first: the listeners that the frame had before the agent came to it
        are called before, and `document.open()` removes the guard. A frame in another process is out of the page's
        reach for as long as events that were sent together need.
        """
        answers: list[program.Answer] = []
        for part in program.event_by_event(steps):
            for event in program.events_of(part):
                await check_event(self._frames, event)
            answers += await program.run(self._connection, self._queue, part)
        return answers

    def _begin(self, action: program.Action, request: ReadyRequest, *, patient: bool) -> BegunAction | None:
        """Send the whole action as one program; returns None if that is not possible."""
        if is_mixed(self._frames):
            return None  # the hub must first check what is at the point, and guard documents outside the grant
        with self._connection.together():
            pending = request.begin(next(self._handles), patient=patient)
            if pending is None:
                return None
            conditions = pending.conditions(action.requires)
            sent = program.submit(self._connection, self._queue, action.steps(pending.aim), conditions)
        return BegunAction(action, pending, conditions, sent, patient)

    async def finish(self, begun: BegunAction) -> Acted:
        """Wait for the action. `Skipped` if it must be begun again: an earlier one ended the program, or it would have
        had to wait for its element."""
        action, pending, sent = begun.action, begun.pending, begun.sent
        try:
            async with self._guard.program():
                ready = await pending.finish()
                if all(condition.holds for condition in begun.conditions):
                    # The steps have been taken: what is at the point by now says nothing of where they went.
                    self._note(ready)
                    return ready, await sent.finish()
                ready = await self._checked(ready, action.purpose)
        except trio.Cancelled:
            sent.abandon()
            raise
        except ContextGone as error:
            if not begun.patient:
                raise Skipped from error
            if not pending.request.may_be_repeated:
                raise
            ready = await self.ready(action.target, action.purpose, action.prepare)
        except KaptureError as error:
            if begun.patient or isinstance(error, DialogOpen | Detached):
                raise
            raise Skipped from error  # it did not wait
        return await self._act_on(action, ready)

    async def _act_on(self, action: program.Action, ready: ReadyElement) -> Acted:
        if not all(has(ready.facts, path, value) for path, value in action.requires.items()):
            return ready, None
        return ready, await self.run(action.steps(ready.aim))

    async def _checked(self, ready: ReadyElement, purpose: Purpose) -> ReadyElement:
        if purpose in IN_TAB:
            await check_point(self._frames, ready.point)
        self._note(ready)
        return ready

    def _note(self, ready: ReadyElement) -> None:
        self.count += 1
        self._touched(ready.element.frame)


Acted: TypeAlias = tuple[ReadyElement, list[program.Answer] | None]
"""The element that was made ready, and the answers to the calls among the steps; None if no steps were taken."""


@attrs.frozen
class BegunAction:
    """An action that was sent as a program, or as part of one. `patient`: it waits for its element."""

    action: program.Action
    pending: PendingReady
    conditions: Sequence[Condition]
    sent: program.Submitted
    patient: bool
