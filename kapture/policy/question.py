"""One question to a person: what is asked, by whom, and how it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias

import attrs
import trio

from kapture.policy.decision import Ask
from kapture.policy.grant import Grant

Verdict: TypeAlias = Literal["once", "tab", "deny", "unanswered"]
"""What the person decided. `unanswered` is no decision: the time was over, or they closed the question."""

Withdrawal: TypeAlias = Literal["left", "gone", "grant changed"]
"""Why a question was taken back: the call that asked has left, the tab has gone, its grant was changed."""


@attrs.frozen
class Shown:
    """A part of what a step would do, as the person reads it: `name` says what `text` is."""

    name: str
    text: str


@attrs.define(eq=False, kw_only=True)
class Question:
    """One thing that a person is asked. `verdict` is set when it is settled, by whomever.

    "once" counts for the call that asked first: `shown` is what that one would do.
    """

    client_id: str
    client: str
    tab_id: str
    command: str
    call: str
    url: str
    ask: Ask
    shown: Sequence[Shown]
    wanted: Grant  # the tab's grant as it would be after "tab"
    timeout_ms: float
    verdict: Verdict | None = None
    withdrawn: Withdrawal | None = None
    waiting: int = 0
    settled: trio.Event = attrs.field(factory=trio.Event)
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)

    @property
    def title(self) -> str:
        """One short question. The client's own name for itself is cut to what a name needs."""
        name = "".join(char for char in self.client if char.isprintable())[:60].strip()
        return f"{name or 'A client'} wants to {self.ask}"

    @property
    def detail(self) -> str:
        """What it is about, in Kapture's own words: nothing here is chosen by a page."""
        return f"The command {self.command} needs it."

    def withdraw(self, why: Withdrawal) -> None:
        """Take it back, unless it is settled."""
        if not self.settled.is_set() and self.verdict is None and self.withdrawn is None:
            self.withdrawn = why
            self.scope.cancel()


Asker: TypeAlias = Callable[[Question], Awaitable[Verdict | None]]
"""Ask the person one way. None: cannot be asked this way. Cancelled when the question is settled elsewhere;
`question.verdict` then says how, or is None when nobody waits for it any more."""
