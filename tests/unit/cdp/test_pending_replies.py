"""Replies that can never come are settled when that is known, and no others."""

from __future__ import annotations

import pytest

from kapture.cdp import PendingReplies, PendingReply
from kapture.cdp.program import BROWSER, INPUT, RENDERER
from kapture.errors import ErrorCode, KaptureError

GONE = KaptureError(ErrorCode.DETACHED, "gone")


class Tab:
    """One reply of each kind in each of two sessions."""

    def __init__(self) -> None:
        self.pending = PendingReplies()
        self.replies: dict[tuple[str, str | None], PendingReply] = {}
        for session in ("S1", "S2"):
            for needs in (BROWSER, RENDERER, INPUT, f"context-of-{session}"):
                reply = self.replies[session, needs] = PendingReply()
                self.pending.add(reply, session, needs)

    def failed(self) -> set[tuple[str, str | None]]:
        return {key for key, reply in self.replies.items() if reply.error is GONE}

    def open(self) -> set[tuple[str, str | None]]:
        return {key for key, reply in self.replies.items() if not reply.done}


def test_the_end_of_a_context_fails_what_waits_for_it_and_nothing_else() -> None:
    tab = Tab()
    tab.pending.fail_context("context-of-S1", GONE)
    assert tab.failed() == {("S1", "context-of-S1")}
    assert len(tab.open()) == 7


def test_the_end_of_a_session_fails_all_of_its_replies() -> None:
    tab = Tab()
    tab.pending.fail_session("S2", GONE)
    assert {session for session, _ in tab.failed()} == {"S2"}
    assert {session for session, _ in tab.open()} == {"S1"}


def test_a_dialog_fails_what_needs_a_renderer_but_neither_input_nor_its_own_answer() -> None:
    tab = Tab()
    tab.pending.fail_blocked(GONE)
    assert {needs for _, needs in tab.open()} == {BROWSER, INPUT}


def test_input_that_is_not_acknowledged_counts_as_delivered() -> None:
    tab = Tab()
    tab.pending.resolve_input()
    assert tab.replies["S1", INPUT].value() == {}
    assert not tab.failed()
    assert {needs for _, needs in tab.open()} == {BROWSER, RENDERER, "context-of-S1", "context-of-S2"}


@pytest.mark.parametrize("fails", [True, False])
def test_a_reply_that_has_come_is_forgotten(fails: bool) -> None:
    pending, reply = PendingReplies(), PendingReply()
    pending.add(reply, "S", RENDERER)
    assert len(pending) == 1
    if fails:
        reply.fail(GONE)
    else:
        reply.resolve({})
    assert len(pending) == 0
