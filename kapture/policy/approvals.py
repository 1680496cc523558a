"""Asking the person about denied steps, and giving every waiting call its answer.

The hub passes in how to ask (the extension's question, the client's own form), and the first answer to come settles the
question for all of them. Calls of one client for the same command on the same tab wait for one question, which shows
what the first of them would do: "once" lets that one through, and the next is asked about in turn. "For this tab"
answers every open question of the client about the same thing. "No" answers everybody's, and is remembered for a while
for the tab and the thing, for all clients: one that reconnects, or changes its name, cannot wear the person down. That
nobody answered is remembered in the same way, and reported as such. What comes of a client's own form holds for that
client alone, since nothing shows that a person answered it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeAlias

import attrs
import trio

from kapture.background import running_beside
from kapture.commands.core.registry import Access
from kapture.errors import KaptureError
from kapture.policy.grant import Grant
from kapture.policy.policy import Ask, Decision, Policy, Request, widened
from kapture.policy.question import Asker, Question, TooMany, Verdict, Withdrawal, refusal
from kapture.policy.shown import shown_of

logger = logging.getLogger(__name__)

MAX_OPEN = 16
MAX_OPEN_PER_CLIENT = 4  # and one once half of MAX_OPEN are open, so that a few clients leave none for the others
REMEMBERED_S = 30.0
_MAX_REMEMBERED = 1_000
OnQuestion: TypeAlias = Callable[[Question], Awaitable[None]]
Subject: TypeAlias = tuple[str, str, str, Ask]  # client, tab, command, what the person would have to allow
_MAX_STEPS = 3  # no call needs more questions


@attrs.frozen(kw_only=True)
class Admission:
    """A call that may run."""

    decision: Decision
    asked: tuple[tuple[Ask, Verdict], ...] = ()
    allowed: tuple[Ask, ...] = ()  # before this admission

    @property
    def allowed_once(self) -> tuple[Ask, ...]:
        """Everything that is allowed for this call alone."""
        return (*self.allowed, *(ask for ask, verdict in self.asked if verdict == "once"))


@attrs.frozen
class _Remembered:
    """An answer that holds for a while. `until`: Trio's clock, in seconds."""

    verdict: Verdict
    until: float


@attrs.frozen
class _Wait:
    """One call that may have to wait for a person."""

    client_id: str
    tab_id: str
    askers: Sequence[Asker]
    client_asker: Asker | None
    on_question: OnQuestion | None

    async def until_settled(self, question: Question) -> None:
        on_question = self.on_question
        if on_question is None:
            await question.settled.wait()
            return
        async with running_beside(lambda: on_question(question)):
            await question.settled.wait()


