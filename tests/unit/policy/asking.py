"""Calls that need a person's permission, and persons who answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import attrs
import pytest
import trio

from kapture.commands.core.registry import Access, Command, Lane, Scope
from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Grant, Policy, Request
from kapture.policy.approvals import (
    Admission,
    Approvals,
)
from kapture.policy.question import Asker, Question, Verdict

GRANT = Grant.make(["example.com"], "read")


INSIDE, OUTSIDE = "https://example.com/", "https://other.test/"


@attrs.frozen
class Nothing:
    pass


async def handler(context: object, params: Nothing) -> None:
    """Never run: policy stands before it."""


def command(name: str = "click", access: Access = Access.INTERACT) -> Command:
    return Command(
        name=name,
        params=Nothing,
        handler=handler,
        access=access,
        lane=Lane.PAGE,
        scope=Scope.TAB,
        timeout_ms=1,
        toolset="core",
        shows_page=False,
        acts=False,
        destructive=False,
        idempotent=False,
        open_world=False,
        reads_page=False,
    )


@attrs.define
class Person:
    """Answers what the test says, when the test says."""

    answers: list[Verdict | None] = attrs.field(factory=list)
    asked: list[Question] = attrs.field(factory=list)
    withdrawn: list[Verdict | None] = attrs.field(factory=list)
    change: trio.Event = attrs.field(factory=trio.Event)

    async def __call__(self, question: Question) -> Verdict | None:
        self.asked.append(question)
        try:
            while not self.answers:
                await self.change.wait()
        except trio.Cancelled:
            self.withdrawn.append(question.verdict)
            raise
        return self.answers.pop(0)

    def say(self, *verdicts: Verdict | None) -> None:
        self.answers += verdicts
        self.change.set()
        self.change = trio.Event()


Admit = Callable[..., Awaitable[Admission]]


def admitter(
    approvals: Approvals, *people: Asker, policy: Policy | None = None, client_asker: Asker | None = None
) -> Admit:
    async def admit(
        client: str = "c1",
        tab: str = "T",
        url: str = INSIDE,
        run: Command | None = None,
        grants: list[Grant] | None = None,
        grant: Grant | Callable[[], Grant] = GRANT,
        params: object = None,
    ) -> Admission:
        def request() -> Request:
            now = grant if isinstance(grant, Grant) else grant()
            return Request(command=run or command(), params=params, client=client, grant=now, url=url)

        return await approvals.admit(
            policy or Policy(home=Path("/h")),
            request,
            client_id=client,
            tab_id=tab,
            askers=people,
            client_asker=client_asker,
            on_tab_grant=(grants if grants is not None else []).append,
        )

    return admit


async def denied(call: Awaitable[Admission]) -> KaptureError:
    with pytest.raises(KaptureError) as caught:
        await call
    assert caught.value.code is ErrorCode.POLICY_DENIED
    return caught.value
