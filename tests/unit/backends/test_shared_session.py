"""Messages between a script's own sessions and the one debugger session of a tab that they share."""

from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from tests.unit.backends.script_bench import AUTO_ATTACH, SITE, world


async def test_domains_enabled_by_hub_are_hidden_from_script() -> None:
    async with world() as there:
        script = await there.hold()
        moved = {"frameId": "main", "url": SITE + "moved"}
        there.event("Page.navigatedWithinDocument", **moved)
        script.submit("Page.enable", {}, None)
        there.event("Page.navigatedWithinDocument", **moved)
        assert script.submit("Page.disable", {}, None).done
        there.event("Page.navigatedWithinDocument", frameId="main", url=SITE + "last")
        assert there.events == [("Page.navigatedWithinDocument", None)]
        assert "Page.disable" not in [method for method, _ in await there.answer()]
        assert there.bench.backend.address.url == SITE + "last"


async def test_frames_that_the_hub_has_attached_to_are_announced_when_the_script_asks_for_them() -> None:
    async with world() as there:
        script = await there.hold()
        there.frame_attached("S1")
        there.frame_attached("S2")
        there.event("Target.detachedFromTarget", sessionId="S1")
        assert there.events == []
        script.submit("Target.setAutoAttach", {**AUTO_ATTACH, "filter": [{"type": "worker"}]}, None)
        assert there.events == []
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        there.frame_attached("S3")
        assert there.attached == ["S2", "S3"]


async def test_a_script_that_wants_no_frames_any_more_loses_them_and_the_hub_does_not() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        there.frame_attached("S1")
        await there.answer()
        no_more = {**AUTO_ATTACH, "autoAttach": False}
        script.submit("Target.setAutoAttach", no_more, None)
        there.frame_attached("S2")
        sent = [params["autoAttach"] for method, params in await there.answer() if method == "Target.setAutoAttach"]
        assert False not in sent
        assert there.events[-1] == ("Target.detachedFromTarget", None)
        assert there.attached == ["S1"]


async def test_the_documents_of_frames_are_known_as_long_as_the_script_holds_the_tab() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Target.setAutoAttach", AUTO_ATTACH, None)
        there.frame_attached("S", "https://other.example/")
        assert script.submit("Target.detachFromTarget", {"sessionId": "S"}, None).done
        assert there.events[-1] == ("Target.detachedFromTarget", None)
        assert "Target.detachFromTarget" not in [method for method, _ in await there.answer()]
        assert there.bench.backend.documents is not None
        urls = [frame.policy_url for frame in there.bench.backend.documents.frames.all()]
        assert urls == [SITE, "https://other.example/"]


async def test_each_session_gets_its_own_replies_and_the_events_that_it_has_enabled() -> None:
    async with world() as there:
        first = await there.hold()
        async with there.second() as (second, events):
            there.events.clear()
            first.submit("Network.enable", {}, None)
            asked = second.submit("Runtime.evaluate", {"expression": "1"}, None)
            await there.answer()
            assert asked.done
            there.event("Network.dataReceived")
            assert (there.events, events) == ([("Network.dataReceived", None)], [])
            second.submit("Network.enable", {}, None)
            there.event("Network.dataReceived")
            assert (len(there.events), len(events)) == (2, 1)
            there.event("Inspector.targetCrashed")
            assert (there.events[-1], events[-1]) == (("Inspector.targetCrashed", None),) * 2


async def test_a_domain_stays_enabled_until_the_last_session_disables_it() -> None:
    async with world() as there:
        first = await there.hold()
        async with there.second() as (second, events):
            for session in (first, second):
                session.submit("Network.enable", {}, None)
            await there.answer()
            assert second.submit("Network.disable", {}, None).done
            assert await there.answer() == []
            there.events.clear()
            there.event("Network.dataReceived")
            assert (there.events, events) == ([("Network.dataReceived", None)], [])
            first.submit("Network.disable", {}, None)
            assert await there.answer() == [("Network.disable", {})]


async def test_a_session_that_enables_a_domain_later_is_sent_the_objects_that_exist() -> None:
    async with world() as there:
        first = await there.hold()
        first.submit("Runtime.enable", {}, None)
        for number in (1, 2):
            there.event("Runtime.executionContextCreated", context={"id": number, "auxData": {"frameId": "main"}})
        there.event("Runtime.executionContextDestroyed", executionContextId=1, executionContextUniqueId="u")
        async with there.second() as (second, events):
            second.submit("Runtime.enable", {}, None)
            await there.answer()
            assert events == [("Runtime.executionContextCreated", None)]
            there.event("Runtime.executionContextsCleared")
            async with there.second() as (third, later):
                third.submit("Runtime.enable", {}, None)
                await there.answer()
                assert later == []


async def test_each_session_that_enables_the_console_is_sent_what_the_document_has_logged() -> None:
    async with world() as there:
        first = await there.hold()
        there.event("Runtime.consoleAPICalled", type="log", args=[], executionContextId=1)
        assert there.events == []
        async with there.second() as (second, events):
            for session, received in ((first, there.events), (second, events)):
                session.submit("Runtime.enable", {}, None)
                assert received == [], "the browser reports it with its answer"
                await there.answer()
                assert received == [("Runtime.consoleAPICalled", None)]
            there.event("Runtime.executionContextsCleared")
            async with there.second() as (third, later):
                third.submit("Runtime.enable", {}, None)
                await there.answer()
                assert later == []


