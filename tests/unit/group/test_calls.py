"""Calls for tabs of other machines: they run there, once, by the rules there."""

from __future__ import annotations

from pathlib import Path

import trio
from trio.testing import MockClock

from kapture.errors import ErrorCode
from tests.unit.group.machines import two
from tests.unit.hub.simulated import fails


async def test_an_agent_uses_a_tab_of_another_machine(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        laptop.world.nursery.start_soon(tab.answer_all)
        assert await devhost.call("t_echo", "tab1", word="hello") == "hello"
        assert (await devhost.hub.call(devhost.agent, "t_echo", {"word": "the only one"})).text == "the only one"
        listed = await devhost.hub.call(devhost.agent, "list_tabs", {})
        (row,) = listed.data["tabs"]
        assert (row["tabId"], row["machine"], row["url"]) == ("tab1", "laptop", "https://shop.example/cart")


async def test_tab_that_is_not_for_the_group_is_neither_shown_nor_used(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        await laptop.tab("mine", group=False)
        assert not (await devhost.hub.call(devhost.agent, "list_tabs", {})).data["tabs"]
        error = await fails(ErrorCode.TAB_NOT_FOUND, devhost.hub.call(devhost.agent, "t_echo", {"tabId": "mine"}))
        assert "shop" not in f"{error} {error.data}"


async def test_a_cancelled_call_is_cancelled_there(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with two(tmp_path) as (_, laptop, devhost):
        tab = await laptop.tab("tab1")
        with trio.move_on_after(1):
            await devhost.call("t_echo", "tab1")
        command = await tab.receive("command")
        assert (await tab.receive("cancel"))["id"] == command["id"]
