"""An action as a program: the steps that it takes in the browser, in order, as data.

An action says here what is to be sent instead of sending it, so that all of it can travel as one message, to be run
near the browser. Every step's parameters are known when the program is built; a step that takes values from the
answer to an earlier one would be a further kind of step, and nothing but this module would have to run it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import attrs

from kapture.cdp import CdpConnection
from kapture.errors import KaptureError
from kapture.page.agent_functions import FunctionName
from kapture.page.frame import Frame
from kapture.page.input_queue import InputEvent, InputQueue


@attrs.frozen
class Input:
    """Trusted input events, one after the other. They are over when the page has handled them."""

    events: Sequence[InputEvent]


@attrs.frozen
class AgentCall:
    """A call of an agent's function, once the steps before it are over."""

    frame: Frame
    function: FunctionName
    args: Mapping[str, Any] = attrs.field(factory=dict)


Step: TypeAlias = Input | AgentCall
Answer: TypeAlias = Callable[[], Awaitable[Any]]
"""Waits for the value of one call; raises what it failed with."""


async def run(connection: CdpConnection, queue: InputQueue, steps: Sequence[Step]) -> list[Answer]:
    """Send all steps together. Returns when the input has been handled; one answer for each call, in order."""
    replies = []
    answers: list[Answer] = []
    with connection.together():
        for at, step in enumerate(steps):
            if isinstance(step, Input):
                replies += queue.submit(step.events, after=at > 0)
                continue
            call = step.frame.begin(step.function, step.args, after=at > 0)
            # What cannot begin at once, as in a document that is being made, is called when its answer is asked for.
            answers.append(partial(step.frame.call, step.function, step.args) if call is None else call.finish)
    await queue.finish(replies)
    return answers


async def outcome_of(answer: Answer) -> Any | KaptureError:
    """The value, or the failure."""
    try:
        return await answer()
    except KaptureError as error:
        return error
