"""Putting a denied step to the person, and giving every waiting call its answer.

Who asks is not decided here: the hub hands in askers (the extension's question, the client's own form), and the
first that comes back with an answer settles the question for all of them. Calls of one client for the same command
on the same tab share one question: "once" lets one of them through and asks again for the rest. "For this tab"
answers every open question of the client about the same thing. "No" answers everybody's, and is remembered for a
while for the tab and the thing, whoever asks: a client that reconnects, or takes another name, cannot wear the person
down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Literal, TypeAlias

import attrs
import trio

from kapture.commands.core.registry import Access
from kapture.errors import KaptureError
from kapture.policy.decision import Ask, Decision, Request
from kapture.policy.grant import Grant
from kapture.policy.policy import Policy

Verdict: TypeAlias = Literal["once", "tab", "deny"]

MAX_OPEN = 16
MAX_OPEN_PER_CLIENT = 4
DENIAL_REMEMBERED_S = 30.0
_MAX_REMEMBERED = 1_000
Subject: TypeAlias = tuple[str, str, str, Ask]  # client, tab, command, what is asked
_MAX_STEPS = 3  # level, current site, destination: no call needs more questions than that


@attrs.define(eq=False, kw_only=True)
class Question:
    """One thing that a person is asked. `verdict` is set when it is settled, by whomever."""

    client_id: str
    client: str
    tab_id: str
    command: str
    url: str
    ask: Ask
    wanted: Grant  # the tab's grant as it would be after "tab"
    timeout_ms: float
    verdict: Verdict | None = None
    waiting: int = 0
    spent: bool = False  # "once" has let its one call through
    unasked: bool = False  # no way of asking reached the person
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
        return f"The command {self.command} needs it. This tab would then be granted: {self.wanted}."


Asker: TypeAlias = Callable[[Question], Awaitable[Verdict | None]]
"""Ask the person one way. None: cannot be asked this way. Cancelled when the question is settled elsewhere;
`question.verdict` then says how, or is None when nobody waits for it any more."""


@attrs.frozen(kw_only=True)
class Admission:
    """A call that may run. `grant` is the grant to run it under: the tab's, or that wider for this call."""

    decision: Decision
    grant: Grant | None
    asked: tuple[tuple[Ask, Verdict], ...] = ()


