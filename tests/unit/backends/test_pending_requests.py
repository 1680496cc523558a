from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from kapture.backends import pending_requests
from kapture.backends.pending_requests import Exchanges
from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError


class ExchangesMachine(RuleBasedStateMachine):
    """Questions in every order of asking, giving up and answering: each reply is settled by its own answer only."""

    asked: Bundle[tuple[str, PendingReply]] = Bundle("asked")
    given_up: Bundle[str] = Bundle("given_up")
    answered: Bundle[str] = Bundle("answered")

    def __init__(self) -> None:
        super().__init__()
        self.exchanges = Exchanges()
        self.open: set[str] = set()
        self.late = 0
        self.foreign = 0

    @rule(target=asked)
    def ask(self) -> tuple[str, PendingReply]:
        key, reply = self.exchanges.begin()
        assert key not in self.open
        self.open.add(key)
        return key, reply

    @rule(target=given_up, question=consumes(asked))
    def give_up(self, question: tuple[str, PendingReply]) -> str:
        key, _ = question
        assert self.exchanges.abandon(key), "the tab must be told"
        assert not self.exchanges.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, question=consumes(asked))
    def answer(self, question: tuple[str, PendingReply]) -> str:
        key, reply = question
        assert self.exchanges.answer(key) is reply
        assert not self.exchanges.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, key=consumes(given_up))
    def answer_late(self, key: str) -> str:
        assert self.exchanges.answer(key) is None
        self.late += 1
        return key

    @rule(key=answered)
    def answer_again(self, key: str) -> None:
        assert self.exchanges.answer(key) is None
        self.late += 1

    @rule(key=st.sampled_from(["c0", "x", "c99999", ""]))
    def answer_what_was_never_asked(self, key: str) -> None:
        assert self.exchanges.answer(key) is None
        self.foreign += 1

    @invariant()
    def counts_hold(self) -> None:
        assert len(self.exchanges) == len(self.open)
        assert (self.exchanges.late, self.exchanges.foreign) == (self.late, self.foreign)


TestExchanges = ExchangesMachine.TestCase
TestExchanges.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)

GONE = KaptureError(ErrorCode.TAB_DISCONNECTED, "gone")


async def test_everything_open_fails_when_the_socket_ends_and_nothing_begins_after() -> None:
    exchanges = Exchanges()
    replies = [exchanges.begin()[1] for _ in range(3)]
    exchanges.close(GONE)
    for reply in replies:
        with pytest.raises(KaptureError, match="gone"):
            await reply.wait()
    with pytest.raises(KaptureError, match="gone"):
        exchanges.begin()
    assert len(exchanges) == 0


async def test_questions_that_are_never_answered_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_requests, "MAX_OPEN", 10)
    monkeypatch.setattr(pending_requests, "MAX_REMEMBERED", 5)
    exchanges = Exchanges()
    replies = [exchanges.begin() for _ in range(100)]
    assert len(exchanges) == 10
    with pytest.raises(KaptureError) as failure:
        await replies[0][1].wait()
    assert failure.value.code is ErrorCode.COMMAND_TIMEOUT
    assert exchanges.answer(replies[99][0]) is replies[99][1]
    assert len(exchanges._abandoned) <= 5