class Approvals:
    """The open questions of one hub. Made by `Approvals.open()`; all of them end with that block."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._open: dict[Subject, Question] = {}
        self._remembered: dict[tuple[str, Ask, str | None], _Remembered] = {}  # tab, thing, client (None: all)

    @staticmethod
    @asynccontextmanager
    async def open() -> AsyncIterator[Approvals]:
        """Run questions in this block; those that are open at its end are withdrawn."""
        async with trio.open_nursery() as nursery:
            yield Approvals(nursery)
            nursery.cancel_scope.cancel()

    @property
    def open_questions(self) -> Sequence[Question]:
        """The questions that people are being asked now."""
        return tuple(self._open.values())

    async def admit(
        self,
        policy: Policy,
        request: Callable[[], Request],
        *,
        client_id: str,
        tab_id: str,
        allowed: tuple[Ask, ...] = (),
        askers: Sequence[Asker] = (),
        client_asker: Asker | None = None,
        on_tab_grant: Callable[[Grant], None] = lambda _: None,
        on_question: OnQuestion | None = None,
    ) -> Admission:
        """Decide; if a person's answer would change the decision, ask for it, once for all that can be asked together,
        and wait for as long as the policy gives a person to answer.

        `request` returns the call as it stands now: it is called again when the tab's grant was changed meanwhile.
        `allowed` is what the person has allowed for this call already. `askers` ask the person, `client_asker` has the
        client do so: a no by it holds for this client alone.
        `on_tab_grant` is called with the tab's wider grant when the person allows something for the tab. Raises the
        decision's `POLICY_DENIED` if the answer is no, or nobody answers in time; `data.approval` says which.
        Cancelling the caller withdraws the question.
        """
        wait = _Wait(client_id, tab_id, tuple(askers), client_asker, on_question)
        asked: list[tuple[Ask, Verdict]] = []
        while True:
            now = request()
            now = attrs.evolve(now, grant=widened(now.grant, (*allowed, *(ask for ask, _ in asked))))
            decision = policy.decide(now)
            if decision.allowed:
                return Admission(decision=decision, asked=tuple(asked), allowed=allowed)
            somebody = bool(askers) or client_asker is not None
            may_ask = policy.rules.approvals.enabled and somebody and len(asked) <= _MAX_STEPS
            if decision.ask is None or now.grant is None or not may_ask:
                raise decision.error()
            ask: Ask | None = decision.ask
            while ask is not None:
                decision = attrs.evolve(decision, ask=ask)
                after = policy.decide(attrs.evolve(now, grant=ask.widen(now.grant)))
                # Do not ask about what no answer could let through: it would waste the person's time.
                if after.ask is None and not after.allowed:
                    raise after.error()
                ask = ask.joined(after.ask) if after.ask is not None else None
            assert decision.ask is not None  # noqa: S101  looked above
            answer = await self._ask(policy, now, decision.ask, wait)
            if answer == "grant changed":
                asked = [one for one in asked if one[1] == "once"]
                continue
            if answer is None or answer == "left" or answer == "gone":
                raise decision.error()
            if answer == "deny" or answer == "unanswered" or answer == "too many":
                raise refusal(decision, answer)
            asked.append((decision.ask, answer))
            if answer == "tab":
                on_tab_grant(decision.ask.widen(request().grant or Grant((), Access.NONE)))

    async def _ask(
        self, policy: Policy, request: Request, ask: Ask, wait: _Wait
    ) -> Verdict | Withdrawal | TooMany | None:
        """The person's answer for this call; None if nobody could be asked."""
        subject = (wait.client_id, wait.tab_id, request.command.name, ask)
        while True:
            for client in (None, wait.client_id):
                for part in ask.parts:
                    remembered = self._remembered.get((wait.tab_id, part, client))
                    if remembered is not None and remembered.until > trio.current_time():
                        return remembered.verdict
            question = self._open.get(subject)
            first = question is None
            if question is None:
                of_client = sum(1 for other in self._open if other[0] == wait.client_id)
                share = MAX_OPEN_PER_CLIENT if len(self._open) < MAX_OPEN // 2 else 1
                if len(self._open) >= MAX_OPEN or of_client >= share:
                    return "too many"
                question = self._start(subject, policy, request, wait)
            question.waiting += 1
            try:
                await wait.until_settled(question)
            finally:
                question.waiting -= 1
                if first and not question.settled.is_set():
                    # The question shows what this call would do: without the call there is nothing to answer.
                    question.withdraw("left")
                    self._close(subject, question)
            if first or question.verdict not in (None, "once"):
                return question.verdict or question.withdrawn
            if question.verdict is None and question.withdrawn != "left":
                return question.withdrawn

    def _start(self, subject: Subject, policy: Policy, request: Request, wait: _Wait) -> Question:
        client_id, tab_id, command, ask = subject
        assert request.grant is not None  # noqa: S101  admit() looked
        wanted = ask.widen(request.grant)
        reading = attrs.evolve(request, grant=attrs.evolve(wanted, level=Access.READ))
        question = Question(
            client_id=client_id,
            client=request.client,
            tab_id=tab_id,
            command=command,
            call=request.call,
            url=request.url,
            ask=ask,
            shown=shown_of(request),
            wanted=wanted,
            read_suffices=ask.level is None and wanted.level > Access.READ and policy.decide(reading).allowed,
            timeout_ms=policy.rules.approvals.timeout_s * 1000,
        )
        self._open[subject] = question
        self._nursery.start_soon(self._run, subject, question, wait)
        return question

    async def _run(self, subject: Subject, question: Question, wait: _Wait) -> None:
        """Ask in every way at once, until the first answer, the deadline, or until nobody waits."""
        closed = False  # somebody has closed it without an answer
        silent: list[bool] = []  # who was asked and has not answered: whether it is the client

        async def one(asker: Asker, *, by_client: bool = False) -> None:
            nonlocal closed
            silent.append(by_client)
            verdict: Verdict | None = None
            try:
                verdict = await asker(question)
            except KaptureError:
                pass  # this way of asking is gone (the tab, the client); the others go on
            except Exception:
                logger.exception("One way of asking about a step failed because of a bug in Kapture.")
            if verdict is None:
                silent.remove(by_client)
            elif verdict == "unanswered":
                closed = True
            elif question.verdict is None:
                question.verdict = verdict
                question.by_client = by_client
                nursery.cancel_scope.cancel()

        try:
            with question.scope, trio.move_on_after(question.timeout_ms / 1000) as time:
                async with trio.open_nursery() as nursery:
                    for asker in wait.askers:
                        nursery.start_soon(one, asker)
                    if wait.client_asker is not None:
                        nursery.start_soon(partial(one, wait.client_asker, by_client=True))
            if question.verdict is None and (time.cancelled_caught or closed):
                question.verdict = "unanswered"
                question.by_client = False not in silent
            if question.verdict in ("deny", "unanswered"):
                self._remember(question, question.verdict)
            if question.verdict in ("tab", "deny"):
                self._settle_others(question)
        finally:
            self._close(subject, question)
            question.settled.set()

    def _close(self, subject: Subject, question: Question) -> None:
        if self._open.get(subject) is question:
            del self._open[subject]

    def _remember(self, question: Question, verdict: Verdict) -> None:
        now = trio.current_time()
        self._remembered = {key: one for key, one in self._remembered.items() if one.until > now}
        if len(self._remembered) < _MAX_REMEMBERED:
            whose = question.client_id if question.by_client else None
            for part in question.ask.parts:
                self._remembered[question.tab_id, part, whose] = _Remembered(verdict, now + REMEMBERED_S)

    def _settle_others(self, answered: Question) -> None:
        """Apply the answer to other commands that wait for the same thing."""
        for question in self._open.values():
            same_thing = (question.tab_id, question.ask) == (answered.tab_id, answered.ask)
            of_all = answered.verdict == "deny" and not answered.by_client
            if question.verdict is None and same_thing and (of_all or question.client_id == answered.client_id):
                question.verdict = answered.verdict
                question.by_client = answered.by_client
                question.scope.cancel()

    def withdraw(self, tab_id: str, why: Withdrawal = "gone") -> None:
        """Withdraw the questions about a tab that is gone. Denials still hold if it comes back."""
        for question in tuple(self._open.values()):
            if question.tab_id == tab_id:
                question.withdraw(why)

    def grant_changed(self, tab_id: str) -> None:
        """The person has changed the tab's grant: judge waiting calls again, and forget earlier answers."""
        self.withdraw(tab_id, "grant changed")
        self._remembered = {key: one for key, one in self._remembered.items() if key[0] != tab_id}
