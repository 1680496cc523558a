"""Questions that several calls wait for, and answers that are remembered."""

from __future__ import annotations

from collections import Counter

import pytest
import trio

from kapture.errors import KaptureError
from kapture.policy import Grant
from kapture.policy.approvals import (
    MAX_OPEN,
    MAX_OPEN_PER_CLIENT,
    REMEMBERED_S,
    Admission,
    Approvals,
)
from kapture.policy.question import Verdict
from tests.unit.policy.asking import Person, admitter, command, denied


async def test_a_flood_of_calls_is_one_question(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        admitted: list[Admission] = []

        async def call() -> None:
            admitted.append(await admit())

        for _ in range(100):
            nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        assert len(person.asked) == 1
        assert approvals.open_questions[0].waiting == 100
        person.say("tab")
        await trio.testing.wait_all_tasks_blocked()
        assert len(admitted) == 100
        assert len(person.asked) == 1


async def test_once_lets_one_call_of_a_flood_through(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        outcomes: list[str] = []

        async def call() -> None:
            try:
                await admit()
                outcomes.append("allowed")
            except KaptureError:
                outcomes.append("denied")

        for _ in range(10):
            nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        person.say("once")
        await trio.testing.wait_all_tasks_blocked()
        assert outcomes == ["allowed"]
        person.say("deny")
        await trio.testing.wait_all_tasks_blocked()
        assert sorted(outcomes) == ["allowed"] + ["denied"] * 9
        assert len(person.asked) == 2


async def test_once_for_one_command_is_not_spent_by_another(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        done: list[str] = []

        async def call(name: str) -> None:
            await admit(run=command(name))
            done.append(name)

        nursery.start_soon(call, "click")
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(call, "drag")
        await trio.testing.wait_all_tasks_blocked()
        assert [question.command for question in person.asked] == ["click", "drag"]
        person.say("once")
        await trio.testing.wait_all_tasks_blocked()
        assert len(done) == 1
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("verdict", ["tab", "deny"])
async def test_an_answer_for_good_settles_what_other_commands_wait_for(
    autojump_clock: trio.testing.MockClock, verdict: Verdict
) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        grants: list[Grant] = []
        admit = admitter(approvals, person)
        outcomes: list[str] = []

        async def call(name: str) -> None:
            try:
                await admit(run=command(name), grants=grants)
                outcomes.append("tab")
            except KaptureError:
                outcomes.append("deny")

        for name in ("click", "drag", "hover"):
            nursery.start_soon(call, name)
            await trio.testing.wait_all_tasks_blocked()
        assert len(approvals.open_questions) == 3
        person.say(verdict)
        await trio.testing.wait_all_tasks_blocked()
        assert outcomes == [verdict] * 3
        assert approvals.open_questions == ()
        assert set(grants) == (set() if verdict == "deny" else {Grant.make(["example.com"], "interact")})
        start = trio.current_time()
        if verdict == "deny":  # and it holds for a command that was not asked about
            await denied(admit(run=command("press")))
            assert trio.current_time() == start


async def test_a_no_is_remembered_for_a_while_and_not_for_ever(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        admit = admitter(approvals, person)
        person.say("deny")
        await denied(admit())
        for _ in range(20):
            await denied(admit())
        assert len(person.asked) == 1
        await denied(admit(client="c2"))  # the same client may have connected anew
        approvals.withdraw("T")  # and so may the tab
        await denied(admit())
        assert len(person.asked) == 1
        await trio.sleep(REMEMBERED_S + 1)
        person.say("once")
        await admit()
        assert len(person.asked) == 2


async def test_a_changed_grant_makes_a_no_forgotten(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        admit = admitter(approvals, person)
        person.say("deny")
        await denied(admit())
        approvals.grant_changed("T")
        person.say("once")
        await admit()
        assert len(person.asked) == 2


async def test_a_cancelled_caller_takes_its_question_back(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        admit = admitter(approvals, person)
        with trio.move_on_after(1):
            await admit()
        await trio.testing.wait_all_tasks_blocked()
        assert person.withdrawn == [None]
        assert approvals.open_questions == ()
        person.say("once")
        await admit()  # and it was no "no"


async def test_a_question_stays_while_another_call_waits_for_it(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        admitted: list[Admission] = []

        async def stays() -> None:
            admitted.append(await admit())

        nursery.start_soon(stays)
        await trio.testing.wait_all_tasks_blocked()
        with trio.move_on_after(1):
            await admit()
        await trio.testing.wait_all_tasks_blocked()
        assert person.withdrawn == []
        person.say("once")
        await trio.testing.wait_all_tasks_blocked()
        assert len(admitted) == 1


async def test_open_questions_are_bounded(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)

        async def call(client: str, tab: str) -> None:
            with pytest.raises(KaptureError):
                await admit(client=client, tab=tab)

        for number in range(50):
            nursery.start_soon(call, "flooder", f"T{number}")
        await trio.testing.wait_all_tasks_blocked()
        assert len(approvals.open_questions) == MAX_OPEN_PER_CLIENT
        for number in range(50):
            nursery.start_soon(call, f"c{number}", "T")
        await trio.testing.wait_all_tasks_blocked()
        assert len(approvals.open_questions) == MAX_OPEN
        assert (await denied(admit(client="late", tab="T"))).data["approval"] == "not asked"
        for _ in range(MAX_OPEN):
            person.say("deny")


async def test_a_few_clients_leave_questions_for_the_others(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        refused: list[KaptureError] = []

        async def call(client: str, tab: str) -> None:
            refused.append(await denied(admit(client=client, tab=tab)))

        for client in range(6):
            for tab in range(6):
                nursery.start_soon(call, f"c{client}", f"T{tab}")
                await trio.testing.wait_all_tasks_blocked()
        asked = Counter(question.client_id for question in approvals.open_questions)
        assert asked == {"c0": 4, "c1": 4, "c2": 1, "c3": 1, "c4": 1, "c5": 1}
        assert {error.data["approval"] for error in refused} == {"not asked"}
        assert all(error.hint.startswith("Too many questions are open") for error in refused)
        for _ in asked.elements():
            person.say("deny")


async def test_a_tab_that_goes_takes_its_questions_along(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)

        async def call() -> None:
            await denied(admit())

        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        approvals.withdraw("T")
        await trio.testing.wait_all_tasks_blocked()
        assert approvals.open_questions == ()
