"""CDP commands over the connection of a tab in a browser with our extension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kapture.backends.tab_connection import TabConnection, wire_failure
from kapture.cdp import CdpCommand, CdpError, PendingReply, Refusal, submit_each
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError
from kapture.wire import messages


class ExtensionTransport:
    """`CdpTransport` over the tab's socket."""

    def __init__(self, connection: TabConnection) -> None:
        self._connection = connection

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Hand over one command."""
        _, response = self._connection.submit("cdp", _wrapped(method, params, session_id))
        reply = PendingReply()

        def settle(response: PendingReply) -> None:
            if response.error is None:
                reply.resolve(response.value())
            else:
                reply.fail(_refusal(method, response.error))

        response.then(settle)
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        """Hand over several, in one message where the tab takes that."""
        if len(commands) == 1 or "cdp_all" not in self._connection.capabilities:
            submit_each(self.submit, commands)
            return
        wrapped = [
            {**_wrapped(one.method, one.params, one.session_id), **({"after": True} if one.after else {})}
            for one in commands
        ]
        try:
            _, response = self._connection.submit("cdp_all", {"commands": wrapped})
        except KaptureError as error:
            response = PendingReply()
            response.fail(error)
        response.then(lambda response: _settle_all(commands, response))


def _wrapped(method: str, params: Mapping[str, Any], session_id: str | None) -> dict[str, Any]:
    """One CDP command as the wire has it."""
    wrapped: dict[str, Any] = {"method": method, "params": dict(params)}
    if session_id is not None:
        wrapped["sessionId"] = session_id
    return wrapped


def _settle_all(commands: Sequence[CdpCommand], response: PendingReply) -> None:
    try:
        answers = _answers(response, len(commands))
    except KaptureError as error:
        for one in commands:
            one.reply.fail(error)
        return
    for one, answer in zip(commands, answers, strict=True):
        if answer.error is None:
            one.reply.resolve(answer.result)
        else:
            one.reply.fail(_refusal(one.method, wire_failure(answer.error)))


def _answers(response: PendingReply, count: int) -> list[messages.CdpAnswer]:
    """The answers to a `cdp_all`; else why there are none, or `PROTOCOL_ERROR`."""
    try:
        answers = msgspec.convert(response.value(), messages.CdpAnswers).answers
    except msgspec.ValidationError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab's answers cannot be read: {error}.") from error
    if len(answers) != count:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab answered {len(answers)} commands of {count}.")
    return answers


def _refusal(method: str, error: KaptureError) -> KaptureError:
    """Why a CDP command was not done: what the browser itself refuses is a `CdpError`."""
    if Refusal.DEBUGGER_DETACHED.explains(error.message):
        return KaptureError(
            ErrorCode.DETACHED,
            "The tab was closed, or its debugger detached, while this ran.",
            hint="It may have taken effect. List the tabs to see which are connected.",
        )
    if isinstance(error, ExecutionFailed):
        code = error.data.get("cdpCode")
        return CdpError(method, error.message, code if isinstance(code, int) else -32000)
    return error
