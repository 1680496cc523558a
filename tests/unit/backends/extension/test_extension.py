"""The backend of a tab that carries CDP: what it sends, and when it has a page. Only the page's engine is faked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.backends.extension.extension_browser import ExtensionBrowser
from kapture.backends.tab_page import TabPage
from kapture.commands.core.registry import get_command
from kapture.errors import ErrorCode, KaptureError
from kapture.wire.envelope import WireError
from tests.unit.backends.extension_bench import Bench, may_read
from tests.unit.backends.script_bench import FOLLOWING, SITE, world


@pytest.fixture
async def bench(nursery: Any) -> Bench:
    made = Bench()
    nursery.start_soon(made.backend.serve, may_read)
    return made


async def test_the_hub_hears_at_once_of_an_address_that_the_engine_knows_first(bench: Bench) -> None:
    noticed: list[str] = []
    listener: Any = bench.backend.listener
    listener.changed = lambda: noticed.append("address")
    await bench.backend.page()
    noticed.clear()
    bench.event("cdp", method="Page.frameNavigated", params={"frame": {"id": "f", "parentId": "main"}})
    assert noticed == []
    bench.event("cdp", method="Page.frameNavigated", params={"frame": {"id": "main"}})
    assert noticed == ["address"]
    bench.event("cdp", method="Page.navigatedWithinDocument", params={"frameId": "main", "url": "https://granted/#a"})
    assert noticed == ["address"] * 2


async def test_events_reach_the_session_that_they_are_for(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    heard: list[Any] = []
    page.connection.root.on("Page.loadEventFired", lambda params: heard.append(("root", params)))
    page.connection.session("S1").on("Page.loadEventFired", lambda params: heard.append(("S1", params)))
    bench.event("cdp", method="Page.loadEventFired", params={"n": 1})
    bench.event("cdp", method="Page.loadEventFired", params={"n": 2}, session_id="S1")
    assert heard == [("root", {"n": 1}), ("S1", {"n": 2})]


async def test_a_detached_tab_fails_what_waits_and_comes_back_with_a_fresh_page(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    errors: list[KaptureError] = []
    listener: Any = bench.backend.listener
    listener.detached = errors.append
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.event("detached", reason="forbidden", message="Chrome pages stay closed.")
    with pytest.raises(KaptureError, match="stay closed") as failure:
        await reply.wait()
    assert failure.value.code is ErrorCode.DETACHED
    assert len(errors) == 1
    with pytest.raises(KaptureError, match="stay closed"):
        await bench.backend.page()
    await wait_all_tasks_blocked()
    bench.event("tab", url="chrome://newtab/")
    with pytest.raises(KaptureError, match="stay closed"):
        await bench.backend.page()
    bench.event("attached")
    await wait_all_tasks_blocked()
    again: object = await bench.backend.page()
    assert again is bench.opened[1]
    assert again.connection is not page.connection


async def test_a_page_that_cannot_be_set_up_says_why_and_is_tried_again(nursery: trio.Nursery) -> None:
    bench = Bench()
    bench.failing = KaptureError(ErrorCode.EXECUTION_ERROR, "Page.enable: no.")
    nursery.start_soon(bench.backend.serve, may_read)
    with pytest.raises(KaptureError, match="could not be set up") as failure:
        await bench.backend.page()
    assert failure.value.code is ErrorCode.DETACHED
    bench.failing = None
    await wait_all_tasks_blocked()
    bench.event("tab", url="https://example.com/")
    await wait_all_tasks_blocked()
    retried: object = await bench.backend.page()
    assert retried is bench.opened[0]


async def test_the_end_of_the_socket_fails_everything_at_once(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.backend.close(KaptureError(ErrorCode.TAB_DISCONNECTED, "gone"))
    for call in (reply.wait, bench.backend.page):
        with pytest.raises(KaptureError, match="gone"):
            await call()
    with pytest.raises(KaptureError, match="gone"):
        page.connection.root.submit("Runtime.evaluate")


async def test_a_dialog_blocks_and_is_reported(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    errors: list[KaptureError] = []
    listener: Any = bench.backend.listener
    listener.blocked = errors.append
    page.on_blocked()
    assert errors == [], "the engine answers this one by itself"
    page.dialogs.error = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    page.on_blocked()
    assert errors == [page.dialogs.error]
    assert bench.backend.blocked is page.dialogs.error


async def test_a_new_tab_is_given_when_it_has_connected(bench: Bench, nursery: Any) -> None:
    arrived, ids = trio.Event(), []

    async def wait_connected(tab_id: str) -> None:
        ids.append(tab_id)
        await arrived.wait()

    opened: list[str] = []

    async def open_tab() -> None:
        opened.append(await ExtensionBrowser(bench.backend, wait_connected).tab_new("https://a.example/", active=False))

    nursery.start_soon(open_tab)
    await wait_all_tasks_blocked()
    (asked,) = bench.sent()
    assert (asked["command"], asked["params"]) == ("tab_new", {"url": "https://a.example/", "active": False})
    bench.respond(asked["id"], {"tabId": "child"})
    await wait_all_tasks_blocked()
    assert (ids, opened) == (["child"], [])
    arrived.set()
    await wait_all_tasks_blocked()
    assert opened == ["child"]


@pytest.mark.parametrize("ends_first", [True, False])
async def test_closing_a_tab_is_done_when_its_socket_has_ended(
    bench: Bench, nursery: Any, ends_first: bool, autojump_clock: Any
) -> None:
    done = trio.Event()

    async def close() -> None:
        await ExtensionBrowser(bench.backend, bench.backend.child_opened).tab_close()  # type: ignore[arg-type]
        done.set()

    nursery.start_soon(close)
    await wait_all_tasks_blocked()
    (asked,) = bench.sent()
    if not ends_first:
        bench.respond(asked["id"], {})
        await trio.sleep(3)  # of a browser that stands still meanwhile
        assert not done.is_set()
    bench.backend.close(KaptureError(ErrorCode.TAB_DISCONNECTED, "gone"))
    await wait_all_tasks_blocked()
    assert done.is_set()
    assert bench.backend.leaving


async def test_a_tab_that_is_still_open_when_closing_it_is_cancelled_may_be_lost_and_come_back(
    bench: Bench, autojump_clock: Any
) -> None:
    with trio.move_on_after(1):
        await ExtensionBrowser(bench.backend, bench.backend.child_opened).tab_close()  # type: ignore[arg-type]
    bench.backend.close(KaptureError(ErrorCode.TAB_DISCONNECTED, "gone"))
    assert not bench.backend.leaving


async def test_the_question_of_a_page_that_is_set_up_while_a_call_waits_is_noticed_when_the_call_closes_the_tab(
    nursery: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_of: list[object] = []

    @asynccontextmanager
    async def raising(page: object) -> AsyncIterator[None]:
        asked_of.append(page)
        yield

    async def run(self: TabPage, call: Any, browser: ExtensionBrowser) -> str:
        with trio.move_on_after(0):
            await browser.tab_close()
        return "closed"

    monkeypatch.setattr("kapture.backends.extension.extension_browser.raising_question", raising)
    monkeypatch.setattr(TabPage, "run", run)
    bench = Bench()
    call: Any = SimpleNamespace(command=get_command("tab_close"), wait_connected=None, allowed_once=None)
    nursery.start_soon(bench.backend.run, call)
    await wait_all_tasks_blocked()
    nursery.start_soon(bench.backend.serve, may_read)
    await wait_all_tasks_blocked()
    assert asked_of == [bench.opened[0]]


async def test_every_page_is_opened_with_the_gate_that_the_hub_gave(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    assert page.gate is may_read


# The one debugger session of a tab of the extension goes to a script, and comes back to the hub.


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
        ended: list[KaptureError] = []
        listener: Any = there.bench.backend.listener
        listener.detached = ended.append
        there.bench.event("detached", reason="replaced", message="Chrome has ended it.")
        assert len(ended) == 1, "the script's hold goes on without a session"
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


async def test_idle_tab_is_detached_and_attached_once_for_its_next_commands(nursery: trio.Nursery) -> None:
    bench = Bench("cdp_rest", "cdp_renew")
    backend = bench.backend
    nursery.start_soon(backend.serve, may_read)
    await wait_all_tasks_blocked()
    backend.rest()
    assert [one["command"] for one in bench.sent()] == ["cdp_rest"]
    assert backend.resting
    assert backend.current_page is None
    for _ in range(2):
        nursery.start_soon(backend.ready)
    await wait_all_tasks_blocked()
    (renewal,) = [one for one in bench.sent() if one["command"] == "cdp_renew"]
    bench.event("attached")
    bench.respond(renewal["id"], {})
    await wait_all_tasks_blocked()
    assert not backend.resting
    assert len(bench.opened) == 2


async def test_typed_passwords_are_known_to_the_page_after_an_idle_time(nursery: trio.Nursery) -> None:
    bench = Bench("cdp_rest", "cdp_renew")
    nursery.start_soon(bench.backend.serve, may_read)
    await wait_all_tasks_blocked()
    bench.opened[0].typed_secrets.add("open sesame")
    bench.backend.rest()
    bench.event("attached")
    await wait_all_tasks_blocked()
    assert "sesame" not in bench.opened[1].typed_secrets.in_text("password=open sesame")
