"""The router: queue, lanes, timeouts, cancellation, late answers, events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.hub import Client
from tests.unit.hub.simulated import fails, world


async def _call(there: Any, client: Client, word: str, tab_id: str = "tab1") -> str:
    result = await there.hub.call(client, "t_echo", {"tabId": tab_id, "word": word})
    return str(result.text)


async def test_commands_run_one_at_a_time_in_order(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        calls = []
        for number in range(5):
            calls.append(there.start(there.call("t_echo", word=str(number))))
            await wait_all_tasks_blocked()
        for number, call in enumerate(calls):
            asked = await tab.receive("command")
            assert asked["params"]["word"] == str(number)
            with trio.move_on_after(1) as quiet:
                await tab.receive("command")
            assert quiet.cancelled_caught, "a second command was sent while the first ran"
            await tab.answer(asked, f"answer {number}")
            assert await call.wait() == f"answer {number}"


async def test_the_65th_command_finds_the_queue_full(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        calls = [there.start(there.call("t_echo", word=str(number))) for number in range(64)]
        await wait_all_tasks_blocked()
        error = await fails(ErrorCode.QUEUE_FULL, there.call("t_echo"))
        assert "64" in error.message
        there.nursery.start_soon(tab.answer_all)
        assert {await call.wait() for call in calls} == {str(number) for number in range(64)}
        assert await there.call("t_echo", word="again") == "again"


@pytest.mark.parametrize("command", ["t_echo", "t_peek"])
async def test_a_client_that_fills_a_tab_keeps_no_other_client_out(
    command: str, tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        for number in range(64):
            there.start(there.call(command, word=str(number)))
        await wait_all_tasks_blocked()
        with there.hub.client(name="other", kind="cli") as other:

            async def ask(word: str) -> str:
                return str((await there.hub.call(other, command, {"tabId": "tab1", "word": word})).text)

            first = there.start(ask("other's"))
            await wait_all_tasks_blocked()
            await fails(ErrorCode.QUEUE_FULL, ask("second"))
            await fails(ErrorCode.QUEUE_FULL, there.call(command))
            there.nursery.start_soon(tab.answer_all)
            assert await first.wait() == "other's"


async def test_a_timeout_runs_from_the_start_and_the_queue_continues(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1", timeout=8_000))
        await wait_all_tasks_blocked()
        second = there.start(there.call("t_echo", word="2", timeout=5_000))
        asked = await tab.receive("command")
        assert asked["timeoutMs"] == 8_000
        began = trio.current_time()
        assert await first.wait() is ErrorCode.COMMAND_TIMEOUT
        assert trio.current_time() - began == pytest.approx(8, abs=0.1)
        cancel = await tab.receive("cancel", "command")
        assert cancel == {"type": "cancel", "id": asked["id"]}
        next_asked = await tab.receive("command")
        await trio.sleep(4)  # it had waited 8 s, and still has its own 5 s
        await tab.answer(next_asked, "in time")
        assert await second.wait() == "in time"


async def test_a_late_answer_is_dropped_and_counted_and_never_given_to_another(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", timeout=1_000))
        asked = await tab.receive("command")
        assert await first.wait() is ErrorCode.COMMAND_TIMEOUT
        second = there.start(there.call("t_echo", timeout=9_000))
        asked_again = await tab.receive("command")
        await tab.answer(asked, "late")
        await tab.answer(asked, "late, twice")
        await wait_all_tasks_blocked()
        assert not second.done.is_set()
        await tab.answer(asked_again, "mine")
        assert await second.wait() == "mine"
        assert there.hub.status()["counters"]["lateAnswers"] == 2


async def test_an_answer_to_no_question_is_counted_and_harmless(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        call = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        await tab.send(type="response", id="c999", success=True, result="stray")
        await tab.answer(asked, "mine")
        assert await call.wait() == "mine"
        assert there.hub.status()["counters"]["unsolicitedAnswers"] == 1


async def test_a_cancelled_call_that_waits_leaves_the_queue(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1"))
        await wait_all_tasks_blocked()
        second = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        third = there.start(there.call("t_echo", word="3"))
        await wait_all_tasks_blocked()
        second.scope.cancel()
        await second.done.wait()
        there.nursery.start_soon(tab.answer_all)
        assert (await first.wait(), await third.wait()) == ("1", "3")


async def test_a_cancelled_call_that_runs_is_cancelled_on_the_tab_and_the_queue_continues(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.call("t_echo", word="1"))
        asked = await tab.receive("command")
        second = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        first.scope.cancel()
        assert await tab.receive("cancel") == {"type": "cancel", "id": asked["id"]}
        await tab.answer(await tab.receive("command"), "2")
        assert await second.wait() == "2"


async def test_control_commands_run_beside_what_runs(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        held = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        peek = there.start(there.call("t_peek"))
        beside = await tab.receive("command")
        assert beside["command"] == "kapturemcp_t_peek"
        await tab.answer(beside, "seen")
        assert await peek.wait() == "seen"
        await tab.answer(asked, "done")
        assert await held.wait() == "done"


async def test_no_tab_delays_another(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.tab("slow")
        quick = await there.tab("quick")
        there.nursery.start_soon(quick.answer_all)
        held = [there.start(there.call("t_echo", "slow")) for _ in range(64)]
        await wait_all_tasks_blocked()
        began = trio.current_time()
        for _ in range(20):
            await there.call("t_echo", "quick")
        assert trio.current_time() == began
        assert not any(call.done.is_set() for call in held)


async def test_two_clients_take_turns_on_one_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        with there.hub.client(name="other", kind="cli") as other:
            for number in range(4):
                there.start(_call(there, there.client, f"a{number}"))
                await wait_all_tasks_blocked()
            for number in range(2):
                there.start(_call(there, other, f"b{number}"))
                await wait_all_tasks_blocked()
            order = []
            for _ in range(6):
                asked = await tab.receive("command")
                order.append(asked["params"]["word"])
                await tab.answer(asked)
        assert order == ["a0", "a1", "b0", "a2", "b1", "a3"]


async def test_the_hub_is_idle_when_the_last_tab_and_client_have_gone(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        idle = there.start(there.hub.wait_until_idle(60_000))
        tab = await there.tab()
        there.nursery.start_soon(tab.answer_all)
        there.leave.close()
        await trio.sleep(100)
        assert not idle.done.is_set(), "a tab was there"
        await tab.close()
        began = trio.current_time()
        await idle.wait()
        assert trio.current_time() - began == pytest.approx(65, abs=1), "it might have come back for 5 s"
