"""Calls that wait for a person: asked once, for the tab, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.policy import Grant
from kapture.policy.audit import AuditLog, entries
from kapture.policy.policy_file import Approvals, PolicyFile
from tests.unit.hub.granted import INSIDE, READ, reaches_the_tab
from tests.unit.hub.simulated import fails, world


async def test_a_person_may_allow_a_step_once(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("t_act"))
        question = await tab.receive("approve")
        assert question["level"] == "interact"
        assert question["command"] == "t_act"
        await tab.send(type="approval", id=question["id"], decision="once")
        assert (await tab.receive("approve_end"))["id"] == question["id"]
        await tab.answer(await tab.receive("command"))
        assert await call.wait() == "ok"
        again = there.start(there.call("t_act"))
        assert (await tab.receive("approve"))["command"] == "t_act"
        again.scope.cancel()
        await tab.receive("approve_end")


async def test_a_tab_learns_at_once_that_what_was_allowed_once_is_over(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("t_act"))
        question = await tab.receive("approve")
        await tab.send(type="approval", id=question["id"], decision="once")
        await tab.answer(await tab.receive("command"))
        assert await call.wait() == "ok"
        ended_at = trio.current_time()
        ended = (await tab.receive("activity"))["entries"][-1]
        assert (ended["command"], ended["call"]) == ("t_act", question["call"])
        assert trio.current_time() == ended_at


async def test_a_person_may_allow_it_for_the_tab_or_not_at_all(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("t_full"))
        await tab.send(type="approval", id=(await tab.receive("approve"))["id"], decision="deny")
        assert await call.wait() is ErrorCode.POLICY_DENIED
        call = there.start(there.call("t_act"))
        await tab.send(type="approval", id=(await tab.receive("approve"))["id"], decision="tab")
        await tab.answer(await tab.receive("command"))
        assert await call.wait() == "ok"
        await reaches_the_tab(there, tab, "t_act")


async def test_a_question_that_nobody_answers_has_its_own_time_and_is_no_denial(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with AuditLog.open(tmp_path) as audit, world(tmp_path, audit=audit) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        asked = there.start(there.call("t_act", timeout=1_000))
        question = await tab.receive("approve")
        assert question["expiresMs"] == pytest.approx(300_000)
        await trio.sleep(7)  # longer than the call's own timeout
        await tab.send(type="approval", id=question["id"], decision="unanswered")
        assert await asked.wait() is ErrorCode.POLICY_DENIED
        error = await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert error.data["approval"] == "unanswered"
    decisions = [entry["asked"] for entry in entries(tmp_path) if entry["event"] == "decision"]
    assert decisions == ["unanswered", "unanswered"]


async def test_the_person_reads_what_the_call_would_do(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("evaluate", code="alert(1)"))
        question = await tab.receive("approve")
        assert question["shown"] == [{"name": "Code", "text": "alert(1)"}]
        call.scope.cancel()


async def test_a_client_hears_that_its_call_waits_for_a_person(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        heard: list[str] = []

        async def progress(done: float, total: float | None = None, message: str = "") -> None:
            heard.append(message)

        call = there.start(there.hub.call(there.client, "t_act", {"tabId": "tab1"}, progress=progress))
        await tab.receive("approve")
        await wait_all_tasks_blocked()
        assert heard == ["Waiting for the person to answer: tester wants to interact with this tab."]
        call.scope.cancel()


async def test_no_client_reads_what_another_one_asks(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("t_act"))
        await tab.receive("approve")
        assert there.hub.status()["questions"] == [{"tabId": "tab1"}]
        call.scope.cancel()


async def test_while_a_person_thinks_the_command_holds_its_place_and_others_go_on(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        first = there.start(there.call("t_echo", word="1"))
        held = await tab.receive("command")
        asks = there.start(there.call("t_act", word="2"))
        question = await tab.receive("approve")
        behind = there.start(there.call("t_echo", word="3"))
        await wait_all_tasks_blocked()
        with there.hub.client(name="other", kind="cli") as other:
            others = there.start(there.hub.call(other, "t_echo", {"tabId": "tab1", "word": "4"}))
            await wait_all_tasks_blocked()
            await tab.answer(held, "1")
            fourth = await tab.receive("command")
            assert fourth["params"]["word"] == "4", "another client's command must not wait for the person"
            await tab.answer(fourth)
            await others.wait()
        await tab.send(type="approval", id=question["id"], decision="once")
        for word in ("2", "3"):
            asked = await tab.receive("command")
            assert asked["params"]["word"] == word
            await tab.answer(asked, word)
        assert [await call.wait() for call in (first, asks, behind)] == ["1", "2", "3"]


async def test_a_question_ends_with_the_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(url=INSIDE, grant=READ, capabilities=["approve"])
        call = there.start(there.call("t_act"))
        await tab.receive("approve")
        await tab.close(4001)
        assert await call.wait() in (ErrorCode.TAB_DISCONNECTED, ErrorCode.POLICY_DENIED)
        assert not there.hub.state.consent.approvals.open_questions


@pytest.mark.parametrize("answer", ["once", "tab"])
async def test_a_client_cannot_widen_a_grant_by_answering_for_its_person(
    tmp_path: Path, autojump_clock: Any, answer: str
) -> None:
    rules = PolicyFile(approvals=Approvals(elicitation=True))
    async with world(tmp_path, rules=rules) as there:
        tab = await there.tab(url=INSIDE, grant=READ)
        asked = []

        async def elicit(title: str, detail: str) -> str:
            asked.append(title)
            return answer

        there.client.elicit = elicit
        await reaches_the_tab(there, tab, "t_act")
        assert "tester" in asked[0]
        (held,) = there.hub.state.router
        assert held.grant == Grant.make(["example.com"], "read")
        await reaches_the_tab(there, tab, "t_act")
        assert len(asked) == 2, "its yes is for one call"


async def test_a_client_is_not_asked_unless_the_policy_file_says_so(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab(url=INSIDE, grant=READ)

        asked = []

        async def elicit(title: str, detail: str) -> str:
            asked.append(title)  # an exception would be contained
            return "deny"

        there.client.elicit = elicit
        await fails(ErrorCode.POLICY_DENIED, there.call("t_act"))
        assert asked == []
