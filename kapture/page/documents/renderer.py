"""Commands that a renderer must answer.

Every wait for a reply ends: with the reply, or with an error as soon as the execution context is destroyed, its process
crashes, or a dialog blocks it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from kapture.cdp import CdpError, CdpSession, Condition, PendingReply, Skipped, is_gone
from kapture.cdp.pending_replies import RENDERER
from kapture.errors import KaptureError
from kapture.page.documents.execution_context import ContextGone, ExecutionContext

WaitForReply: TypeAlias = Callable[[PendingReply], Awaitable[dict[str, Any]]]
"""Waits for a reply; by default `PendingReply.wait`."""


class Renderer:
    """The renderer processes of one tab. `blocked` returns the error of what blocks them, if anything does."""

    def __init__(self, blocked: Callable[[], KaptureError | None]) -> None:
        self._blocked = blocked

    @property
    def is_blocked(self) -> bool:
        """Whether a dialog is open, so that no renderer would reply now."""
        return self._blocked() is not None

    async def send(
        self,
        session: CdpSession,
        method: str,
        params: Mapping[str, Any],
        context: ExecutionContext | None = None,
        *,
        wait: WaitForReply = PendingReply.wait,
    ) -> dict[str, Any]:
        """Send and wait for the result. `ContextGone` if the context is destroyed, `CdpError` for other refusals."""
        if blocked := self._blocked():
            raise blocked
        return await self.finish(session.submit(method, params, needs=_needs(context)), wait)

    async def send_all(
        self,
        session: CdpSession,
        commands: Sequence[tuple[str, Mapping[str, Any]]],
        context: ExecutionContext | None = None,
    ) -> list[dict[str, Any] | CdpError]:
        """Send all together, as `CdpSession.submit_all`; returns each one's result, or the browser's refusal."""
        if blocked := self._blocked():
            raise blocked
        return await self.finish_all(commands, session.submit_all(commands, needs=_needs(context)))

    async def finish_all(
        self, commands: Sequence[tuple[str, Mapping[str, Any]]], replies: Sequence[PendingReply]
    ) -> list[dict[str, Any] | CdpError]:
        """Wait for the results, or refusals, of commands submitted with `CdpSession.submit_all`."""
        answers: list[dict[str, Any] | CdpError] = []
        for (method, _), reply in zip(commands, replies, strict=True):
            try:
                answers.append(await self.finish(reply))
            except CdpError as error:
                answers.append(error)
            except Skipped as error:
                answers.append(CdpError(method, error.message))
        return answers

    async def evaluate(
        self, context: ExecutionContext, expression: str, *, await_promise: bool = True, user_gesture: bool = False
    ) -> dict[str, Any]:
        """`Runtime.evaluate` by value in one context; returns the CDP result."""
        return await self.finish(
            self.submit(context, expression, await_promise=await_promise, user_gesture=user_gesture)
        )

    def submit(
        self,
        context: ExecutionContext,
        expression: str,
        *,
        await_promise: bool = True,
        user_gesture: bool = False,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> PendingReply:
        """As `evaluate`, without waiting; `finish` waits. `wait_for_previous`, `requires`: see `CdpCommand`."""
        if blocked := self._blocked():
            reply = PendingReply()
            reply.fail(blocked)
            return reply
        params = {
            "expression": expression,
            "uniqueContextId": context.context_id,
            "awaitPromise": await_promise,
            "returnByValue": True,
            "userGesture": user_gesture,
        }
        return context.session.submit(
            "Runtime.evaluate",
            params,
            wait_for_previous=wait_for_previous,
            requires=requires,
            needs=context.context_id,
        )

    async def finish(self, reply: PendingReply, wait: WaitForReply = PendingReply.wait) -> dict[str, Any]:
        """Wait for the result of a submitted command."""
        try:
            return await wait(reply)
        except CdpError as error:
            if is_gone(error):
                raise ContextGone from error
            raise


def _needs(context: ExecutionContext | None) -> str:
    return RENDERER if context is None else context.context_id
