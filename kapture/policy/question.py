"""One question to a person: what is asked, for which client, and how it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias

import attrs
import trio

from kapture.errors import KaptureError
from kapture.policy.grant import Grant
from kapture.policy.policy import Ask, Decision

Verdict: TypeAlias = Literal["once", "tab", "deny", "unanswered"]
"""The person's decision. `unanswered`: time ran out, or they closed the question."""

Withdrawal: TypeAlias = Literal["left", "gone", "grant changed"]
"""Why a question was withdrawn: the calling client has left, the tab is gone, its grant was changed."""

TooMany: TypeAlias = Literal["too many"]
"""No question was put, because too many are open."""

REFUSALS = {
    "deny": ("denied", "The person was asked and did not allow it. Go on without it, or talk to them first."),
    "unanswered": (
        "unanswered",
        "The person was asked and has not answered: this is not a no. Tell them what is needed and why, and try again"
        " when they are there.",
    ),
    "too many": ("not asked", "Too many questions are open: try again when the person has answered some of them."),
}
"""`data.approval` and the hint for the caller, by how asking ended."""


@attrs.frozen
class Shown:
    """A part of what a step would do, for the person to read: `name` is its label."""

    name: str
    text: str


@attrs.define(eq=False, kw_only=True)
class Question:
    """One question to a person. `verdict` is set when it is settled, wherever that happened; `by_client`: in the
    client's own form, or by nobody where only the client was asked.

    "once" applies to the call that asked first: `shown` is what that call would do.
    """

    client_id: str
    client: str
    tab_id: str
    command: str
    call: str
    url: str
    ask: Ask
    shown: Sequence[Shown]
    wanted: Grant  # the tab's grant if the answer is "tab"
    read_suffices: bool  # for the call that asked first, where the tab's grant allows more
    timeout_ms: float
    verdict: Verdict | None = None
    by_client: bool = False
    withdrawn: Withdrawal | None = None
    waiting: int = 0
    settled: trio.Event = attrs.field(factory=trio.Event)
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    @property
    def title(self) -> str:
        """One short question, with the client's own name shortened."""
        name = "".join(char for char in self.client if char.isprintable())[:60].strip()
        return f"{name or 'A client'} wants to {self.ask}"

    @property
    def detail(self) -> str:
        """Return the subject in Kapture's own words: no part of it is chosen by a page."""
        return f"The command {self.command} needs it."

    def withdraw(self, why: Withdrawal) -> None:
        """Withdraw the question, unless it is settled."""
        if not self.settled.is_set() and self.verdict is None and self.withdrawn is None:
            self.withdrawn = why
            self.scope.cancel()


Asker: TypeAlias = Callable[[Question], Awaitable[Verdict | None]]
"""Asks the person in one way; None if that is not possible. Cancelled when the question is settled elsewhere;
`question.verdict` then says how, or is None if nobody waits for it any more."""


def refusal(decision: Decision, answer: str) -> KaptureError:
    """The decision's error, completed with what the person did."""
    error = decision.error()
    error.data["approval"], error.advice = REFUSALS[answer]
    return error
