"""The heartbeat of a tab's socket: who stays connected, and who does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from tests.unit.hub.simulated import world


async def test_a_silent_tab_is_disconnected_after_two_missed_heartbeats(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        tab.alive = False
        began = trio.current_time()
        pings = 0
        while (message := await tab.receive("ping", "closed"))["type"] == "ping":
            pings += 1
        assert message["code"] == 1001
        assert pings == 2
        assert trio.current_time() - began == pytest.approx(30, abs=1)
        assert not there.hub.tabs


async def test_a_tab_that_knows_no_ping_stays_while_its_websocket_answers_pings(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        tab.alive = False
        tab.hub_end.pongs = True
        await trio.sleep(120)
        (row,) = there.hub.tab_states()
        assert row["silentMs"] <= 10_000
        tab.hub_end.pongs = False
        await trio.sleep(40)
        assert not there.hub.tabs


async def test_a_tab_that_answers_pings_stays(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.nursery.start_soon(tab.answer_all)
        await trio.sleep(300)
        assert await there.call("t_echo", word="x") == "x"


async def test_a_websocket_that_answers_no_pings_is_not_sent_another_while_one_is_unanswered(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.nursery.start_soon(tab.answer_all)  # it answers the hub's own
        await trio.sleep(300)
        assert "tab1" in there.hub.tabs
        assert tab.hub_end.pings == 1


async def test_the_hub_answers_a_tabs_ping(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        await tab.send(type="ping", ts=17)
        assert await tab.receive("pong") == {"type": "pong", "ts": 17}
