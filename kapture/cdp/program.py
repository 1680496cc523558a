"""Programs: CDP commands that are sent together; later ones may use the results of earlier ones.

A parameter may be a *result reference*: a value in the result of an earlier command, named by its path there, as in
JMAP (RFC 8620, section 3.7) and in Cap'n Proto's promise pipelining. A command may also *require* certain values in
earlier results; if they differ, the program ends, and this command and all after it are skipped. So a whole action
(find the button, press it, ask for the outcome) needs no round trip in between.

A transport that carries a program in one message leaves it to the other end, which runs it next to the browser
(docs/PROTOCOL.md, "Programs"; extension/worker/tab/program.js). For all others `run_program` runs it here. Both behave
alike (tests/wire/programs.json).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs
import trio

from kapture.errors import ErrorCode, KaptureError

Json: TypeAlias = dict[str, Any]

BROWSER = None
"""Needs no renderer: answered even while a dialog is open."""
RENDERER = "renderer"
"""Needs the renderer of its session, in any execution context."""
INPUT = "input"
"""An input event: delivered even if the page never acknowledges it."""


class PendingReply:
    """The answer to one submitted command, awaited at most once, by any task."""

    __slots__ = ("_callbacks", "_done", "_error", "_result")

    def __init__(self) -> None:
        self._done = trio.Event()
        self._result: Json = {}
        self._error: KaptureError | None = None
        self._callbacks: list[Callable[[PendingReply], None]] = []

    @classmethod
    def failed(cls, error: KaptureError) -> PendingReply:
        """One that has settled with an error."""
        reply = cls()
        reply.fail(error)
        return reply

    @property
    def done(self) -> bool:
        """Whether it has settled, with a result or an error."""
        return self._done.is_set()

    @property
    def error(self) -> KaptureError | None:
        """The error it failed with, if it has failed."""
        return self._error

    def resolve(self, result: Json) -> None:
        """Settle with the browser's result. Ignored if settled already."""
        if not self.done:
            self._result = result
            self._settle()

    def fail(self, error: KaptureError) -> None:
        """Settle with an error. Ignored if settled already."""
        if not self.done:
            self._error = error
            self._settle()

    def follow(self, other: PendingReply) -> None:
        """Settle in the same way as another reply."""
        if other.error is not None:
            self.fail(other.error)
        else:
            self.resolve(other.value())

    def then(self, callback: Callable[[PendingReply], None]) -> None:
        """Run the callback on settling, before any later event is delivered; at once if settled already."""
        if self.done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def value(self) -> Json:
        """The result of a settled reply; raises its error."""
        if self._error is not None:
            raise self._error
        return self._result

    async def wait(self) -> Json:
        """Wait for the result; raises the error if it failed."""
        await self._done.wait()
        return self.value()

    def _settle(self) -> None:
        self._done.set()
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)


@attrs.frozen
class _Tag:
    session: Hashable
    needs: str | None


class PendingReplies:
    """All pending replies of one tab. `needs` is BROWSER, RENDERER, INPUT, or the id of an execution context."""

    def __init__(self) -> None:
        self._tags: dict[PendingReply, _Tag] = {}

    def add(self, reply: PendingReply, session: Hashable, needs: str | None) -> None:
        """Keep a reply until it settles."""
        self._tags[reply] = _Tag(session, needs)
        reply.then(self._forget)

    def __len__(self) -> int:
        return len(self._tags)

    def fail_session(self, session: Hashable, error: KaptureError) -> None:
        """Fail the replies of a session that has ended or whose renderer has crashed."""
        for reply, tag in tuple(self._tags.items()):
            if tag.session == session:
                reply.fail(error)

    def fail_context(self, context_id: str, error: KaptureError) -> None:
        """Fail the replies that need an execution context that was destroyed."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == context_id:
                reply.fail(error)

    def fail_blocked(self, error: KaptureError) -> None:
        """Fail the replies that need a renderer, because a dialog blocks them."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs not in (BROWSER, INPUT):
                reply.fail(error)

    def resolve_input(self) -> None:
        """Resolve pending input: it was delivered, but the page will not acknowledge it any more."""
        for reply, tag in tuple(self._tags.items()):
            if tag.needs == INPUT:
                reply.resolve({})

    def _forget(self, reply: PendingReply) -> None:
        self._tags.pop(reply, None)


Scalar: TypeAlias = str | float | bool | None

_NOTHING: Any = object()


@attrs.frozen
class ResultReference:
    """The value at `path` in the result of an earlier command of the same program, whose reply is `reply`.

    `path` is a JSON Pointer (RFC 6901). Where it continues into a string, that string is parsed as JSON.
    """

    reply: PendingReply
    path: str

    def at(self, path: str) -> ResultReference:
        """A reference to a value below this one."""
        return ResultReference(self.reply, self.path + path)

    def look_up(self) -> Any:
        """The value, once the command has been answered; `LookupError` if there is none."""
        if not self.reply.done or self.reply.error is not None:
            raise LookupError("the command has no result")
        found = look_up(self.reply.value(), self.path)
        if found is _NOTHING:
            raise LookupError("its result has nothing there")
        return found


