"""One call: what is asked and by whom, what has allowed it, how far it is; and ending it from outside with an error."""

from __future__ import annotations

import datetime
import itertools
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import attrs
import trio

from kapture.backends.backend import Backend
from kapture.background import single_error
from kapture.commands.core.context import PersonAnswer, Progress
from kapture.commands.core.params import Arguments, decode_arguments
from kapture.commands.core.registry import Command, Scope, get_command
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.client import Client
from kapture.page.documents.read_gate import EVERY_SITE, shown_address
from kapture.policy import Ask

ANSWERS_S = 0.5
"""A page that runs its tasks one after the other answers within this time."""

_LONG_MS = 2_000
"""After a shorter timeout the page is not asked: it would take as long again."""


@attrs.frozen
class Silence:
    """Why a page does not answer. `reason` completes the error's message, `advice` is a sentence of its hint."""

    reason: str
    advice: str
    data: Mapping[str, Any]


_BUSY = Silence(
    reason="the page does not answer, because one of its scripts keeps it busy",
    advice="End the script: navigate, or reload the page.",
    data={"busy": True},
)


async def silence_of(backend: Backend | None, timeout_ms: float) -> Silence | None:
    """Why the tab's page has not answered within this time: its server has not answered yet, or a script keeps it busy.

    None if it answers, or is blocked by what the hub reports in another way, and for tabs that execute commands
    themselves.
    """
    if backend is None or backend.current_page is None or backend.blocked is not None:
        return None
    page = backend.current_page
    if page.awaited.url is not None:
        url = shown_address(page.awaited.url, page.gate)
        return Silence(
            reason=f"the tab waits for {url}, whose server has not answered yet",
            advice="Leave the page: navigate to another one.",
            data={"waitsFor": url},
        )
    if timeout_ms < _LONG_MS:
        return None
    with suppress(KaptureError):  # there is no document now, or a dialog has opened
        reply = page.frames.main.ask()
        with trio.move_on_after(ANSWERS_S) as asking:
            await reply.wait()
        if asking.cancelled_caught:
            return _BUSY
    return None


R = TypeVar("R")
next_number = itertools.count(1).__next__
"""Numbers of calls, in the order in which they are made."""
_MOST_READ = 1_000
_RUN = secrets.token_hex(4)  # distinguishes the calls of this hub from those of the next


def call_name(number: int) -> str:
    """The call's name on the wire, unique among the calls of all hubs."""
    return f"{_RUN}.{number}"


