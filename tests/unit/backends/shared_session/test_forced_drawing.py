"""Pictures of hidden tabs of the extension, whose one session a script has."""

from __future__ import annotations

from tests.unit.backends.script_bench import world


async def test_a_tab_is_drawn_while_a_script_waits_for_a_picture_of_it() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Page.enable", {}, None)
        for _ in range(2):
            script.submit("Page.captureScreenshot", {}, None)
        there.event("Page.screencastFrame", sessionId=1)
        assert [method for method, _ in await there.answer()] == [
            "Page.enable",
            "Page.startScreencast",
            "Page.captureScreenshot",
            "Page.captureScreenshot",
            "Page.stopScreencast",
        ]
        assert there.events == []


async def test_a_scripts_own_screencast_goes_on_after_a_picture_and_may_end_during_one() -> None:
    async with world() as there:
        script = await there.hold()
        for method in ("Page.startScreencast", "Page.captureScreenshot"):
            script.submit(method, {}, None)
        own = [method for method, _ in await there.answer()]
        for method in ("Page.captureScreenshot", "Page.stopScreencast"):
            script.submit(method, {}, None)
        ended = [method for method, _ in await there.answer()]
        assert own == ["Page.startScreencast", "Page.captureScreenshot"]
        assert ended == [
            "Page.captureScreenshot",
            "Page.stopScreencast",
            "Page.startScreencast",
            "Page.stopScreencast",
        ]
