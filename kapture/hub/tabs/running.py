"""A running command, and ending it from outside with an error."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import attrs
import trio

from kapture.commands.core.registry import Command
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.client import Client
from kapture.hub.silent_page import Silence
from kapture.page.documents.read_gate import EVERY_SITE
from kapture.policy import Ask

R = TypeVar("R")
next_number = itertools.count(1).__next__
"""Numbers of calls, in the order in which they are made."""
_MOST_READ = 1_000
_RUN = secrets.token_hex(4)  # distinguishes the calls of this hub from those of the next


def call_name(number: int) -> str:
    """The call's name on the wire, unique among the calls of all hubs."""
    return f"{_RUN}.{number}"


@attrs.define(eq=False, kw_only=True)
class Running:
    """A command with a caller that waits for it. `started_at`: Trio's clock, in seconds; `number` is the call's.

    `holds`: it is a script that holds the tab until it leaves; others fail rather than wait (`kapture.hub.holding`).
    `turn_at`: when its turn came, in Unix seconds.
    `call`: the name of the call that it is, or is a step of. `shown` replaces arguments that hold a secret.
    """

    command: Command
    params: Any
    shown: Mapping[str, Any] | None = None
    client: Client
    timeout_ms: float
    frames: tuple[str, ...] = ()  # URLs of frames outside the grant that it turned out to need
    allowed: tuple[Ask, ...] = ()  # what the person has allowed for this call alone, beyond the tab's grant
    holds: bool = False
    turn_at: float | None = None
    number: int = attrs.field(factory=next_number)
    call: str = attrs.field(default=attrs.Factory(lambda self: call_name(self.number), takes_self=True))
    started_at: float | None = None
    read: set[str] = attrs.field(factory=set)
    """The URLs of documents, and of what they requested, that it has been allowed to read so far."""
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _error: KaptureError | None = attrs.field(default=None, init=False)
    _may_succeed: bool = attrs.field(default=False, init=False)

    def again(self, frame: str, allowed: tuple[Ask, ...]) -> Running:
        """The same call, to be run again once this frame is allowed too."""
        return attrs.evolve(self, frames=(*self.frames, frame), allowed=allowed, started_at=None)

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
        self._scope.deadline = self.started_at + self.timeout_ms / 1_000
        with self._scope:
            try:
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
        message = f"{self.command.name} did not finish within {self.timeout_ms:g} ms"
        effect = "" if self.command.read_only else "It may have taken effect."
        if silence is not None:
            message += f": {silence.reason}"
            before, give = [silence.advice], "Or give"
        elif effect:
            before, give = ["Look at the page."], "Or give"
        else:
            before, give = [], "Give"
        hint = Wording(*filter(None, (effect, *before)), f"{give} it more time with {{timeout}} (milliseconds).")
        data = {"timeoutMs": self.timeout_ms, **(silence.data if silence is not None else {})}
        return KaptureError(ErrorCode.COMMAND_TIMEOUT, f"{message}.", hint=hint, data=data)
