from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from kapture.backends import pending_requests
from kapture.backends.pending_requests import PendingRequests
from kapture.cdp import PendingReply
from kapture.errors import ErrorCode, KaptureError
from tests.support.examples import examples


class PendingRequestsMachine(RuleBasedStateMachine):
    """Requests made, given up and answered in every order: each reply is settled by its own response only."""

    asked: Bundle[tuple[str, PendingReply]] = Bundle("asked")
    given_up: Bundle[str] = Bundle("given_up")
    answered: Bundle[str] = Bundle("answered")

    def __init__(self) -> None:
        super().__init__()
        self.requests = PendingRequests()
        self.open: set[str] = set()
        self.late = 0
        self.unsolicited = 0

    @rule(target=asked)
    def ask(self) -> tuple[str, PendingReply]:
        key, reply = self.requests.begin()
        assert key not in self.open
        self.open.add(key)
        return key, reply

    @rule(target=given_up, question=consumes(asked))
    def give_up(self, question: tuple[str, PendingReply]) -> str:
        key, _ = question
        assert self.requests.abandon(key), "the tab must be told"
        assert not self.requests.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, question=consumes(asked))
    def answer(self, question: tuple[str, PendingReply]) -> str:
        key, reply = question
        assert self.requests.take(key) is reply
        assert not self.requests.abandon(key)
        self.open.discard(key)
        return key

    @rule(target=answered, key=consumes(given_up))
    def answer_late(self, key: str) -> str:
        assert self.requests.take(key) is None
        self.late += 1
        return key

    @rule(key=answered)
    def answer_again(self, key: str) -> None:
        assert self.requests.take(key) is None
        self.late += 1

    @rule(key=st.sampled_from(["c0", "x", "c99999", "", "c01", "c-1", "C1", "1", "c" + "9" * 40]))
    def answer_what_was_never_asked(self, key: str) -> None:
        assert self.requests.take(key) is None
        self.unsolicited += 1

    @invariant()
    def counts_hold(self) -> None:
        assert len(self.requests) == len(self.open)
        assert (self.requests.late, self.requests.unsolicited) == (self.late, self.unsolicited)


TestPendingRequests = PendingRequestsMachine.TestCase
TestPendingRequests.settings = settings(max_examples=examples(100), stateful_step_count=40, deadline=None)

GONE = KaptureError(ErrorCode.TAB_DISCONNECTED, "gone")


async def test_everything_open_fails_when_the_socket_ends_and_nothing_begins_after() -> None:
    requests = PendingRequests()
    replies = [requests.begin()[1] for _ in range(3)]
    requests.close(GONE)
    for reply in replies:
        with pytest.raises(KaptureError, match="gone"):
            await reply.wait()
    with pytest.raises(KaptureError, match="gone"):
        requests.begin()
    assert len(requests) == 0


async def test_questions_that_are_never_answered_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending_requests, "MAX_PENDING", 10)
    requests = PendingRequests()
    replies = [requests.begin() for _ in range(100)]
    assert len(requests) == 10
    with pytest.raises(KaptureError) as failure:
        await replies[0][1].wait()
    assert failure.value.code is ErrorCode.COMMAND_TIMEOUT
    assert requests.take(replies[99][0]) is replies[99][1]
