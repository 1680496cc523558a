"""Which tabs a script gets when another script, or a dialog, is in its way."""

from __future__ import annotations

from pathlib import Path

from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode, KaptureError
from tests.unit.endpoints.cdp.fake_browser import world


async def test_a_second_script_is_refused_while_the_first_one_holds_the_tab(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as first, there.script() as second:
            session = await first.attach("T-tab1")
            refused = await second.send("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True})
            assert refused["data"] == "TAB_BUSY"
            await first.send("Target.detachFromTarget", {"sessionId": session})
            await wait_all_tasks_blocked()
            await second.attach("T-tab1")


async def test_a_script_that_another_one_keeps_from_every_tab_is_told_who_has_them(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as first, there.script() as second:
            await first.attach("T-tab1")
            refused = await second.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
            assert refused["data"] == "TAB_BUSY"
            assert "`kapture release tab1`" in refused["message"]
            there.tab("tab2")
            assert (await second.event("Target.attachedToTarget"))["targetInfo"]["targetId"] == "T-tab2"
            assert await second.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True}) == {}


THROUGH_TABS = {"autoAttach": True, "flatten": True, "filter": [{"type": "page", "exclude": True}, {}]}
"""As Puppeteer attaches: to tabs, and on the session of each to its page."""


async def test_a_script_that_attaches_through_tabs_is_told_who_has_them_and_gets_none_later(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as second:
            async with there.script() as first:
                await first.attach("T-tab1")
                refused = await second.send("Target.setAutoAttach", THROUGH_TABS)
                assert refused["data"] == "TAB_BUSY"
                assert "`kapture release tab1`" in refused["message"]
            await wait_all_tasks_blocked()
            assert await second.send("Target.getTargets") != {}
            assert second.events == []
            assert tab.sessions == []
            assert await second.send("Target.setAutoAttach", THROUGH_TABS) == {}
            assert second.events[0]["params"]["targetInfo"]["type"] == "tab"


async def test_a_script_that_detaches_and_attaches_again_at_once_has_the_tab(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for _ in range(5):
                await script.post("Target.detachFromTarget", {"sessionId": session})
                session = await script.attach("T-tab1")
                assert await script.send("Runtime.enable", session=session) == {"echo": "Runtime.enable"}


def open_dialog() -> KaptureError:
    return KaptureError(ErrorCode.DIALOG_OPEN, 'A dialog is open and blocks the page: confirm "Sure?".')


async def test_attaching_to_a_tab_with_an_open_dialog_says_which_one_and_how_to_answer_it(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", blocked=open_dialog())
        async with there.script() as script:
            for method, params in (
                ("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True}),
                ("Target.setAutoAttach", {"autoAttach": True, "flatten": True}),
            ):
                refused = await script.send(method, params)
                assert refused["data"] == "DIALOG_OPEN", method
                assert 'confirm "Sure?"' in refused["message"]
                assert "`kapture call handle_dialog --tab tab1`" in refused["message"]
            tab.answer_dialog()
            assert (await script.event("Target.attachedToTarget"))["targetInfo"]["targetId"] == "T-tab1"
            assert len(tab.sessions) == 1