async def test_a_binding_ends_when_its_session_disables_the_domain_that_the_hub_needs() -> None:
    async with world() as there:
        script = await there.hold()
        script.submit("Runtime.enable", {}, None)
        script.submit("Runtime.addBinding", {"name": "seen"}, None)
        await there.answer()
        assert script.submit("Runtime.disable", {}, None).done
        assert await there.answer() == [("Runtime.removeBinding", {"name": "seen"})]
        there.events.clear()
        there.event("Runtime.consoleAPICalled", type="log", args=[])
        assert there.events == []


async def test_the_context_that_code_runs_in_is_known_before_the_script_has_enabled_anything() -> None:
    async with world() as there:
        await there.hold()
        aux = {"frameId": "main", "isDefault": True, "type": "default"}
        described = {"id": 1, "uniqueId": "u1", "origin": SITE, "name": "", "auxData": aux}
        there.event("Runtime.executionContextCreated", context=described)
        documents = there.bench.backend.documents
        assert documents is not None
        known = documents.frames.main.current_context("main")
        assert known is not None
        assert known.context_id == "u1"


async def test_settings_of_session_end_with_it_and_others_go_on() -> None:
    async with world() as there:
        first = await there.hold()
        first.submit("Emulation.setEmulatedMedia", {"media": "print"}, None)
        first.submit("Runtime.enable", {}, None)
        async with there.second() as (second, _):
            second.submit("Runtime.enable", {}, None)
            second.submit("Runtime.addBinding", {"name": "seen"}, None)
            second.submit("Log.enable", {}, None)
            second.submit("Storage.trackIndexedDBForOrigin", {"origin": SITE}, None)
            second.submit("Emulation.setEmulatedMedia", {"media": "screen"}, None)
            second.submit("Emulation.setCPUThrottlingRate", {"rate": 4}, None)
            second.submit("Page.addScriptToEvaluateOnNewDocument", {"source": "1"}, None)
            await there.answer()
        left = sorted((method, str(params)) for method, params in await there.answer())
        assert left == [
            ("Emulation.setCPUThrottlingRate", "{'rate': 1}"),
            ("Emulation.setEmulatedMedia", "{'media': 'print'}"),
            ("Log.disable", "{}"),
            ("Page.removeScriptToEvaluateOnNewDocument", "{'identifier': '1'}"),
            ("Runtime.removeBinding", "{'name': 'seen'}"),
        ]
        there.events.clear()
        there.event("Runtime.consoleAPICalled")
        assert there.events == [("Runtime.consoleAPICalled", None)]


async def test_a_frame_is_announced_to_each_session_with_an_id_of_its_own() -> None:
    async with world() as there:
        first = await there.hold()
        async with there.second() as (second, events):
            first.submit("Target.setAutoAttach", AUTO_ATTACH, None)
            there.frame_attached("S")
            second.submit("Target.setAutoAttach", AUTO_ATTACH, None)
            [attached] = there.second_attached
            assert (there.attached, attached != "S") == (["S"], True)
            await there.answer()
            second.submit("Network.enable", {}, attached)
            [sent] = there.bench.sent()
            assert sent["params"]["sessionId"] == "S"
            there.events.clear()
            events.clear()
            there.event("Network.dataReceived", "S")
            assert (there.events, events) == ([], [("Network.dataReceived", attached)])
            second.submit("Target.detachFromTarget", {"sessionId": attached}, None)
            assert events[-1] == ("Target.detachedFromTarget", None)
            assert there.events == [], "the first one goes on"
            first.submit("Runtime.evaluate", {}, "S")


async def test_a_paused_frame_runs_once_every_session_that_waits_for_it_wants_it() -> None:
    async with world() as there:
        first = await there.hold()
        async with there.second() as (second, _):
            for session in (first, second):
                session.submit("Target.setAutoAttach", AUTO_ATTACH, None)
            await there.answer()
            target = {"targetId": "W", "type": "worker", "url": SITE}
            there.event("Target.attachedToTarget", sessionId="S", targetInfo=target, waitingForDebugger=True)
            first.submit("Runtime.runIfWaitingForDebugger", {}, "S")
            assert await there.answer() == []
        assert ("Runtime.runIfWaitingForDebugger", {}) in await there.answer(), "the second one has left"


async def test_requests_are_intercepted_by_one_session_of_a_page() -> None:
    async with world() as there:
        first = await there.hold()
        async with there.second() as (second, _):
            first.submit("Fetch.enable", {}, None)
            with pytest.raises(KaptureError, match="Another session of this page intercepts") as refused:
                second.submit("Fetch.enable", {}, None)
            assert refused.value.code is ErrorCode.UNSUPPORTED
            first.submit("Fetch.disable", {}, None)
            second.submit("Fetch.enable", {}, None)


# Pictures of hidden tabs of the extension, whose one session a script has.


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
