"""Consecutive scripts of a batch, sent as one program: each runs as soon as the one before has returned, without a
round trip to the hub in between.

A script runs only if the one before it has returned, has not thrown, and has returned no nodes, which must be described
before anything changes them. Otherwise the program ends, and the next step runs as if it had not been sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import attrs

from kapture.cdp import Condition, PendingReply, ResultReference, Skipped
from kapture.commands.core.context import TabContext
from kapture.commands.core.deadline import remaining_ms
from kapture.commands.core.registry import get_command
from kapture.commands.scripts.script import Script
from kapture.page.script_terminator import may_not_end

MOST_TOGETHER = 20
_MOST_CHARACTERS = 100_000
_RETURNED = ("/exceptionDetails", "/result/objectId")
"""Conditions on the result of a script that has neither thrown nor returned nodes."""

StepCall = tuple[str, Mapping[str, Any]]
"""A step's command and its arguments."""


@attrs.frozen
class SentScript:
    """A script that was sent. It runs if its requirements are met."""

    code: str
    requires: Sequence[Condition]
    reply: PendingReply


_sent: ContextVar[SentScript | None] = ContextVar("kapture_sent_script", default=None)


def sent_script(code: str) -> PendingReply | None:
    """The reply to this code, if the current step has been sent already. It fails with `Skipped` if the code did not
    run. If the page has navigated since, the code ran before that, and must not run again."""
    sent = _sent.get()
    if sent is None or sent.code != code:
        return None
    return sent.reply if all(condition.holds for condition in sent.requires) else None


class ScriptsAhead:
    """The scripts among the steps of one batch. Scripts that have not begun when the block ends are skipped."""

    def __init__(self, tab: TabContext, steps: Sequence[StepCall]) -> None:
        self._tab = tab
        self._steps = steps
        self._sent: dict[int, SentScript] = {}
        self._pays = True  # false for scripts that need several attempts: sending them ahead is useless

    def __enter__(self) -> ScriptsAhead:
        return self

    def __exit__(self, *_: object) -> None:
        self._abandon()

    @contextmanager
    def turn_of(self, number: int) -> Iterator[None]:
        """Wraps the step at this index while it has its turn."""
        if number not in self._sent and self._pays:
            self._send_from(number)
        sent = self._sent.pop(number, None)
        token = _sent.set(sent)
        try:
            yield
        finally:
            _sent.reset(token)
            if sent is not None and not (sent.reply.done and sent.reply.error is None):
                sent.reply.fail(Skipped())  # nobody waits for it
                self._abandon()
                self._pays = False

    def _abandon(self) -> None:
        while self._sent:
            self._sent.popitem()[1].reply.fail(Skipped())

    def _send_from(self, number: int) -> None:
        """Send this step and those after it, up to the first that is not a script allowed by policy now."""
        main = self._tab.page.frames.main
        context = main.current_context("main")
        if context is None or not main.granted or main.renderer.is_blocked:
            return
        scripts = self._scripts_from(number)
        if len(scripts) < 2:
            return
        requires: tuple[Condition, ...] = ()
        with self._tab.page.connection.together():
            for at, (code, timeout_ms) in enumerate(scripts, number):
                script = Script(main, context, code, wait=PendingReply.wait)
                reply = script.begin(min(timeout_ms, remaining_ms()), requires)
                self._sent[at] = SentScript(code, requires, reply)
                requires = tuple(Condition(ResultReference(reply, path), None) for path in _RETURNED)

    def _scripts_from(self, number: int) -> list[tuple[str, float]]:
        """Their code, and how long each may run."""
        found: list[tuple[str, float]] = []
        characters = 0
        for name, arguments in self._steps[number : number + MOST_TOGETHER]:
            if get_command(name).name != "evaluate" or (decoded := self._tab.allowed_step(name, arguments)) is None:
                break
            code = decoded.params.code
            characters += len(code)
            elsewhere = decoded.params.element is not None or decoded.params.frame is not None
            if elsewhere or may_not_end(code) or characters > _MOST_CHARACTERS:
                break
            found.append((code, decoded.timeout_ms))
        return found
