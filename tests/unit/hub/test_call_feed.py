"""Who watches the calls of a hub learns of each one as it waits, runs and ends; nobody else pays for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.changed import Changed
from kapture.hub import records
from kapture.hub.records import Activity, CallFeed, CallState, CallWatcher
from tests.unit.hub.simulated import World, world


def _running(there: World) -> dict[str, Any]:
    return {tab.tab_id: tab.all_running() for tab in there.hub.state.router}


def _state(number: int, **more: Any) -> CallState:
    return CallState(number=number, command="t_echo", client="a", client_id="c", tab_id="tab1", since=0.0, **more)


def _activity(number: int) -> Activity:
    return Activity(
        number=number,
        tab_id="tab1",
        command="t_echo",
        client="a",
        client_id="c",
        started_at="2026-01-01T00:00:00+00:00",
        duration_ms=1.0,
        outcome="ok",
    )


async def test_a_call_is_seen_waiting_then_running_then_ended(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        first = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))
        asked = await tab.receive("command")
        feed = there.hub.state.records.feed
        with feed.watch(Changed(), _running(there)) as watcher:
            (before,) = watcher.take()
            assert (before.command, before.tab_id, before.outcome) == ("t_echo", "tab1", None)
            second = there.start(there.hub.call(there.client, "t_echo", {"tabId": "tab1", "word": "hunter2"}))
            await wait_all_tasks_blocked()
            (waiting,) = watcher.take()
            assert (waiting.waited_ms, waiting.outcome) == (None, None)
            assert "hunter2" not in str(waiting)
            await tab.answer(asked)
            asked = await tab.receive("command")
            ended, running = watcher.take()
            assert (ended.number, ended.outcome) == (before.number, "ok")
            assert running.number == waiting.number
            assert running.waited_ms is not None
            await tab.answer(asked)
            await second.wait()
            (over,) = watcher.take()
            assert (over.number, over.outcome, over.since) == (waiting.number, "ok", waiting.since)
        await first.wait()


async def test_two_watchers_each_get_every_call(tmp_path: Path, autojump_clock: Any) -> None:
    feed = CallFeed()
    changed = Changed()
    heard = trio.Event()

    async def listen() -> None:
        await changed.wait()
        heard.set()

    with feed.watch(changed, {}) as one, feed.watch(Changed(), {}) as other:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            await wait_all_tasks_blocked()
            feed.ended(_activity(1))
            await heard.wait()
        assert [call.number for call in one.take()] == [1] == [call.number for call in other.take()]
        assert one.take() == []


def test_a_watcher_that_is_slow_holds_the_latest_state_of_the_latest_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_CALLS", 3)
    watcher = CallWatcher(Changed())
    for number in (1, 2, 3, 4):
        watcher.put(_state(number))
    watcher.put(_state(2, outcome="ok"))
    assert [(call.number, call.outcome) for call in watcher.take()] == [(3, None), (4, None), (2, "ok")]
