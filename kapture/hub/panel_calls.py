"""Commands that a tab's own panel runs (`invoke`): through the same queue as all others, answered on its socket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import trio

from kapture.backends.outbox import Outbox
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages
from kapture.wire.codec import encode


class PanelCalls:
    """The calls of one session's panel that run now, at most `limit`. `call` runs a command on the session's tab."""

    def __init__(
        self, call: Callable[[str, Mapping[str, Any]], Awaitable[CallResult]], outbox: Outbox, limit: int
    ) -> None:
        self._call = call
        self._outbox = outbox
        self._limit = limit
        self._running: dict[str, trio.CancelScope] = {}

    def start(self, nursery: trio.Nursery, message: messages.Invoke) -> None:
        """Run it in this nursery."""
        if len(self._running) >= self._limit or message.id in self._running:
            full = KaptureError(
                ErrorCode.QUEUE_FULL,
                f"The panel has {self._limit} commands running already, or one with this id.",
                hint="Wait for their results.",
            )
            self._outbox.offer(encode(_failed(message.id, full)))
            return
        scope = self._running[message.id] = trio.CancelScope()
        nursery.start_soon(self._run, message, scope)

    def cancel(self, key: str) -> None:
        """The panel cancels one."""
        if (scope := self._running.get(key)) is not None:
            scope.cancel()

    async def _run(self, message: messages.Invoke, scope: trio.CancelScope) -> None:
        result = _failed(message.id, KaptureError(ErrorCode.CANCELLED, "Cancelled in the panel."))
        try:
            with scope:
                answer = await self._call(message.command, message.params)
                result = messages.Result(id=message.id, success=True, result=_to_wire(answer))
        except KaptureError as error:
            result = _failed(message.id, error)
        finally:
            del self._running[message.id]
        try:
            self._outbox.put(encode(result))
        except KaptureError as error:
            self._outbox.offer(encode(_failed(message.id, error)))


def _to_wire(answer: CallResult) -> dict[str, Any]:
    parts = [{"base64": part.base64, "mimeType": part.mime_type, "name": part.name} for part in answer.parts]
    return {"text": answer.text, "data": answer.data, "parts": parts}


def _failed(key: str, error: KaptureError) -> messages.Result:
    failure = messages.WireError(code=error.code.value, message=error.message, hint=error.hint, data=error.data or None)
    return messages.Result(id=key, success=False, error=failure)
