"""Questions to a tab and their answers: ids, who waits for what, and what becomes of late and foreign answers.

No I/O: `kapture.backends.link` sends what is asked here and feeds in what came.
"""

from __future__ import annotations

from collections import OrderedDict

import attrs

from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import command_life as life

MAX_OPEN = 4096
MAX_REMEMBERED = 1024


@attrs.define
class _Open:
    state: life.State
    reply: PendingReply


class Exchanges:
    """All questions that one socket has carried and that may still be answered.

    `late` counts answers that nobody waited for any more, `foreign` those to questions that were never asked.
    """

    def __init__(self) -> None:
        self._next = 0
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._abandoned: OrderedDict[str, life.State] = OrderedDict()
        self._answered: OrderedDict[str, life.State] = OrderedDict()
        self._closed: KaptureError | None = None
        self.late = 0
        self.foreign = 0

    def __len__(self) -> int:
        """How many questions have an asker who waits."""
        return len(self._open)

    def begin(self, reply: PendingReply | None = None) -> tuple[str, PendingReply]:
        """A new question: its id and where its answer will be. Raises what `close` was given."""
        if self._closed is not None:
            raise self._closed
        self._next += 1
        key = f"c{self._next}"
        state, _ = life.step(life.State.WAITING, life.Event.STARTED)
        reply = PendingReply() if reply is None else reply
        self._open[key] = _Open(state, reply)
        if len(self._open) > MAX_OPEN:
            oldest = next(iter(self._open))
            asked = self._open[oldest].reply
            self.abandon(oldest)
            asked.fail(
                KaptureError(ErrorCode.COMMAND_TIMEOUT, f"The tab left {MAX_OPEN} later questions unanswered too.")
            )
        return key, reply

    def abandon(self, key: str) -> bool:
        """Nobody waits for this answer any more. Whether the tab is to be told."""
        if (asked := self._open.pop(key, None)) is None:
            return False
        state, actions = life.step(asked.state, life.Event.ABANDONED)
        _remember(self._abandoned, key, state)
        return life.Action.TELL_TAB in actions

    def answer(self, key: str) -> PendingReply | None:
        """Where the answer with this id belongs; None for one that is late or foreign, which is counted."""
        if (asked := self._open.pop(key, None)) is not None:
            state, _ = life.step(asked.state, life.Event.ANSWERED)
            _remember(self._answered, key, state)
            return asked.reply
        before = self._abandoned.pop(key, None) or self._answered.get(key)
        if before is None:
            self.foreign += 1
            return None
        state, _ = life.step(before, life.Event.ANSWERED)
        _remember(self._answered, key, state)
        self.late += 1
        return None

    def fail_all(self, error: KaptureError) -> None:
        """Every open question fails with this error; an answer that comes all the same is late."""
        while self._open:
            key, asked = self._open.popitem(last=False)
            state, _ = life.step(asked.state, life.Event.LOST)
            _remember(self._answered, key, state)
            asked.reply.fail(error)

    def close(self, error: KaptureError) -> None:
        """The socket has ended: every open question fails with this error, and so does every later one."""
        self._closed = error
        self.fail_all(error)
        self._abandoned.clear()


def _remember(kept: OrderedDict[str, life.State], key: str, state: life.State) -> None:
    kept[key] = state
    if len(kept) > MAX_REMEMBERED:
        kept.popitem(last=False)
