"""An action as a program: its steps in the browser, in order, as data.

An action describes what to send instead of sending it, so that all of it can travel as one message and run next to the
browser (`kapture.cdp.program`). It begins by making its element ready; the steps after that act on an `Aim`, whose
point may be known already or be a result reference to the first step's result. They run only if the element was ready
at once: after any wait the hub first checks what has changed meanwhile (grants, frames), and sends the same steps by
themselves. So every action is written once, and runs in one message or in several.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import attrs
import trio

from kapture.cdp import CdpConnection, Condition, PendingReply, Scalar, Skipped
from kapture.errors import KaptureError
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frame import ContextGone, Frame
from kapture.page.input.mouse import InputEvent, InputQueue, PendingPoint, Point
from kapture.page.target import Target

Purpose: TypeAlias = Literal["click", "hover", "drop", "aim", "type", "fill", "select", "focus", "scroll", "file"]
"""The purpose for which an element is made ready."""


@attrs.frozen
class Input:
    """Trusted input events, in order. The step ends when the page has handled them."""

    events: Sequence[InputEvent]


@attrs.frozen
class AgentCall:
    """A call of an agent's function, after the steps before it."""

    frame: Frame
    function: FunctionName
    args: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Aim:
    """The target of steps: the element that the agent in `frame` knows by `handle`, at a point of the tab's viewport.
    `handle` is None if the target is a point, whatever is there."""

    frame: Frame
    point: Point | PendingPoint
    handle: int | None


Step: TypeAlias = Input | AgentCall
Steps: TypeAlias = Callable[[Aim], Sequence[Step]]


@attrs.frozen
class Action:
    """Steps on an element that was made ready for a purpose. `prepare`: how it is prepared at that moment.

    The steps are taken only if the agent's answer (`ReadyElement.facts`) has the required values at these paths.
    """

    target: Target
    purpose: Purpose
    steps: Steps
    prepare: Mapping[str, Any] | None = None
    requires: Mapping[str, Scalar] = attrs.field(factory=dict)


Answer: TypeAlias = Callable[[], Awaitable[Any]]
"""Waits for the value of one call; raises its error."""


@attrs.frozen
class Submitted:
    """Steps that were sent. `answers` has one item for each call, in order."""

    answers: list[Answer]
    _queue: InputQueue
    _input: list[PendingReply]
    _calls: list[PendingReply]

    async def finish(self) -> list[Answer]:
        """Wait until the page has handled the input; returns the answers."""
        try:
            await self._queue.finish(self._input)
        except trio.Cancelled:
            self.abandon()
            raise
        return self.answers

    def abandon(self) -> None:
        """Stop waiting: steps that have not begun are skipped."""
        for reply in (*self._input, *self._calls):
            reply.fail(Skipped())


def submit(
    connection: CdpConnection, queue: InputQueue, steps: Sequence[Step], requires: Sequence[Condition] = ()
) -> Submitted:
    """Send all steps together, with what else is sent in the same `CdpConnection.together`. They run only if their
    requirements are met."""
    answers: list[Answer] = []
    inputs: list[PendingReply] = []
    calls: list[PendingReply] = []
    with connection.together():
        for step in steps:
            first = not inputs and not calls
            hangs: dict[str, Any] = {"wait_for_previous": not first, "requires": requires if first else ()}
            if isinstance(step, Input):
                inputs += queue.submit(step.events, **hangs)
            elif (call := step.frame.begin(step.function, step.args, **hangs)) is not None:
                calls.append(call.reply)
                answers.append(call.finish)
            else:
                # If a document is still being created, its agent is called when the answer is awaited.
                answers.append(partial(step.frame.call, step.function, step.args))
    return Submitted(answers, queue, inputs, calls)


async def run(connection: CdpConnection, queue: InputQueue, steps: Sequence[Step]) -> list[Answer]:
    """Send all steps together. Returns when the page has handled the input, with one answer for each call, in order."""
    return await submit(connection, queue, steps).finish()


def event_by_event(steps: Sequence[Step]) -> list[list[Step]]:
    """The same steps in parts of at most one input event each, which comes after the calls of its part; calls after the
    last event belong to its part."""
    parts: list[list[Step]] = []
    calls: list[Step] = []
    for step in steps:
        if isinstance(step, AgentCall):
            calls.append(step)
            continue
        for event in step.events:
            parts.append([*calls, Input([event])])
            calls = []
    if parts:
        parts[-1] += calls
        return parts
    return [calls] if calls else []


def events_of(steps: Sequence[Step]) -> list[InputEvent]:
    """All input events of the steps."""
    return [event for step in steps if isinstance(step, Input) for event in step.events]


async def outcome_of(answer: Answer, awaited: AwaitedDocument) -> Any | KaptureError:
    """The value of a call, or its error; `ContextGone` if the action has led away from the document meanwhile, to one
    that is still waited for."""
    try:
        with awaited.asked_in_time():
            return await answer()
    except KaptureError as error:
        return error
    return ContextGone()