class Approvals:
    """Open questions of one hub. Made by `Approvals.open()`; everything ends with that block."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._open: dict[Subject, Question] = {}
        self._denied: dict[tuple[str, Ask], float] = {}  # until when, in seconds of Trio's clock

    @staticmethod
    @asynccontextmanager
    async def open() -> AsyncIterator[Approvals]:
        """A place for questions. When the block ends, what is still open is withdrawn."""
        async with trio.open_nursery() as nursery:
            yield Approvals(nursery)
            nursery.cancel_scope.cancel()

    @property
    def open_questions(self) -> Sequence[Question]:
        """What people are being asked now."""
        return tuple(self._open.values())

    async def admit(
        self,
        policy: Policy,
        request: Request,
        *,
        client_id: str,
        tab_id: str,
        askers: Sequence[Asker] = (),
        on_tab_grant: Callable[[Grant], None] | None = None,
    ) -> Admission:
        """Decide; where a person's word would change the answer, ask for it.

        `on_tab_grant` is told the tab's wider grant when the person allows something for the tab. Raises the
        decision's `POLICY_DENIED` when the answer is no, or when nobody answers in time. Cancelling the caller takes
        the question back, unless another call waits for the same one.
        """
        asked: list[tuple[Ask, Verdict]] = []
        tab_grant = request.grant
        for _ in range(_MAX_STEPS + 1):
            decision = policy.decide(request)
            if decision.allowed:
                return Admission(decision=decision, grant=request.grant, asked=tuple(asked))
            if decision.ask is None or request.grant is None or not policy.rules.approvals.enabled or not askers:
                break
            # What no answer could let through is not asked: the person's time is worth more than a model's try.
            wider = attrs.evolve(request, grant=decision.ask.widen(request.grant))
            if (after := policy.decide(wider)).ask is None and not after.allowed:
                raise after.error()
            verdict = await self._ask(policy, request, decision.ask, client_id=client_id, tab_id=tab_id, askers=askers)
            if verdict is None:
                break
            asked.append((decision.ask, verdict))
            if verdict == "deny":
                error = decision.error()
                error.data["approval"] = "denied"
                error.hint = "The person was asked and did not allow it. Go on without it, or talk to them first."
                raise error
            request = wider
            if verdict == "tab":
                tab_grant = decision.ask.widen(tab_grant or Grant((), Access.NONE))
                if on_tab_grant is not None:
                    on_tab_grant(tab_grant)
        raise decision.error()

    async def _ask(
        self, policy: Policy, request: Request, ask: Ask, *, client_id: str, tab_id: str, askers: Sequence[Asker]
    ) -> Verdict | None:
        """The person's word on this call; None when nobody could be asked."""
        subject = (client_id, tab_id, request.command.name, ask)
        while True:
            now = trio.current_time()
            if self._denied.get((tab_id, ask), now) > now:
                return "deny"
            question = self._open.get(subject)
            if question is None:
                of_client = sum(1 for other in self._open if other[0] == client_id)
                if len(self._open) >= MAX_OPEN or of_client >= MAX_OPEN_PER_CLIENT:
                    return None
                question = self._start(subject, policy, request, askers)
            question.waiting += 1
            try:
                await question.settled.wait()
            finally:
                question.waiting -= 1
                if question.waiting == 0 and not question.settled.is_set():
                    question.scope.cancel()
                    self._open.pop(subject, None)
            if question.verdict == "once" and question.spent:
                continue
            question.spent = True
            return None if question.unasked else question.verdict or "deny"

    def _start(self, subject: Subject, policy: Policy, request: Request, askers: Sequence[Asker]) -> Question:
        client_id, tab_id, command, ask = subject
        assert request.grant is not None  # noqa: S101  admit() looked
        question = Question(
            client_id=client_id,
            client=request.client,
            tab_id=tab_id,
            command=command,
            url=request.url,
            ask=ask,
            wanted=ask.widen(request.grant),
            timeout_ms=policy.rules.approvals.timeout_s * 1000,
        )
        self._open[subject] = question
        self._nursery.start_soon(self._run, subject, question, tuple(askers))
        return question

    async def _run(self, subject: Subject, question: Question, askers: Sequence[Asker]) -> None:
        """Ask in every way at once, until the first answer, the time's end, or nobody waits."""

        async def one(asker: Asker) -> None:
            try:
                verdict = await asker(question)
            except KaptureError:
                return  # this way of asking has gone (the tab, the client); the others still stand
            if verdict is not None and question.verdict is None:
                question.verdict = verdict
                nursery.cancel_scope.cancel()

        try:
            with question.scope, trio.move_on_after(question.timeout_ms / 1000) as time:
                async with trio.open_nursery() as nursery:
                    for asker in askers:
                        nursery.start_soon(one, asker)
            withdrawn = question.scope.cancelled_caught
            question.unasked = question.verdict is None and not time.cancelled_caught and not withdrawn
            if question.verdict == "deny" or time.cancelled_caught:
                self._remember_denial(question)
            if question.verdict in ("tab", "deny"):
                self._settle_others(question)
        finally:
            if self._open.get(subject) is question:
                del self._open[subject]
            question.settled.set()

    def _remember_denial(self, question: Question) -> None:
        now = trio.current_time()
        self._denied = {key: end for key, end in self._denied.items() if end > now}
        if len(self._denied) < _MAX_REMEMBERED:
            self._denied[question.tab_id, question.ask] = now + DENIAL_REMEMBERED_S

    def _settle_others(self, answered: Question) -> None:
        """The answer holds for other commands too that wait for the same thing."""
        for question in self._open.values():
            same_thing = (question.tab_id, question.ask) == (answered.tab_id, answered.ask)
            for_all = answered.verdict == "deny" or question.client_id == answered.client_id
            if question.verdict is None and same_thing and for_all:
                question.verdict = answered.verdict
                question.scope.cancel()

    def withdraw(self, tab_id: str) -> None:
        """The tab has gone: nothing about it is open. What was denied stays so, should it come back."""
        for subject, question in tuple(self._open.items()):
            if subject[1] == tab_id:
                question.scope.cancel()

    def grant_changed(self, tab_id: str) -> None:
        """The person has changed the tab's grant: earlier answers about it mean nothing now."""
        self.withdraw(tab_id)
        self._denied = {key: end for key, end in self._denied.items() if key[0] != tab_id}
