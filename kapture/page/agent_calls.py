"""Calls of the agent's functions in a frame's current document."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

import attrs
import trio

from kapture.cdp import CdpError, Condition, PendingReply, ResultReference, is_gone
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_answers import AgentAnswer, agent_error, is_missing, thrown
from kapture.page.agent_functions import FUNCTIONS, FunctionName
from kapture.page.documents.frame import (
    AGENT_WORLD,
    ContextGone,
    ExecutionContext,
    Frame,
    Renderer,
    World,
    announce_children,
    has_new_children,
)
from kapture.page.introspection import ClickListeners, Worlds, adopt_closed_roots, adopt_internals, element_internals
from kapture.page.settling.table import agent_times
from kapture.wire.codec import decode_json


@cache
def agent_source() -> str:
    """The text of `agent.bundle.js`, after the times that it needs. Evaluating it twice in one document is harmless."""
    bundle = (Path(__file__).parent / "agent.bundle.js").read_text(encoding="utf-8")
    return f"globalThis.kaptureTimes={json.dumps(agent_times())};{bundle}"


@attrs.frozen
class AgentCall:
    """A call of the agent that was sent. `number` identifies it for cancelling. `first` is evaluated before it: it
    passes what the hub has found out for the call."""

    calls: AgentCalls
    frame: Frame
    context: ExecutionContext
    function: FunctionName
    args: Mapping[str, Any]
    into: Any
    number: int
    first: str
    expression: str
    reply: PendingReply

    @property
    def value(self) -> ResultReference:
        """A reference to its value, for later steps of the same program."""
        return ResultReference(self.reply, "/result/value/value")

    async def finish(self) -> Any:
        """Wait for its value, decoded from JSON; see `Frame.call`."""
        return await self.calls.finish(self)


class AgentCalls:
    """Calls to the agents of one tab (`kapture.page.documents.frame.Agent`)."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self._numbers = itertools.count(1)
        self._click_listeners = ClickListeners()

    async def call(self, frame: Frame, function: FunctionName, args: Mapping[str, Any], *, into: Any) -> Any:
        """See `Frame.call`."""
        retry = FUNCTIONS[function].may_retry(args)
        for more in (retry, retry, retry, False):
            try:
                return await self._call_once(frame, function, args, into=into)
            except ContextGone:
                if not more or frame.detached:
                    raise
        raise AssertionError("unreachable")

    def begin(
        self,
        frame: Frame,
        function: FunctionName,
        args: Mapping[str, Any],
        *,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> AgentCall | None:
        """Send a call without waiting; None if that is not possible at once. `AgentCall.finish` waits.
        `wait_for_previous`, `requires`: see `kapture.cdp.CdpCommand`."""
        context = frame.current_context()
        if context is None or self._must_announce(frame, context, function):
            return None
        if FUNCTIONS[function].gated:
            frame.check_granted()
        return self._begin(
            frame, context, function, args, into=Any, wait_for_previous=wait_for_previous, requires=requires
        )

    async def finish(self, call: AgentCall) -> Any:
        """Wait for the value of a call."""
        frame, context = call.frame, call.context
        try:
            outcome = await self.renderer.finish(call.reply)
            if is_missing(outcome):
                await self.renderer.evaluate(context, agent_source())
                if FUNCTIONS[call.function].gated:  # the agent is new, the document is granted and is not
                    await self.renderer.evaluate(context, _notice(frame, "acceptInput"))
                outcome = await self.renderer.evaluate(context, call.expression)
        except trio.Cancelled:
            # Cancel what waits inside the page: it must not scroll or fill after its caller has given up.
            with suppress(KaptureError):  # the connection's buffer is full, or the connection has ended
                self.renderer.submit(context, f"kapture.cancel({call.number})")
            raise
        if "exceptionDetails" in outcome:
            raise thrown(outcome["exceptionDetails"])
        answer: AgentAnswer = decode_json(outcome["result"]["value"], AgentAnswer)
        frame.top_ref = max(frame.top_ref, answer.top)
        if answer.error is not None:
            raise agent_error(answer.error, frame.ref)
        if answer.ask is not None:
            first = call.first + await self._find_out(frame, context, answer.ask, answer.roots)
            args = call.args if answer.timeout is None else {**call.args, "timeout": answer.timeout}
            return await self._call_once(frame, call.function, args, into=call.into, first=first)
        if answer.hosts and await adopt_closed_roots(self.renderer, context):
            return await self._call_once(frame, call.function, call.args, into=call.into)
        return answer.decode(call.into)

    def notify(self, frame: Frame, function: FunctionName) -> PendingReply | None:
        """Call a function without arguments and without waiting, if the document exists. Nothing may depend on it."""
        context = frame.current_context()
        if context is None or self.renderer.is_blocked:
            return None
        return self.renderer.submit(context, _notice(frame, function))

    async def context(self, frame: Frame, world: World) -> ExecutionContext:
        """See `Frame.context`."""
        while True:
            if frame.detached:
                raise ContextGone
            if frame.crashed:
                raise KaptureError(ErrorCode.DETACHED, "The page has crashed.", hint="Reload it or navigate.")
            if frame.why_silent == "out of reach":
                raise KaptureError(
                    ErrorCode.DETACHED,
                    f"Frame {frame.key} is in another process, which a relay cannot reach.",
                    hint="Open the frame's address in a tab of its own, or use another connection to the browser.",
                )
            if found := frame.current_context(world):
                return found
            upcoming = frame.contexts.changed.upcoming
            await self._make_world(frame)
            if not frame.current_context(world):
                await upcoming.wait()  # it is navigating, or moving to another process

    async def _call_once(
        self,
        frame: Frame,
        function: FunctionName,
        args: Mapping[str, Any],
        *,
        into: Any,
        first: str = "",
    ) -> Any:
        context = await self.context(frame, AGENT_WORLD)
        if self._must_announce(frame, context, function):
            await announce_children(self.renderer, frame, context)
        if frame.current_context() is not context:
            raise ContextGone
        if FUNCTIONS[function].gated:
            frame.check_granted()
        return await self._begin(frame, context, function, args, into=into, first=first).finish()

    def _begin(
        self,
        frame: Frame,
        context: ExecutionContext,
        function: FunctionName,
        args: Mapping[str, Any],
        *,
        into: Any,
        first: str = "",
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> AgentCall:
        number = next(self._numbers)
        expression = f"{first}kapture.run({json.dumps(function)},{json.dumps(args)},{frame.top_ref},{number})"
        reply = self.renderer.submit(context, expression, wait_for_previous=wait_for_previous, requires=requires)
        return AgentCall(self, frame, context, function, args, into, number, first, expression, reply)

    async def _find_out(
        self,
        frame: Frame,
        context: ExecutionContext,
        what: Literal["internals", "listeners"],
        roots: int,
    ) -> str:
        """Ask the browser what the agent cannot see; returns the expression that passes the result to the agent."""

        async def ask(commands: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any] | CdpError]:
            return await self.renderer.send_all(context.session, commands, context)

        if what == "internals":
            return adopt_internals(await element_internals(ask, {"uniqueContextId": context.context_id}))
        return await self._click_listeners.find_out(ask, context, _worlds(frame, context), roots)

    def _must_announce(self, frame: Frame, context: ExecutionContext, function: FunctionName) -> bool:
        return FUNCTIONS[function].needs_frames and has_new_children(frame, context)

    async def _make_world(self, frame: Frame) -> None:
        """Create the agent's world. A document that has run no script has no contexts; this creates both."""
        world = {"frameId": frame.id, "worldName": AGENT_WORLD}
        try:
            await self.renderer.send(frame.session, "Page.createIsolatedWorld", world)
        except KaptureError as error:
            if not is_gone(error):
                raise


def _worlds(frame: Frame, context: ExecutionContext) -> Worlds:
    page = frame.current_context("main")
    main = None if page is None or page.session is not context.session else {"uniqueContextId": page.context_id}
    return Worlds({"uniqueContextId": context.context_id}, context.number, main)


def _notice(frame: Frame, function: FunctionName) -> str:
    return f"kapture.run({json.dumps(function)},{{}},{frame.top_ref},0)"
