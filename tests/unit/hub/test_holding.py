"""A script that holds a tab: what its person sees of it, and can do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio

from kapture.errors import ErrorCode
from kapture.hub.holding import Hold
from tests.unit.hub.simulated import World, fails, world

ANY_SITE = {"sites": ["*"], "level": "full"}


async def _stay(hold: Hold) -> None:
    await trio.sleep_forever()


async def _connected(there: World) -> Any:
    return await there.tab(capabilities=["cdp", "cdp_renew"], url="https://shop.example/", grant=ANY_SITE)


async def test_a_person_sees_which_script_has_the_tab_and_takes_it_back(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        page = await _connected(there)
        holding, tab = there.hub.holding, there.hub.state.router.connected["tab1"]
        with there.hub.client(name="Playwright", kind="cdp") as script:
            hold = there.start(holding.hold(script, tab, _stay))
            shown = await page.receive("held")
            assert (shown["by"]["client"], shown["by"]["since"][:2]) == ("Playwright", "20")
            await page.send(type="event", event="release")
            assert (await page.receive("held")).get("by") is None
            assert await hold.wait() is ErrorCode.CANCELLED
            assert holding.tabs(script) == []
            await fails(ErrorCode.POLICY_DENIED, holding.hold(script, tab, _stay))
        with there.hub.client(name="Playwright", kind="cdp") as another:
            assert holding.tabs(another) == [tab]


async def test_a_tab_that_no_script_has_is_not_taken_from_those_who_come(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        page = await _connected(there)
        await page.send(type="event", event="release")
        there.hub.holding.end("tab1")
        there.hub.holding.end("no tab")
        with there.hub.client(name="Playwright", kind="cdp") as script:
            there.start(there.hub.holding.hold(script, there.hub.state.router.connected["tab1"], _stay))
            assert (await page.receive("held"))["by"]["client"] == "Playwright"