@attrs.frozen
class Condition:
    """Requires a scalar value at a path of an earlier result. None: null or missing."""

    place: ResultReference
    value: Scalar

    @property
    def holds(self) -> bool:
        """Whether the condition is met, once the command has been answered; false if the command failed."""
        reply = self.place.reply
        return reply.done and reply.error is None and has(reply.value(), self.place.path, self.value)


@attrs.frozen
class EarlierResult:
    """The value at `path` in the result of the command at this index of the same list (`CdpSession.submit_all`)."""

    at: int
    path: str


@attrs.frozen(eq=False)
class CdpCommand:
    """One command of a program. Values of `params` may be result references.

    `wait_for_previous`: send it after the previous one was answered. References wait for their commands anyway.
    """

    method: str
    params: Mapping[str, Any]
    session_id: str | None = None
    wait_for_previous: bool = False
    requires: Sequence[Condition] = ()
    reply: PendingReply = attrs.field(factory=PendingReply)

    def references(self) -> list[ResultReference]:
        """The results that its parameters and conditions refer to."""
        values = [value for value in self.params.values() if isinstance(value, ResultReference)]
        return [*(condition.place for condition in self.requires), *values]


class Skipped(KaptureError):  # noqa: N818  named as the field of the wire is
    """The program ended before this command. Only the code that sent the program sees this."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.CANCELLED, "An earlier step did not answer what this one requires.")


Submit: TypeAlias = Callable[[str, Mapping[str, Any], str | None], PendingReply]


def run_program(submit: Submit, commands: Sequence[CdpCommand]) -> None:
    """Run a program over a transport that carries one command at a time; each command's `reply` settles."""
    _Run(submit, commands).go_on()


class _Run:
    """A running program. It continues whenever a reply that it waits for has settled."""

    def __init__(self, submit: Submit, commands: Sequence[CdpCommand]) -> None:
        self._submit = submit
        self._commands = commands
        self._next = 0
        self._sent: dict[PendingReply, PendingReply] = {}  # the command's own reply → the transport's
        self._awaited: set[PendingReply] = set()

    def go_on(self) -> None:
        """Send every command whose references are known."""
        while self._next < len(self._commands) and not self._waits():
            command = self._commands[self._next]
            self._next += 1
            if not all(condition.holds for condition in command.requires):
                self._end(Skipped(), command)
                return
            try:
                params = resolved(command.params)
            except KaptureError as error:
                self._end(error, command)
                return
            self._start(command, params)

    def _waits(self) -> bool:
        """Whether the next command must wait; if so, the run continues by itself later."""
        command = self._commands[self._next]
        earlier = [place.reply for place in command.references()]
        if command.wait_for_previous and self._next:
            earlier.append(self._commands[self._next - 1].reply)
        sent = [self._sent[reply] for reply in earlier if reply in self._sent]
        self._awaited = {reply for reply in sent if not reply.done}
        for reply in self._awaited:
            reply.then(self._answered)
        return bool(self._awaited)

    def _answered(self, reply: PendingReply) -> None:
        self._awaited.discard(reply)
        if not self._awaited:
            self.go_on()

    def _start(self, command: CdpCommand, params: Mapping[str, Any]) -> None:
        try:
            sent = self._submit(command.method, params, command.session_id)
        except KaptureError as error:
            command.reply.fail(error)
            sent = command.reply
        self._sent[command.reply] = sent
        sent.then(command.reply.follow)
        command.reply.then(lambda reply: self._given_up(reply, sent))

    def _given_up(self, reply: PendingReply, sent: PendingReply) -> None:
        """A reply was failed early (a dialog opened, the document went away): skip the rest of the program."""
        if reply.error is not None and not sent.done:
            self._end(Skipped())

    def _end(self, error: KaptureError, *ended: CdpCommand) -> None:
        rest = self._commands[self._next :]
        self._next = len(self._commands)
        for command in ended:
            command.reply.fail(error)
        for command in rest:
            command.reply.fail(Skipped())


def resolved(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters with result references replaced by values; `INVALID_PARAMS` if a value is missing."""
    if not any(isinstance(value, ResultReference) for value in params.values()):
        return params
    return {name: _value(name, value) for name, value in params.items()}


def _value(name: str, value: Any) -> Any:
    if not isinstance(value, ResultReference):
        return value
    try:
        return value.look_up()
    except LookupError as error:
        raise KaptureError(ErrorCode.INVALID_PARAMS, f"#{name}: nothing is at {value.path!r}: {error}.") from error


def look_up(value: Any, path: str) -> Any:
    """The value that a path points to; `_NOTHING` if there is none."""
    for token in path.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, Mapping):
            value = value.get(key, _NOTHING)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and str(int(key)) == key:
            value = value[int(key)] if int(key) < len(value) else _NOTHING
        else:
            return _NOTHING
    return value


def has(result: Mapping[str, Any], path: str, wanted: Scalar) -> bool:
    """Whether a result has this value at this path. None: null or missing."""
    found = look_up(result, path)
    if found is _NOTHING:
        return wanted is None
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return _NOTHING