def now_text() -> str:
    """The current time, in ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


async def no_progress(done: float, total: float | None = None, message: str = "") -> None:
    """Report to nobody."""


@attrs.define(eq=False, kw_only=True)
class Call:
    """A call of an existing command with valid arguments, with a caller that waits for it; or a step of another call.

    `shown` replaces arguments that hold a secret, in records and questions. `settles`: it is a step of a call that
    shows the page. `name`: on the wire; a step has that of the whole call, with which a permission for one call ends.
    `holds`: it is a script that holds the tab until it leaves; others fail rather than wait (`kapture.hub.holding`).
    """

    command: Command
    arguments: Arguments
    client: Client
    given: Mapping[str, Any] = attrs.field(factory=dict)
    shown: Mapping[str, Any] | None = None
    progress: Progress = no_progress
    settles: bool = False
    holds: bool = False
    number: int = attrs.field(factory=next_number)
    name: str = attrs.field(default=attrs.Factory(lambda self: call_name(self.number), takes_self=True))

    # What has allowed it.
    rule: str | None = None
    allowed: tuple[Ask, ...] = ()  # by the person, for this call alone, beyond the tab's grant
    asked: str | None = None  # what the person was asked last, and answered
    once: bool = False  # something was allowed for this call, or a step of it, alone
    frames: tuple[str, ...] = ()  # URLs of frames outside the grant that it turned out to need
    person: PersonAnswer | None = None  # what the person has answered, if it waited for that
    read: set[str] = attrs.field(factory=set)
    """The URLs of documents, and of what they requested, that it has been allowed to read so far."""

    # How far it is.
    turn_at: float | None = None  # when its turn came, in Unix seconds
    turn_came: float | None = None  # the same, `time.perf_counter()`
    started_at: float | None = None  # Trio's clock, in seconds
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _error: KaptureError | None = attrs.field(default=None, init=False)
    _may_succeed: bool = attrs.field(default=False, init=False)

    def step(self, name: str, given: Mapping[str, Any], settles: bool = False) -> Call:
        """A call that this one makes on its tab during its own turn; `INVALID_PARAMS` for a command that cannot be a
        step."""
        command = get_command(name)
        if command.scope is not Scope.TAB or command.name == self.command.name:
            raise KaptureError(ErrorCode.INVALID_PARAMS, f"{command.name} cannot be a step of {self.command.name}.")
        arguments = decode_arguments(command, {**given, "tabId": self.arguments.tab_id})
        return Call(
            command=command,
            arguments=arguments,
            client=self.client,
            given=arguments.given,
            shown=None if self.shown is None else {},  # any of the step's arguments may hold the secret
            progress=self.progress,
            settles=settles,
            name=self.name,
            allowed=self.allowed,
        )

    def needs(self, frame: str) -> None:
        """Note that it is to run again, once the frame with this URL is allowed too."""
        self.frames = (*self.frames, frame)
        self.started_at = None
        self._scope = trio.CancelScope()

    def note_read(self, url: str) -> None:
        """Note that it may read what belongs to this URL. Beyond a number of them it counts as having read any."""
        self.read.add(url if len(self.read) < _MOST_READ else EVERY_SITE)

    def fail(self, error: KaptureError, *, within_s: float = 0) -> None:
        """End the command with this error. The first error counts; after its end the call does nothing.

        `within_s`: it may still end by itself in this time, in seconds, and succeeds if it does.
        """
        if self._error is None:
            self._error, self._may_succeed = error, within_s > 0
            self._scope.deadline = min(self._scope.deadline, trio.current_time() + within_s)

    @property
    def outlived(self) -> KaptureError | None:
        """The error given to `fail` with time to succeed in spite of it."""
        return self._error if self._may_succeed else None

    async def run(
        self, work: Callable[[], Awaitable[R]], silence: Callable[[], Awaitable[Silence | None]] | None = None
    ) -> R:
        """Run `work` and return its result; raises `COMMAND_TIMEOUT`, counted from now, or the error given to `fail`.

        `silence`: asked after a timeout, why the page does not answer.
        """
        if self._error is not None:
            raise self._error
        self.started_at = trio.current_time()
        self._scope.deadline = self.started_at + self.arguments.timeout_ms / 1_000
        try:
            with single_error(), self._scope:  # which leaves a group of the error that came with its cancellation
                return await work()
        except KaptureError:
            # An error raised by the handler while it is being cancelled is a consequence of the first error.
            if self._error is not None:
                raise self._error from None
            raise
        if self._error is None:  # the time is over
            self._scope = trio.CancelScope()
            with self._scope:
                raise self._too_slow(await silence() if silence is not None else None)
        assert self._error is not None  # noqa: S101  only `fail` cancels the scope now
        raise self._error

    def _too_slow(self, silence: Silence | None) -> KaptureError:
        timeout_ms = self.arguments.timeout_ms
        message = f"{self.command.name} did not finish within {timeout_ms:g} ms"
        effect = "" if self.command.read_only else "It may have taken effect."
        if silence is not None:
            message += f": {silence.reason}"
            before, give = [silence.advice], "Or give"
        elif effect:
            before, give = ["Look at the page."], "Or give"
        else:
            before, give = [], "Give"
        hint = Wording(*filter(None, (effect, *before)), f"{give} it more time with {{timeout}} (milliseconds).")
        data = {"timeoutMs": timeout_ms, **(silence.data if silence is not None else {})}
        return KaptureError(ErrorCode.COMMAND_TIMEOUT, f"{message}.", hint=hint, data=data)
