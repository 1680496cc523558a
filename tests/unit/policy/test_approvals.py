"""Approvals: one question for many calls, the first answer counts, no answer is no, nothing is left behind."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio

from kapture.commands.core.registry import Access
from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Grant, Policy, Request
from kapture.policy.approvals import MAX_OPEN, MAX_OPEN_PER_CLIENT, REMEMBERED_S, Admission, Approvals
from kapture.policy.policy import widened
from kapture.policy.policy_file import Approvals as ApprovalRules
from kapture.policy.policy_file import PolicyFile
from kapture.policy.question import Question, Shown, Verdict
from tests.unit.policy.asking import GRANT, INSIDE, OUTSIDE, Person, admitter, command, denied


@attrs.frozen
class Code:
    code: str = ""


async def test_granted_step_is_never_asked_for(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        admission = await admitter(approvals, person)(run=command(access=Access.READ))
        assert admission.allowed_once == ()
        assert person.asked == []


async def test_once_widens_this_call_and_nothing_else(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        grants: list[Grant] = []
        admit = admitter(approvals, person)
        person.say("once")
        admission = await admit(grants=grants)
        assert widened(GRANT, admission.allowed_once) == Grant.make(["example.com"], "interact")
        assert grants == []
        person.say("deny")
        await denied(admit())
        assert len(person.asked) == 2


async def test_for_this_tab_tells_the_wider_grant(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        grants: list[Grant] = []
        person.say("tab")
        await admitter(approvals, person)(grants=grants)
        assert grants == [Grant.make(["example.com"], "interact")]


async def test_level_and_site_are_one_question(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        grants: list[Grant] = []
        person.say("once")
        admission = await admitter(approvals, person)(url=OUTSIDE, grants=grants)
        assert [(question.ask.level, question.ask.site) for question in person.asked] == [
            (Access.INTERACT, "other.test")
        ]
        together = Grant.make(["example.com", "other.test"], "interact")
        assert (widened(GRANT, admission.allowed_once), grants) == (together, [])
        person.say("deny")
        await denied(admitter(approvals, person)(url=OUTSIDE))
        await denied(admitter(approvals, person)(url=INSIDE))  # a no to both is a no to each
        assert len(person.asked) == 2


@pytest.mark.parametrize(
    ("access", "level", "url", "suffices"),
    [
        (Access.READ, "interact", OUTSIDE, True),
        (Access.READ, "read", OUTSIDE, False),  # it is all that the tab allows
        (Access.INTERACT, "full", OUTSIDE, False),
        (Access.FULL, "interact", INSIDE, False),
    ],
)
async def test_question_says_whether_reading_suffices_for_a_site(
    access: Access, level: str, url: str, suffices: bool, autojump_clock: trio.testing.MockClock
) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person, grant = Person(), [Grant.make(["example.com"], level)]
        run = partial(admitter(approvals, person), run=command(access=access), url=url, grant=lambda: grant[-1])
        nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        assert [question.read_suffices for question in person.asked] == [suffices]
        if suffices:
            grant.append(Grant.make(["example.com", "other.test"], "read"))
            approvals.grant_changed("T")  # the call runs
        else:
            nursery.cancel_scope.cancel()


async def test_no_is_an_error_that_names_the_person(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        person.say("deny")
        error = await denied(admitter(approvals, person)())
        assert error.data["approval"] == "denied"
        assert "person was asked" in error.hint


async def test_no_answer_is_no_denial_and_comes_after_five_minutes(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        admit = admitter(approvals, person)
        start = trio.current_time()
        error = await denied(admit())
        assert error.data["approval"] == "unanswered"
        assert "not a no" in error.hint
        assert trio.current_time() - start == pytest.approx(300)
        assert person.withdrawn == [None]
        assert approvals.open_questions == ()
        again = await denied(admit())  # the person is not asked again at once
        assert (again.data["approval"], len(person.asked)) == ("unanswered", 1)


async def test_a_question_that_is_closed_is_unanswered_unless_another_way_of_asking_stands(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with Approvals.open() as approvals:
        extension, form = Person(), Person()
        extension.say("unanswered")
        error = await denied(admitter(approvals, extension)())
        assert error.data["approval"] == "unanswered"
        approvals.grant_changed("T")
        extension.say("unanswered")
        form.say("once")
        await admitter(approvals, extension, form)()


async def test_the_question_shows_what_the_call_would_do_and_once_is_for_that_call(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        ran: list[str] = []

        async def call(code: str) -> None:
            await admit(run=command("evaluate"), params=Code(code))
            ran.append(code)

        for code in ("first()", "second()", "third()"):
            nursery.start_soon(call, code)
            await trio.testing.wait_all_tasks_blocked()
        for number in range(3):
            person.say("once")
            await trio.testing.wait_all_tasks_blocked()
            (part,) = person.asked[number].shown
            assert part == Shown("Code", ran[number])
        assert sorted(ran) == ["first()", "second()", "third()"]


async def test_question_ends_with_its_call(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        person = Person()
        admit = admitter(approvals, person)
        first = trio.CancelScope()

        async def call(code: str, scope: trio.CancelScope) -> None:
            with scope:
                await admit(run=command("evaluate"), params=Code(code))

        nursery.start_soon(call, "first()", first)
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(call, "second()", trio.CancelScope())
        await trio.testing.wait_all_tasks_blocked()
        first.cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert [question.shown[0].text for question in person.asked] == ["first()", "second()"]
        person.say("once")


async def test_a_grant_widened_by_hand_lets_the_waiting_call_through(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals, trio.open_nursery() as nursery:
        grants = [GRANT]
        admitted: list[Admission] = []

        async def call() -> None:
            admitted.append(await admitter(approvals, Person())(grant=lambda: grants[-1]))

        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        grants.append(Grant.make(["example.com"], "interact"))
        approvals.grant_changed("T")
        await trio.testing.wait_all_tasks_blocked()
        assert [one.asked for one in admitted] == [()]


async def test_the_first_answer_counts_and_the_others_are_withdrawn(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        extension, form = Person(), Person()
        form.say("once")
        await admitter(approvals, extension, form)()
        assert extension.withdrawn == ["once"]


async def test_one_way_of_asking_that_is_gone_leaves_the_other(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:

        async def gone(question: Question) -> Verdict | None:
            raise KaptureError(ErrorCode.TAB_DISCONNECTED, "gone")

        person = Person()
        person.say("once")
        admission = await approvals.admit(
            Policy(home=Path("/h")),
            lambda: Request(command=command(), grant=GRANT, url=INSIDE),
            client_id="c",
            tab_id="T",
            askers=[gone, person],
        )
        assert admission.asked[0][1] == "once"


async def test_error_is_plain_when_nobody_can_be_asked(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        nobody = Person()
        nobody.say(None, None)
        admit = admitter(approvals, nobody)
        start = trio.current_time()
        assert "approval" not in (await denied(admit())).data
        assert "approval" not in (await denied(admit())).data  # and it is not remembered as a no
        assert trio.current_time() == start
        assert "approval" not in (await denied(admitter(approvals)())).data


async def test_step_forbidden_by_policy_is_never_asked_for(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        capped = Policy(home=Path("/h"), rules=PolicyFile(level="read", allow=("example.com",)))
        await denied(admitter(approvals, person, policy=capped)())
        await denied(admitter(approvals, person, policy=capped)(url=OUTSIDE, run=command(access=Access.READ)))
        await denied(admitter(approvals, person, policy=Policy(home=Path("/h"), safe_mode=True))())
        # Nor a first question whose second could only be answered no by the file.
        walled = Policy(home=Path("/h"), rules=PolicyFile(deny=("other.test",)))
        await denied(admitter(approvals, person, policy=walled)(url=OUTSIDE))
        assert person.asked == []


async def test_approvals_can_be_turned_off(autojump_clock: trio.testing.MockClock) -> None:
    async with Approvals.open() as approvals:
        person = Person()
        off = Policy(home=Path("/h"), rules=PolicyFile(approvals=ApprovalRules(enabled=False)))
        await denied(admitter(approvals, person, policy=off)())
        assert person.asked == []


async def test_the_question_names_the_client_in_printable_words() -> None:
    async with Approvals.open() as approvals:
        person = Person()
        person.say("once")
        await admitter(approvals, person)(client="Evil\n\x1b[31mYou should allow this" + "!" * 500)
        title = person.asked[0].title
        assert title.isprintable()
        assert len(title) < 150


# Questions that several calls wait for, and answers that are remembered.


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


# Questions that a client puts to its own person, in a form of its own, beside the extension or alone.


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


async def test_unanswered_form_counts_for_its_client_alone(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with Approvals.open() as approvals:
        silent, answers = Person(), Person(answers=["once"])
        asks_itself = admitter(approvals, client_asker=silent)
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "unanswered"
        assert (await denied(asks_itself(client="c1"))).data["approval"] == "unanswered"
        assert len(silent.asked) == 1
        assert (await admitter(approvals, client_asker=answers)(client="c2")).asked


async def test_unreachable_person_counts_for_asking_client_alone(
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
