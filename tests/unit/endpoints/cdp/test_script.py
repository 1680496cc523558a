"""A script's view of connected tabs, and the others' view of a tab that a script holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode, KaptureError
from kapture.policy import Grant
from kapture.settings import Limits
from tests.unit.endpoints.cdp.fake_browser import FakeBackend, ScriptEnd, World, world


async def evaluate(there: World, backend: FakeBackend) -> str:
    """How an `evaluate` of another client ends: `done`, or its error's code."""
    with there.hub.client(name="agent", kind="cli") as client:
        try:
            arguments = {"tabId": backend.tab_id, "code": "1"}
            return (await there.hub.call(client, "evaluate", arguments)).text
        except KaptureError as error:
            return error.code.value


async def test_only_tabs_that_are_granted_full_are_targets(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("shown")
        there.tab("reading", level="interact")
        there.tab("elsewhere", sites=["b.example"])
        there.tab("itself", has_sessions=False)
        async with there.script() as script:
            found = (await script.send("Target.getTargets"))["targetInfos"]
            assert [info["targetId"] for info in found] == ["T-shown"]
            for hidden in ("T-reading", "T-elsewhere", "T-itself", "T-none"):
                refused = await script.send("Target.attachToTarget", {"targetId": hidden, "flatten": True})
                assert "No target with given id found" in refused["message"]


async def test_a_script_holds_the_tab_and_gives_it_back(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        tab.release.set()
        async with there.script() as script:
            session = await script.attach("T-tab1")
            assert await script.send("Runtime.enable", session=session) == {"echo": "Runtime.enable"}
            with there.hub.client(name="agent", kind="cli") as client:
                with pytest.raises(KaptureError) as busy:
                    await there.hub.call(client, "evaluate", {"tabId": "tab1", "code": "1"})
                listed = await there.hub.call(client, "list_tabs", {})
            assert busy.value.code is ErrorCode.TAB_BUSY
            assert busy.value.data["heldBy"]["client"] == "Playwright"
            assert "`kapture release tab1`" in busy.value.hint
            assert listed.data["tabs"][0]["heldBy"] == busy.value.data["heldBy"]
            assert "heldBy" in listed.text
            await script.send("Target.detachFromTarget", {"sessionId": session})
            await wait_all_tasks_blocked()
            assert await evaluate(there, tab) == "done"
            assert tab.sessions == []


@pytest.mark.parametrize(
    ("frame", "code", "number"),
    [
        ("no JSON", -32700, None),
        ('{"id": 7, "method": "x", "params": {"a": ' + "[" * 10_000, -32700, None),
        ("[]", -32600, None),
        ('{"id": "a", "method": "x"}', -32600, None),
        ('{"id": 7}', -32600, 7),
        ('{"id": 7, "method": 5, "params": ' + "[" * 10_000, -32600, None),
    ],
    ids=["text", "too deep", "array", "no id", "no method", "no method and too deep"],
)
async def test_a_message_that_is_no_command_is_answered_and_the_script_goes_on(
    tmp_path: Path, frame: str, code: int, number: int | None
) -> None:
    async with world(tmp_path) as there, there.script() as script:
        await script.post_text(frame)
        answer = await script.message()
        assert (answer["error"]["code"], answer.get("id")) == (code, number)
        assert (await script.send("Browser.getVersion"))["protocolVersion"] == "1.3"


async def test_half_a_character_in_a_command_is_taken_as_the_browser_takes_it(tmp_path: Path) -> None:
    async with world(tmp_path) as there, there.script() as script:
        await script.post_text(r'{"id": 7, "method": "Target.setDiscoverTargets", "params": {"discover": "\ud800"}}')
        assert (await script.message())["id"] == 7


async def test_a_script_that_dies_gives_its_tabs_back_at_once(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tabs = [there.tab("tab1"), there.tab("tab2")]
        async with there.script() as script:
            await script.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
            assert all(len(tab.sessions) == 1 for tab in tabs)
        for tab in tabs:
            tab.release.set()
            assert tab.sessions == []
            assert await evaluate(there, tab) == "done"


async def test_a_script_takes_its_turn_after_the_command_that_runs(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        there.nursery.start_soon(evaluate, there, tab)
        await wait_all_tasks_blocked()
        async with there.script() as script:
            await script.post("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True})
            await wait_all_tasks_blocked()
            assert tab.sessions == []
            tab.release.set()
            await script.event("Target.attachedToTarget")
            assert len(tab.sessions) == 1


async def test_commands_that_wait_when_a_script_takes_the_tab_are_not_kept_waiting(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        ended: list[str] = []

        async def call() -> None:
            ended.append(await evaluate(there, tab))

        there.nursery.start_soon(evaluate, there, tab)
        await wait_all_tasks_blocked()
        async with there.script() as script:
            await script.post("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True})
            await wait_all_tasks_blocked()
            there.nursery.start_soon(call)
            await wait_all_tasks_blocked()
            tab.release.set()
            await script.event("Target.attachedToTarget")
            await wait_all_tasks_blocked()
        assert ended == ["TAB_BUSY"]


async def test_lowering_the_grant_ends_the_hold_and_hides_the_target(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            await script.send("Target.setDiscoverTargets", {"discover": True})
            session = await script.attach("T-tab1")
            there.hub.state.consent.change_grant(there.at(tab), Grant.make(["*"], "interact"))
            there.hub.state.events.publish("grant_changed", "tab1")
            assert (await script.event("Target.detachedFromTarget"))["sessionId"] == session
            assert (await script.event("Target.targetDestroyed"))["targetId"] == "T-tab1"
            assert tab.sessions == []
            assert (await script.send("Runtime.enable", session=session))["code"] == -32001


async def test_a_tab_that_its_person_takes_back_is_gone_for_the_script(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        tab.release.set()
        async with there.script() as script:
            await script.send("Target.setDiscoverTargets", {"discover": True})
            session = await script.attach("T-tab1")
            there.hub.holding.end("tab1")
            assert (await script.event("Target.detachedFromTarget"))["sessionId"] == session
            assert (await script.event("Target.targetDestroyed"))["targetId"] == "T-tab1"
            assert await evaluate(there, tab) == "done"
            refused = await script.send("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True})
            assert "No target with given id found" in refused["message"]


async def test_auto_attaching_attaches_to_tabs_that_connect_later(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as script:
            await script.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True})
            assert (await script.event("Target.attachedToTarget"))["targetInfo"]["targetId"] == "T-tab1"
            there.tab("tab2")
            info = (await script.event("Target.attachedToTarget"))["targetInfo"]
            assert (info["targetId"], info["type"], info["attached"]) == ("T-tab2", "page", True)


async def test_a_client_that_asks_for_tabs_attaches_to_the_page_through_them(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        async with there.script() as script:
            auto = {"autoAttach": True, "flatten": True, "filter": [{"type": "page", "exclude": True}, {}]}
            await script.send("Target.setAutoAttach", auto)
            around = await script.event("Target.attachedToTarget")
            assert around["targetInfo"]["type"] == "tab"
            assert tab.sessions == []  # only the page is held
            await script.send("Target.setAutoAttach", {"autoAttach": True, "flatten": True}, around["sessionId"])
            page = await script.event("Target.attachedToTarget")
            assert page["targetInfo"]["targetId"] == "T-tab1"
            assert len(tab.sessions) == 1


async def test_methods_of_the_whole_browser_are_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        there.tab("tab1")
        async with there.script() as script:
            session = await script.attach("T-tab1")
            for method in (
                "Browser.grantPermissions",
                "Browser.getWindowForTarget",
                "Target.createBrowserContext",
                "Storage.clearCookies",
            ):
                for on in (None, session):
                    refused = await script.send(method, session=on)
                    assert refused["data"] == "POLICY_DENIED"
                    assert len(refused["message"]) > len(f"{method} is not available here.")
            assert (await script.send("SystemInfo.getInfo"))["data"] == "POLICY_DENIED"


async def test_a_tab_whose_page_could_not_be_loaded_has_no_cookies_and_hides_those_of_no_other(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        failed, shown = there.tab("tab1"), there.tab("tab2")
        async with there.script() as script:
            await script.attach("T-tab1")
            await script.attach("T-tab2")
            failed.url = "chrome-error://chromewebdata/"
            assert await script.send("Storage.getCookies") == {"cookies": []}
            assert failed.sessions[0].sent == []
            assert shown.sessions[0].sent == [("Network.getCookies", {"urls": ["https://a.example/"]}, None)]


async def test_a_tab_that_dies_while_a_script_waits_for_it_is_said_to_be_gone(tmp_path: Path) -> None:
    async with world(tmp_path) as there:
        tab = there.tab("tab1")
        there.nursery.start_soon(evaluate, there, tab)
        await wait_all_tasks_blocked()
        async with there.script() as script:
            number = await script.post("Target.attachToTarget", {"targetId": "T-tab1", "flatten": True})
            await wait_all_tasks_blocked()
            there.gone(tab)
            answer = await script.message()
            while answer.get("id") != number:
                answer = await script.message()
            assert answer["error"]["data"] == "TAB_DISCONNECTED"


# Which tabs a script gets when another script, or a dialog, is in its way.


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


# Console entries are left out for a script that reads slowly, and nothing else is.


LIMITS = attrs.evolve(Limits(), buffered_bytes=80_000)
LOGGED = "Runtime.consoleAPICalled"
LAST = "Page.loadEventFired"


async def read_until_last(script: ScriptEnd) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while not found or found[-1]["method"] != LAST:
        found.append(await script.message())
    return found


async def flood(tab: FakeBackend, script: ScriptEnd, *commands: str) -> list[dict[str, Any]]:
    """Return the messages of a script that reads nothing while its page logs far more than may wait, and then
    everything."""
    session = await script.attach("T-tab1")
    for command in commands:
        await script.send(command, session=session)
    script.reads = False
    for number in range(1_000):
        tab.sessions[0].deliver(LOGGED, {"number": number, "text": "x" * 1_000}, None)
    tab.sessions[0].deliver(LAST, {}, None)
    await wait_all_tasks_blocked()
    script.read_again()
    return [message for message in await read_until_last(script) if not message["method"].startswith("Target.")]


async def test_a_script_that_reads_slowly_stays_connected_and_gets_all_but_console_entries(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        got = await flood(there.tab("tab1"), script)
        assert script.closed is None
        numbers = [message["params"]["number"] for message in got[:-1]]
        assert 5 <= len(numbers) <= 20
        assert numbers == list(range(len(numbers)))


async def test_the_log_says_where_entries_are_missing(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        got = await flood(there.tab("tab1"), script, "Log.enable")
        methods = [message["method"] for message in got]
        assert methods == [LOGGED] * methods.count(LOGGED) + ["Log.entryAdded", LAST]
        assert "left out" in got[-2]["params"]["entry"]["text"]
        assert got[-2]["sessionId"] == got[0]["sessionId"]


async def test_an_entry_that_the_script_may_not_see_begins_no_gap(tmp_path: Path) -> None:
    async with world(tmp_path, LIMITS) as there, there.script() as script:
        tab = there.tab("tab1", sites=["a.example"])
        await script.send("Log.enable", session=await script.attach("T-tab1"))
        script.reads = False
        tab.sessions[0].deliver(LOGGED, {"executionContextId": 1, "text": "x" * 15_000}, None)
        tab.sessions[0].deliver(LOGGED, {"executionContextId": 9, "text": "of another site"}, None)
        tab.sessions[0].deliver(LAST, {}, None)
        await wait_all_tasks_blocked()
        script.read_again()
        methods = [message["method"] for message in await read_until_last(script)]
        assert [method for method in methods if not method.startswith("Target.")] == [LOGGED, LAST]
