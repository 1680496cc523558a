"""Permitted commands of a script on the tab that it holds, and its events."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import KaptureError
from kapture.policy import Grant
from kapture.settings import Limits
from tests.unit.endpoints.cdp.fake_browser import UNANSWERED, FakeBackend, World, world


async def evaluate(there: World, backend: FakeBackend) -> str:
    """How an `evaluate` of another client ends: `done`, or its error's code."""
    with there.hub.client(name="agent", kind="cli") as client:
        try:
            arguments = {"tabId": backend.tab_id, "code": "1"}
            return (await there.hub.call(client, "evaluate", arguments)).text
        except KaptureError as error:
            return error.code.value


async def test_only_requests_within_grant_pass(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", sites=["a.example"])
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for method, params in (
                ("Page.navigate", {"url": "https://b.example/"}),
                ("Fetch.enable", {}),
                ("Network.getCookies", {"urls": ["https://b.example/"]}),
            ):
                refused = await script.send(method, params, session)
                assert refused["data"] == "POLICY_DENIED", method
            inside = await script.send("Page.navigate", {"url": "https://a.example/next"}, session)
            assert inside == {"echo": "Page.navigate"}
            assert [method for method, _, _ in tab.sessions[0].sent] == ["Page.navigate"]


async def test_answer_after_site_was_closed_is_refused(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for sites in (["*", "b.example"], ["a.example"]):  # the second takes something away
                number = await script.post(UNANSWERED, {"promiseObjectId": "1.9.1"}, session)
                await wait_all_tasks_blocked()
                there.hub.state.consent.change_grant(there.at(tab), Grant.make(sites, "full"))
                tab.sessions[0].unanswered.pop().resolve({"result": {"value": "of b.example"}})
                answer = await script.message()
                assert answer["id"] == number
                assert ("result" in answer) is ("*" in sites)


async def test_code_runs_in_the_document_that_the_grant_was_checked_for(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", sites=["a.example"])
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for context in ({}, {"contextId": 1}):
                await script.send("Runtime.evaluate", {"expression": "1", **context}, session)
            assert [params for _, params, _ in tab.sessions[0].sent] == [
                {"expression": "1", "uniqueContextId": "u1"},
                {"expression": "1", "uniqueContextId": "u1"},
            ]


async def test_events_of_other_documents_are_not_shown(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", sites=["a.example"])
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [real] = tab.sessions
            real.deliver("Page.lifecycleEvent", {"frameId": "F-other", "name": "load"}, None)
            real.deliver("Page.lifecycleEvent", {"frameId": "T-tab1", "name": "load"}, None)
            event = await script.message()
            while event["method"] != "Page.lifecycleEvent":
                event = await script.message()
            assert event["params"]["frameId"] == "T-tab1"
            assert event["sessionId"] == session


async def test_a_frame_outside_the_grant_is_let_go_and_not_left_waiting(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", sites=["a.example"])
        async with there.script() as script:
            await script.attach("T-tab1")
            [real] = tab.sessions
            info = {"targetId": "F-other", "type": "iframe", "url": "https://b.example/"}
            real.deliver("Target.attachedToTarget", {"sessionId": "child", "targetInfo": info}, None)
            assert real.sent == [
                ("Runtime.runIfWaitingForDebugger", {}, "child"),
                ("Target.detachFromTarget", {"sessionId": "child"}, None),
            ]
            assert (await script.send("Runtime.enable", session="child"))["code"] == -32001


async def test_sessions_of_frames_keep_their_ids(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            await script.attach("T-tab1")
            [real] = tab.sessions
            assert (await script.event("Target.attachedToTarget"))["targetInfo"]["type"] == "page"
            info = {"targetId": "F-1", "type": "iframe", "url": "https://b.example/"}
            real.deliver("Target.attachedToTarget", {"sessionId": "child", "targetInfo": info}, None)
            assert (await script.event("Target.attachedToTarget"))["sessionId"] == "child"
            await script.send("Runtime.enable", session="child")
            assert real.sent == [("Runtime.enable", {}, "child")]


async def test_a_page_restored_from_the_back_forward_cache_is_shown_as_loaded(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [real] = tab.sessions
            frame = {"id": "T-tab1", "url": "https://a.example/before", "loaderId": "L"}

            async def shown(kind: str) -> list[str]:
                real.deliver("Page.frameNavigated", {"frame": frame, "type": kind}, None)
                real.deliver("Page.frameStoppedLoading", {"frameId": "T-tab1"}, None)
                found = []
                while (message := await script.message())["method"] != "Page.frameStoppedLoading":
                    assert message["sessionId"] == session
                    found.append(message["params"].get("name", message["method"]))
                return found

            await script.event("Target.attachedToTarget")
            assert await shown("Navigation") == ["Page.frameNavigated"]
            loaded = ["Page.frameNavigated", "Page.domContentEventFired", "Page.loadEventFired"]
            assert await shown("BackForwardCacheRestore") == loaded
            await script.send("Page.setLifecycleEventsEnabled", {"enabled": True}, session)
            loaded = [*loaded[:2], "DOMContentLoaded", loaded[2], "load"]
            assert await shown("BackForwardCacheRestore") == loaded


async def test_a_restored_page_outside_the_grant_is_not_shown_as_loaded(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1", sites=["a.example"])
        async with there.script() as script:
            session = await script.attach("T-tab1")
            await script.send("Page.setLifecycleEventsEnabled", {"enabled": True}, session)
            [real] = tab.sessions
            tab.url = "https://b.example/"
            frame = {"id": "T-tab1", "url": tab.url, "loaderId": "L"}
            real.deliver("Page.frameNavigated", {"frame": frame, "type": "BackForwardCacheRestore"}, None)
            tab.url = "https://a.example/"
            real.deliver("Page.frameStoppedLoading", {"frameId": "T-tab1"}, None)
            while (message := await script.message())["method"] != "Page.frameStoppedLoading":
                assert message["method"].startswith("Target.")


async def test_a_method_that_chrome_keeps_from_extensions_is_refused_with_what_has_it(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1", kind="extension")
        async with there.script() as script:
            unknown = await script.send("HeapProfiler.enable", session=await script.attach("T-tab1"))
            assert unknown["code"] == -32601
            assert unknown["message"].startswith("'HeapProfiler.enable' wasn't found. Chrome offers extensions a part")
            assert "`kapture launch`" in unknown["message"]


async def test_no_message_is_reordered(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [real] = tab.sessions
            for number in range(200):
                await script.post("Runtime.evaluate", {"expression": str(number)}, session)
            await wait_all_tasks_blocked()
            for number in range(200):
                real.deliver("Runtime.consoleAPICalled", {"number": number}, None)
            assert [params["expression"] for _, params, _ in real.sent] == [str(number) for number in range(200)]
            replies: list[int] = []
            events: list[int] = []
            while len(events) < 200:
                message = await script.message()
                if "id" in message:
                    replies.append(message["id"])
                elif message["method"] == "Runtime.consoleAPICalled":
                    events.append(message["params"]["number"])
            assert replies == sorted(replies)
            assert len(replies) == 200
            assert events == list(range(200))


async def test_a_script_that_does_not_read_is_ended_and_its_tab_given_back(tmp_path: Path) -> None:
    async with world(tmp_path, attrs.evolve(Limits(), buffered_bytes=10_000)) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            await script.attach("T-tab1")
            script.reads = False
            for _ in range(20):
                if tab.sessions:
                    tab.sessions[0].deliver("Network.dataReceived", {"text": "x" * 1_000}, None)
            await script.closing.wait()
            assert script.closed is not None
            assert script.closed[0] == 1013
            tab.release.set()
            assert await evaluate(there, tab) == "done"


async def test_results_that_are_large_together_reach_a_script_that_reads(tmp_path: Path) -> None:
    async with world(tmp_path, attrs.evolve(Limits(), buffered_bytes=10_000)) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [real] = tab.sessions
            real.picture = "x" * 9_000
            script.reads = False
            for _ in range(3):
                await script.post("Page.captureScreenshot", {}, session)
            await wait_all_tasks_blocked()
            real.deliver("Network.dataReceived", {"text": "x" * 9_000}, None)
            await wait_all_tasks_blocked()
            assert script.closed is None
            script.read_again()
            pictures = 0
            while (message := await script.message()).get("method") != "Network.dataReceived":
                pictures += message.get("result") == {"data": real.picture}
            assert pictures == 3


async def test_a_result_that_is_too_large_is_refused_and_the_script_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kapture.endpoints.cdp.messages.MAX_MESSAGE_BYTES", 50_000)
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            tab.sessions[0].picture = "x" * 60_000
            refused = await script.send("Page.captureScreenshot", {}, session)
            assert "larger than 50000 bytes" in refused["message"]
            await script.post("Runtime.awaitPromise", {}, session)
            await wait_all_tasks_blocked()
            tab.sessions[0].unanswered[0].resolve({"result": {"type": "string", "value": "x" * 60_000}})
            thrown = (await script.message())["result"]["exceptionDetails"]
            assert "larger than 50000 bytes" in thrown["exception"]["description"]
            assert await script.send("Runtime.enable", session=session) == {"echo": "Runtime.enable"}


async def test_an_invalid_url_is_refused_in_the_browsers_words(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for url in ("nonsense", "http://", "http://[bad"):
                refused = await script.send("Page.navigate", {"url": url}, session)
                assert refused == {"code": -32000, "message": "Cannot navigate to invalid URL"}


async def test_commands_waiting_for_browser_are_bounded(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path, attrs.evolve(Limits(), buffered_bytes=10_000)) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            [real] = tab.sessions
            for _ in range(50):
                await script.post(UNANSWERED, {"promiseObjectId": "x" * 1_000}, session)
            await script.closing.wait()
            assert len(real.sent) < 15
