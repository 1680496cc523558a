"""The one debugger session of a tab of the extension goes to a script, and comes back to the hub."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode, KaptureError
from kapture.wire.envelope import WireError
from tests.unit.backends.script_bench import FOLLOWING, SITE, world


async def test_a_script_gets_a_new_session_and_the_page_is_set_up_anew_after_it() -> None:
    async with world() as there:
        page = there.bench.backend.current_page
        await there.begin()
        assert (there.bench.backend.current_page, there.bench.backend.why_detached) == (None, None)
        there.event("Network.dataReceived")  # of the session that the hub had
        sent = await there.answer()
        assert [method for method, _ in sent] == ["cdp_renew", *FOLLOWING]
        there.transport.submit("Network.enable", {}, None)
        await there.answer()
        there.event("Network.dataReceived")
        assert there.events == [("Network.dataReceived", None)]
        await there.leave()
        assert await there.answer() == [("cdp_renew", {})]
        assert there.bench.backend.current_page not in (None, page)
        there.event("Network.dataReceived")
        assert len(there.events) == 1


async def test_the_size_that_a_script_has_given_the_page_ends_with_its_session() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Emulation.setDeviceMetricsOverride", {"width": 400}, None)
        script.submit("Emulation.setCPUThrottlingRate", {"rate": 4}, None)  # Chrome undoes this one itself
        await there.answer()
        await there.leave()
        sent = [method for method, _ in await there.answer()]
        assert sent[:2] == ["Emulation.clearDeviceMetricsOverride", "cdp_renew"]


async def test_the_tab_is_given_back_when_the_last_session_has_left_whichever_came_first() -> None:
    async with world() as there:
        await there.hold()
        async with there.second() as (second, events):
            await there.leave()
            assert await there.answer() == []
            second.submit("Network.enable", {}, None)
            there.event("Network.dataReceived")
            assert events == [("Network.dataReceived", None)]
        assert ("cdp_renew", {}) in await there.answer()
        assert there.bench.backend.current_page is not None


async def test_a_page_that_does_not_answer_is_not_handed_over_and_is_usable_when_it_answers(
    autojump_clock: MockClock,
) -> None:
    async with world() as there:
        await there.begin()
        with trio.fail_after(100):
            while there.refused is None or there.bench.backend.why_detached is None:  # noqa: ASYNC110  time is simulated
                await trio.sleep(1)
        assert there.refused.code is ErrorCode.DIALOG_OPEN
        assert "handed over to the script: a dialog has opened in it" in there.refused.message
        assert "when a script had left it: a dialog" in there.bench.backend.why_detached
        await there.answer()  # the dialog was answered
        assert there.bench.backend.current_page is not None
        assert there.bench.backend.why_detached is None


async def test_a_page_that_has_not_answered_since_a_script_left_it_is_blocked_until_it_answers(
    autojump_clock: MockClock,
) -> None:
    async with world() as there:
        unblocked = trio.Event()

        async def wait() -> None:
            await there.bench.backend.unblocked()
            unblocked.set()

        await there.hold()
        await there.leave()
        await trio.sleep(20)
        assert there.bench.backend.why_detached is not None
        there.nursery.start_soon(wait)
        await trio.sleep(20)
        assert not unblocked.is_set(), "a script that waits for it would try again without a pause"
        await there.answer()
        assert unblocked.is_set()


async def test_the_next_script_waits_until_the_hub_has_the_tab_again() -> None:
    async with world() as there:
        await there.hold()
        await there.leave()
        await there.begin()
        sent = await there.answer()
        assert [method for method, _ in sent][:2] == ["cdp_renew", "cdp_renew"]
        assert len(there.bench.opened) == 2
        assert there.bench.backend.documents is not None
        assert there.bench.backend.current_page is None


async def test_a_script_that_leaves_before_its_session_is_there_never_gets_it() -> None:
    async with world() as there:
        await there.begin()
        await there.leave()
        sent = await there.answer()
        assert [method for method, _ in sent] == ["cdp_renew", "cdp_renew"]
        there.event("Network.dataReceived")
        assert there.events == []
        assert len(there.bench.opened) == 2
        assert there.bench.backend.current_page is not None


async def test_a_session_that_chrome_ends_is_the_scripts_no_more_and_the_next_one_is_the_hubs() -> None:
    async with world() as there:
        script = await there.hold()
        there.bench.event("detached", reason="replaced", message="Chrome has ended it.")
        there.bench.event("attached")
        with pytest.raises(KaptureError, match="Chrome has ended it"):
            script.submit("Runtime.enable", {}, None)
        await there.leave()
        await there.answer()
        assert len(there.bench.opened) == 2
        assert there.bench.backend.current_page is not None


async def test_a_tab_that_cannot_be_attached_to_anew_has_no_session_and_says_why() -> None:
    async with world() as there:
        await there.begin()
        await there.answer(cdp_renew=WireError(code="DETACHED", message="Chrome keeps this page to itself."))
        assert there.refused is not None
        assert there.refused.message == "Chrome keeps this page to itself."
        assert there.bench.backend.why_detached == "Chrome keeps this page to itself."
        there.bench.event("attached")
        await wait_all_tasks_blocked()
        assert there.bench.backend.current_page is not None


async def test_a_dialog_that_a_script_leaves_open_is_dismissed() -> None:
    async with world() as there:
        await there.hold()
        there.event("Page.javascriptDialogOpening", url=SITE, message="Sure?", type="confirm", hasBrowserHandler=False)
        await there.leave()
        sent = await there.answer()
        assert sent == [("Page.handleJavaScriptDialog", {"accept": False}), ("cdp_renew", {})]
