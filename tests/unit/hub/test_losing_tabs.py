"""Tabs that are lost, come back, leave, or want an id that is taken."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.errors import ErrorCode
from tests.unit.hub.simulated import fails, world


async def test_a_lost_tab_fails_what_runs_and_keeps_what_waits_for_5_s(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", browser={"instance": "one"})
        running = there.start(there.call("t_echo", word="1"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        await tab.close()
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        await trio.sleep(4.9)
        assert not waiting.done.is_set()
        back = await there.tab("tab1", browser={"instance": "one"})
        await back.answer(await back.receive("command"), "after all")
        assert await waiting.wait() == "after all"


async def test_what_waits_fails_when_the_tab_does_not_come_back(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.start(there.call("t_echo"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo"))
        await wait_all_tasks_blocked()
        await tab.close()
        began = trio.current_time()
        assert await waiting.wait() is ErrorCode.TAB_DISCONNECTED
        assert trio.current_time() - began == pytest.approx(5, abs=0.1)
        await trio.sleep(60)
        error = await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert "disconnected" in error.message
        assert "s ago" in error.message
        assert "list_tabs" in error.hint


async def test_a_command_sent_while_a_tab_is_away_waits_for_it(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        await tab.close()
        await wait_all_tasks_blocked()
        waiting = there.start(there.call("t_echo", word="patient"))
        await trio.sleep(2)
        back = await there.tab()
        there.nursery.start_soon(back.answer_all)
        assert await waiting.wait() == "patient"


@pytest.mark.parametrize("farewell", [{"code": 4001}, {"event": "disconnected"}, {"event": "target_closed"}])
async def test_a_tab_that_leaves_keeps_nobody_waiting(
    tmp_path: Path, autojump_clock: Any, farewell: dict[str, Any]
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.start(there.call("t_echo"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo"))
        await wait_all_tasks_blocked()
        began = trio.current_time()
        if "event" in farewell:
            await tab.send(type="event", event="detached", reason=farewell["event"], message="")
        await tab.close(farewell.get("code", 1000))
        assert await waiting.wait() is ErrorCode.TAB_DISCONNECTED
        assert trio.current_time() == began


@pytest.mark.parametrize(
    ("reason", "words", "advice"),
    [
        ("disconnected", "The person disconnected tab tab1", "Ask the person"),
        ("canceled_by_user", "The person ended the debugging of tab tab1 with Cancel", "Ask the person"),
        ("target_closed", "Tab tab1 was closed", "list_tabs"),
    ],
)
async def test_why_a_tab_left_is_in_the_error_of_every_call(
    tmp_path: Path, autojump_clock: Any, reason: str, words: str, advice: str
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1")
        running = there.start(there.call("t_echo"))
        await tab.receive("command")
        await tab.send(type="event", event="detached", reason=reason, message="")
        await tab.close(4001)
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        error = await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert error.message.startswith(words)
        assert advice in error.hint
        assert error.data["reason"] == reason


async def test_a_live_id_is_taken_over_only_by_the_same_browser(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1", browser={"instance": "one"})
        for impostor in ({"instance": "two"}, {}):
            other = there.connect()
            refused = await other.register("tab1", browser=impostor)
            assert (refused["type"], refused["code"]) == ("refused", "UNAUTHORIZED")
            assert (await other.receive("closed"))["code"] == 1008
        status = there.hub.status()
        assert [refusal["tab_id"] for refusal in status["refusedDisplacements"]] == ["tab1", "tab1"]
        assert "one" not in str(status["refusedDisplacements"])
        running = there.start(there.call("t_echo", word="1"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        again = await there.token_tab("tab1", browser={"instance": "one"})
        assert [one["tab_id"] for one in there.hub.status()["supersededConnections"]] == ["tab1"]
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        assert (await tab.receive("closed"))["type"] == "closed"
        await again.answer(await again.receive("command"), "2")
        assert await waiting.wait() == "2"
        assert list(there.hub.tabs) == ["tab1"]


async def test_another_way_of_authenticating_is_another_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, no_pairing=True) as there:
        await there.token_tab("tab1", browser={"instance": "one"})
        other = there.connect(token=False)
        assert (await other.register("tab1", browser={"instance": "one"}))["type"] == "refused"


async def test_a_plain_tab_cannot_push_another_out_but_may_come_back(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1")
        assert (await there.connect().register("tab1"))["type"] == "refused"
        await tab.close()
        await wait_all_tasks_blocked()
        assert (await there.connect().register("tab1"))["type"] == "registered"


async def test_an_id_is_never_used_for_another_browsers_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1", browser={"instance": "one"})
        await tab.close(4001)
        await trio.sleep(3_600)
        assert (await there.connect().register("tab1", browser={"instance": "two"}))["type"] == "refused"
        assert (await there.connect().register("tab1", browser={"instance": "one"}))["type"] == "registered"


async def test_a_tab_is_gone_only_when_it_has_not_come_back_within_the_grace_period(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", browser={"instance": "one"})
        async with there.hub.subscribe() as events:
            await tab.close()
            assert (await events.receive()).kind == "tab_disconnected"
            tab = await there.tab("tab1", browser={"instance": "one"})
            assert (await events.receive()).kind == "tab_connected"
            await tab.close()
            lost_at = trio.current_time()
            assert (await events.receive()).kind == "tab_disconnected"
            assert (await events.receive()).kind == "tab_gone"
            assert trio.current_time() - lost_at == pytest.approx(5, abs=0.1)


async def test_nothing_of_the_connection_of_a_tab_that_is_gone_stays_in_memory(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", url=f"https://shop.example/{'x' * 2_000}")
        known = there.hub.state.router.find("tab1")
        held: list[weakref.ref[Any]] = [
            weakref.ref(known.backend),
            weakref.ref(known.on_replaced),
        ]  # the latter closes the connection
        await tab.close(4001)
        await wait_all_tasks_blocked()
        await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        await wait_all_tasks_blocked()
        gc.collect()
        assert [one() for one in held] == [None, None]


async def test_of_a_gone_tabs_address_only_what_names_its_site_is_kept(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", url=f"https://shop.example/{'x' * 2_000}", title="y" * 200)
        known = there.hub.state.router.find("tab1")
        await tab.close(4001)
        await wait_all_tasks_blocked()
        await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert known.last_address.url.startswith("https://shop.example/xxx")
        assert len(known.last_address.url) + len(known.last_address.title) < 1_000
