"""CDP commands over the connection of a tab in a browser with Kapture's extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from kapture.backends.tab_connection import TabConnection
from kapture.cdp import CdpCommand, CdpError, PendingReply, Refusal, ResultReference, Skipped, run_program
from kapture.errors import Detached, ErrorCode, ExecutionFailed, KaptureError
from kapture.wire import messages
from kapture.wire.envelope import WireError


class SessionEnded(Detached):
    """The debugger's session ended while a command ran."""


class ExtensionTransport:
    """`CdpTransport` over the tab's socket."""

    def __init__(self, connection: TabConnection) -> None:
        self._connection = connection
        self._programs: dict[str, _Program] = {}
        """The running programs, by the ids of their messages."""

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        """Send one command."""
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
        """Send a program, in one message if the tab supports that."""
        if len(commands) == 1 or "cdp_all" not in self._connection.capabilities:
            run_program(self.submit, commands)
            return
        try:
            program_id, response = self._connection.submit("cdp_all", {"commands": _written(commands)})
        except KaptureError as error:
            for one in commands:
                one.reply.fail(error)
            return
        program = _Program(commands, self._connection.failure, lambda: self._connection.cancel(program_id))
        self._programs[program_id] = program

        def ended(response: PendingReply) -> None:
            del self._programs[program_id]
            program.finish(response)

        response.then(ended)

    def choose_events(self, methods: frozenset[str] | None) -> None:
        """Ask the tab to send no other events, if it supports that."""
        if "cdp_events" in self._connection.capabilities:
            self._connection.submit("cdp_events", {"methods": None if methods is None else sorted(methods)})

    def take_answers(self, program_id: str, answers: Sequence[messages.CdpAnswer | None]) -> None:
        """Settle the replies of a program's commands that were answered; the others may take a while."""
        if program := self._programs.get(program_id):
            program.take(answers)


class _Program:
    """A program that runs in the tab. Each reply settles once: with its answer, or because it cannot come any more."""

    def __init__(
        self,
        commands: Sequence[CdpCommand],
        failure: Callable[[WireError], KaptureError],
        cancel: Callable[[], None],
    ) -> None:
        self._commands = commands
        self._unanswered = {one.reply for one in commands}
        self._failure = failure
        self._cancel = cancel
        self._cancelled = False
        for one in commands:
            one.reply.then(self._settled)

    def take(self, answers: Sequence[messages.CdpAnswer | None]) -> None:
        """Settle the replies of commands that were answered."""
        for one, answer in zip(self._commands, answers, strict=False):
            if answer is None:
                continue
            self._unanswered.discard(one.reply)
            if answer.skipped:
                one.reply.fail(Skipped())
            elif answer.error is not None:
                one.reply.fail(_refusal(one.method, self._failure(answer.error)))
            else:
                one.reply.resolve(answer.result)

    def finish(self, response: PendingReply) -> None:
        """Settle the remaining replies."""
        try:
            self.take(_answers(response, len(self._commands)))
            failure = KaptureError(ErrorCode.PROTOCOL_ERROR, "The tab did not answer this command of a program.")
        except KaptureError as error:
            failure = error
        for reply in tuple(self._unanswered):
            self._unanswered.discard(reply)
            reply.fail(failure)

    def _settled(self, reply: PendingReply) -> None:
        """Cancel the rest of the program when a reply was failed early (a dialog opened, the document went away)."""
        if reply in self._unanswered and reply.error is not None and not self._cancelled:
            self._cancelled = True
            self._cancel()


def _wrapped(method: str, params: Mapping[str, Any], session_id: str | None) -> dict[str, Any]:
    """One CDP command as a wire object."""
    wrapped: dict[str, Any] = {"method": method, "params": dict(params)}
    if session_id is not None:
        wrapped["sessionId"] = session_id
    return wrapped


def _written(commands: Sequence[CdpCommand]) -> list[dict[str, Any]]:
    """A program as a wire object (docs/PROTOCOL.md, "Programs")."""
    index = {one.reply: at for at, one in enumerate(commands)}

    def reference(to: ResultReference) -> dict[str, Any]:
        return {"resultOf": index[to.reply], "path": to.path}

    written = []
    for one in commands:
        params = dict(one.params)
        for name, value in one.params.items():
            if isinstance(value, ResultReference):
                params[f"#{name}"] = reference(params.pop(name))
        command = _wrapped(one.method, params, one.session_id)
        if one.wait_for_previous:
            command["waitForPrevious"] = True
        if one.requires:
            command["requires"] = [{**reference(rule.place), "value": rule.value} for rule in one.requires]
        written.append(command)
    return written


def _answers(response: PendingReply, count: int) -> list[messages.CdpAnswer | None]:
    """The answers to a `cdp_all`; raises its error, or `PROTOCOL_ERROR`."""
    try:
        answers = msgspec.convert(response.value(), messages.CdpAnswers).answers
    except msgspec.ValidationError as error:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab's answers cannot be read: {error}.") from error
    if len(answers) != count:
        raise KaptureError(ErrorCode.PROTOCOL_ERROR, f"The tab answered {len(answers)} commands of {count}.")
    return answers


def _refusal(method: str, error: KaptureError) -> KaptureError:
    """The error of a CDP command that was not done: `CdpError` if the browser itself refused it."""
    if Refusal.DEBUGGER_DETACHED.explains(error.message):
        return SessionEnded(
            ErrorCode.DETACHED,
            "The tab was closed, or its debugger detached, while this ran.",
            hint="It may have taken effect. List the tabs to see which are connected.",
        )
    if isinstance(error, ExecutionFailed) and "limitBytes" not in error.data:
        code = error.data.get("cdpCode")
        return CdpError(method, error.message, code if isinstance(code, int) else -32000, error.data.get("cdpData"))
    return error
