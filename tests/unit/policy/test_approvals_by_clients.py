"""Questions that a client puts to its own person, in a form of its own, beside the extension or alone."""

from __future__ import annotations

import pytest
import trio

from kapture.errors import ErrorCode, KaptureError
from kapture.policy.approvals import Admission, Approvals
from kapture.policy.question import Question, Verdict
from tests.unit.policy.asking import Person, admitter, denied


async def test_a_no_of_a_client_holds_for_that_client_alone(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person, client = Person(), Person()
        asks_itself = admitter(approvals, person, client_asker=client)
        admit = admitter(approvals, person)
        admitted: list[Admission] = []

        async def another() -> None:
            admitted.append(await admit(client="c2"))

        nursery.start_soon(another)
        client.say("deny")
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "denied"
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "denied"
        assert len(client.asked) == 1, "its own no is remembered for it"
        await trio.testing.wait_all_tasks_blocked()
        assert admitted == [], "the other client's question is still open"
        person.say("once")
        await trio.testing.wait_all_tasks_blocked()
        assert len(admitted) == 1
        person.say("once")
        assert (await admit(client="c2")).asked


async def test_a_no_of_the_person_holds_for_a_client_that_asks_itself(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person, client = Person(answers=["deny"]), Person()
        await denied(admitter(approvals, person)(client="c1"))
        await denied(admitter(approvals, person, client_asker=client)(client="c2"))
        assert client.asked == []


async def test_that_a_client_did_not_answer_its_own_form_holds_for_that_client_alone(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with Approvals.open() as approvals:
        silent, answers = Person(), Person(answers=["once"])
        asks_itself = admitter(approvals, client_asker=silent)
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "unanswered"
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "unanswered"
        assert len(silent.asked) == 1
        assert (await admitter(approvals, client_asker=answers)(client="c2")).asked


async def test_that_only_a_client_was_left_to_answer_holds_for_that_client_alone(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def gone(question: Question) -> Verdict | None:
        raise KaptureError(ErrorCode.TAB_DISCONNECTED, "The tab has gone.")

    async with Approvals.open() as approvals:
        person = Person(answers=["once"])
        asks_itself = admitter(approvals, gone, client_asker=Person())
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "unanswered"
        assert (await admitter(approvals, person)(client="c2")).asked


async def test_a_way_of_asking_that_fails_by_a_bug_ends_alone(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(question: Question) -> Verdict | None:
        raise ZeroDivisionError

    async with Approvals.open() as approvals:
        assert (await admitter(approvals, broken, client_asker=Person(answers=["once"]))()).asked
        await denied(admitter(approvals, broken)(client="c2"))
        assert approvals.open_questions == ()
    assert caplog.text.count("because of a bug in Kapture") == 2
