"""What a person has stopped does not go on until they say so, and only they do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trio.testing import wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.hub import Hub
from tests.unit.hub.simulated import SimulatedTab, World, fails, world


async def running(there: World, tab: SimulatedTab) -> Any:
    """A command that the tab has not answered."""
    call = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
    await tab.receive("command")
    return call


async def test_stop_ends_what_the_client_runs_and_waits_for_and_pauses_it_on_this_tab_until_the_person_resumes(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        other = await there.tab("tab2")
        there.nursery.start_soon(other.answer_all)
        call = await running(there, tab)
        waiting = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        await wait_all_tasks_blocked()
        await tab.send(type="event", event="stop", client="tester")
        assert await call.wait() is await waiting.wait() is ErrorCode.CANCELLED
        assert await tab.receive("paused") == {"type": "paused", "clients": ["tester"]}
        with there.hub.client(name="tester", kind="cli") as again:  # connecting again does not help it
            denied = await fails(ErrorCode.POLICY_DENIED, there.hub.call(again, "t_echo", {"tabId": "tab1"}))
        assert denied.data == {"paused": True}
        assert await there.call("t_echo", tab_id="tab2") == "ok"
        with there.hub.client(name="another", kind="cli") as another:
            there.nursery.start_soon(tab.answer_all)
            assert (await there.hub.call(another, "t_echo", {"tabId": "tab1"})).text == "ok"
        await tab.send(type="event", event="resume")
        await wait_all_tasks_blocked()
        assert await there.call("t_echo") == "ok"


async def test_paused_client_does_not_ask_the_person(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        await tab.send(type="event", event="stop", client="tester")
        await wait_all_tasks_blocked()
        asked = {"tabId": "tab1", "what": "Sign in."}
        denied = await fails(ErrorCode.POLICY_DENIED, there.hub.call(there.client, "ask_person", asked))
        assert denied.data == {"paused": True}


async def test_pause_all_lets_what_runs_end_and_stop_all_ends_it(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        call = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        command = await tab.receive("command")
        await tab.send(type="event", event="pause", everywhere=True)
        await wait_all_tasks_blocked()
        await fails(ErrorCode.POLICY_DENIED, there.call("t_echo"))
        await tab.answer(command)
        assert (await call.wait()).text == "ok"
        await tab.send(type="event", event="resume", everywhere=True)
        await wait_all_tasks_blocked()
        call = await running(there, tab)
        await tab.send(type="event", event="stop", everywhere=True)
        assert await call.wait() is ErrorCode.CANCELLED
        late = await there.tab("tab2", capabilities=["activity"])
        assert (await late.receive("paused"))["everywhere"]
        await fails(ErrorCode.POLICY_DENIED, there.call("t_echo", tab_id="tab2"))


async def test_tab_of_a_client_neither_stops_nor_resumes_anybody(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab, mine = await there.tab(), await there.token_tab("tab2")
        await mine.send(type="event", event="pause", everywhere=True)
        await wait_all_tasks_blocked()
        assert not paused(there.hub)
        await tab.send(type="event", event="pause", everywhere=True)
        await wait_all_tasks_blocked()
        await mine.send(type="event", event="resume", everywhere=True)
        await wait_all_tasks_blocked()
        assert paused(there.hub)


def paused(hub: Hub) -> bool:
    """Whether all clients are paused."""
    return hub.state.pauses.everywhere
