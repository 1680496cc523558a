"""Tabs that the browser puts to sleep, with a scripted browser on the other end."""

from __future__ import annotations

from pathlib import Path

import pytest
from trio.testing import wait_all_tasks_blocked

from kapture.backends.chromium.find import ATTACHED
from tests.unit.backends.browser_bench import ScriptedBrowser, browser


async def replace(
    socket: ScriptedBrowser,
    old: tuple[str, str],
    new: tuple[str, str],
    *,
    sleeps: bool,
    title: str = "",
    wakes: bool = False,
) -> None:
    """Say that one target comes and another goes, each given by its session and id, and reply to what is asked then."""
    socket.silent = True
    await socket.announce(*new, "https://a.test/", title)
    await socket.say({"method": "Target.detachedFromTarget", "params": {"sessionId": old[0]}})
    await socket.say({"method": "Target.targetDestroyed", "params": {"targetId": old[1]}})
    await wait_all_tasks_blocked()
    if sleeps:
        await socket.say({"method": "Inspector.targetCrashed", "params": {}, "sessionId": new[0]})
    if wakes:
        info = {"targetId": new[1], "type": "page", "url": "https://a.test/", "title": title}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
    await socket.reply()
    await wait_all_tasks_blocked()


async def test_a_tab_that_the_browser_puts_to_sleep_keeps_its_id_at_the_target_that_replaces_its_own(
    tmp_path: Path,
) -> None:
    async with browser(tmp_path) as (made, socket):
        for session_id, target_id in (("first", "T1"), ("second", "T2")):
            await socket.announce(session_id, target_id, "https://a.test/")
        await wait_all_tasks_blocked()
        first, second = made.tabs
        made.ids.open("T2")
        await socket.announce("other", "T3", "https://b.test/")
        await replace(socket, ("second", "T2"), ("asleep", "T4"), sleeps=True)
        assert len(made.tabs) == 3
        assert {first, second} < set(made.tabs)
        assert (second.leaving, second.gone.is_set()) == (False, False)
        assert second.why_detached == "The browser has put this tab to sleep."
        assert [known.target_id for known in made.ids.known if known.opened] == ["T4"]
        info = {"targetId": "T4", "type": "page", "url": "https://a.test/", "title": "Awake"}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
        await wait_all_tasks_blocked()
        assert not second.why_detached
        assert second.address.title == "Awake"
        await socket.announce("new", "T5", "https://a.test/")
        await wait_all_tasks_blocked()
        assert len(made.tabs) == 4


@pytest.mark.parametrize("sleeps", [True, False])
async def test_a_tab_that_wakes_as_soon_as_it_sleeps_goes_on_with_its_id(tmp_path: Path, sleeps: bool) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://a.test/", "Mine")
        await wait_all_tasks_blocked()
        (tab,) = made.tabs
        await replace(socket, ("first", "T1"), ("second", "T2"), sleeps=sleeps, title="Mine", wakes=True)
        assert made.tabs == (tab,)
        assert not tab.why_detached
        assert (tab.leaving, tab.gone.is_set()) == (False, False)


async def test_a_tab_that_is_closed_beside_another_of_its_address_is_gone(tmp_path: Path) -> None:
    async with browser(tmp_path) as (made, socket):
        await socket.announce("first", "T1", "https://a.test/")
        await wait_all_tasks_blocked()
        (first,) = made.tabs
        await replace(socket, ("first", "T1"), ("second", "T2"), sleeps=False)
        assert (first.leaving, first.gone.is_set()) == (True, True)
        (second,) = made.tabs
        assert second.tab_id != first.tab_id


async def test_a_tab_that_sleeps_when_its_browser_is_attached_to_says_so_and_wakes(tmp_path: Path) -> None:
    socket = ScriptedBrowser()
    socket.asleep = {"mine": "T1"}
    async with browser(tmp_path, kind=ATTACHED, socket=socket) as (made, _):
        (tab,) = made.tabs
        assert tab.why_detached == "The browser has put this tab to sleep, or its page has crashed."
        info = {"targetId": "T1", "type": "page", "url": "https://a.test/", "title": "Awake"}
        await socket.say({"method": "Target.targetInfoChanged", "params": {"targetInfo": info}})
        await wait_all_tasks_blocked()
        assert not tab.why_detached
