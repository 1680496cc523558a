"""Tabs that are lost, come back, leave, or want an id that is taken."""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.errors import ErrorCode
from kapture.hub.holding import Hold
from kapture.pairing import TabProof
from tests.unit.hub.simulated import SimulatedTab, World, fails, world
from tests.unit.hub.test_extensions import connect


async def test_a_lost_tab_fails_what_runs_and_keeps_what_waits_for_5_s(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", browser={"instance": "one"})
        running = there.start(there.call("t_echo", word="1"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        await tab.close()
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        await trio.sleep(4.9)
        assert not waiting.done.is_set()
        back = await there.tab("tab1", browser={"instance": "one"})
        await back.answer(await back.receive("command"), "after all")
        assert await waiting.wait() == "after all"


async def test_waiting_calls_fail_when_tab_does_not_return(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.start(there.call("t_echo"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo"))
        await wait_all_tasks_blocked()
        await tab.close()
        began = trio.current_time()
        assert await waiting.wait() is ErrorCode.TAB_DISCONNECTED
        assert trio.current_time() - began == pytest.approx(5, abs=0.1)
        await trio.sleep(60)
        error = await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert "disconnected" in error.message
        assert "s ago" in error.message
        assert "list_tabs" in error.hint


async def test_a_command_sent_while_a_tab_is_away_waits_for_it(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        await tab.close()
        await wait_all_tasks_blocked()
        waiting = there.start(there.call("t_echo", word="patient"))
        await trio.sleep(2)
        back = await there.tab()
        there.nursery.start_soon(back.answer_all)
        assert await waiting.wait() == "patient"


@pytest.mark.parametrize("farewell", [{"code": 4001}, {"event": "disconnected"}, {"event": "target_closed"}])
async def test_a_tab_that_leaves_keeps_nobody_waiting(
    tmp_path: Path, autojump_clock: Any, farewell: dict[str, Any]
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        there.start(there.call("t_echo"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo"))
        await wait_all_tasks_blocked()
        began = trio.current_time()
        if "event" in farewell:
            await tab.send(type="event", event="detached", reason=farewell["event"], message="")
        await tab.close(farewell.get("code", 1000))
        assert await waiting.wait() is ErrorCode.TAB_DISCONNECTED
        assert trio.current_time() == began


@pytest.mark.parametrize(
    ("reason", "words", "advice"),
    [
        ("disconnected", "The person disconnected tab tab1", "Ask the person"),
        ("canceled_by_user", "The person ended the debugging of tab tab1 with Cancel", "Ask the person"),
        ("target_closed", "Tab tab1 was closed", "list_tabs"),
    ],
)
async def test_every_call_error_says_why_the_tab_left(
    tmp_path: Path, autojump_clock: Any, reason: str, words: str, advice: str
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1")
        running = there.start(there.call("t_echo"))
        await tab.receive("command")
        await tab.send(type="event", event="detached", reason=reason, message="")
        await tab.close(4001)
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        error = await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert error.message.startswith(words)
        assert advice in error.hint
        assert error.data["reason"] == reason


async def test_a_live_id_is_taken_over_only_by_the_same_browser(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1", browser={"instance": "one"})
        for impostor in ({"instance": "two"}, {}):
            other = there.connect()
            refused = await other.register("tab1", browser=impostor)
            assert (refused["type"], refused["code"]) == ("refused", "UNAUTHORIZED")
            assert (await other.receive("closed"))["code"] == 1008
        status = there.hub.status()
        assert [refusal["tab_id"] for refusal in status["refusedDisplacements"]] == ["tab1", "tab1"]
        assert "one" not in str(status["refusedDisplacements"])
        running = there.start(there.call("t_echo", word="1"))
        await tab.receive("command")
        waiting = there.start(there.call("t_echo", word="2"))
        await wait_all_tasks_blocked()
        again = await there.token_tab("tab1", browser={"instance": "one"})
        assert [one["tab_id"] for one in there.hub.status()["supersededConnections"]] == ["tab1"]
        assert await running.wait() is ErrorCode.TAB_DISCONNECTED
        assert (await tab.receive("closed"))["type"] == "closed"
        await again.answer(await again.receive("command"), "2")
        assert await waiting.wait() == "2"
        assert list(there.hub.tabs) == ["tab1"]


async def test_another_way_of_authenticating_is_another_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, no_pairing=True) as there:
        await there.token_tab("tab1", browser={"instance": "one"})
        other = there.connect(token=False)
        assert (await other.register("tab1", browser={"instance": "one"}))["type"] == "refused"


async def test_a_plain_tab_cannot_push_another_out_but_may_come_back(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1")
        assert (await there.connect().register("tab1"))["type"] == "refused"
        await tab.close()
        await wait_all_tasks_blocked()
        assert (await there.connect().register("tab1"))["type"] == "registered"


async def test_an_id_is_never_used_for_another_browsers_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.token_tab("tab1", browser={"instance": "one"})
        await tab.close(4001)
        await trio.sleep(3_600)
        assert (await there.connect().register("tab1", browser={"instance": "two"}))["type"] == "refused"
        assert (await there.connect().register("tab1", browser={"instance": "one"}))["type"] == "registered"


async def test_a_tab_is_gone_only_when_it_has_not_come_back_within_the_grace_period(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", browser={"instance": "one"})
        async with there.hub.subscribe() as events:
            await tab.close()
            assert (await events.receive()).kind == "tab_disconnected"
            tab = await there.tab("tab1", browser={"instance": "one"})
            assert (await events.receive()).kind == "tab_connected"
            await tab.close()
            lost_at = trio.current_time()
            assert (await events.receive()).kind == "tab_disconnected"
            assert (await events.receive()).kind == "tab_gone"
            assert trio.current_time() - lost_at == pytest.approx(5, abs=0.1)


async def test_nothing_of_the_connection_of_a_tab_that_is_gone_stays_in_memory(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", url=f"https://shop.example/{'x' * 2_000}")
        known = there.hub.state.router.find("tab1")
        held: list[weakref.ref[Any]] = [
            weakref.ref(known.backend),
            weakref.ref(known.on_replaced),
        ]  # the latter closes the connection
        await tab.close(4001)
        await wait_all_tasks_blocked()
        await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        await wait_all_tasks_blocked()
        gc.collect()
        assert [one() for one in held] == [None, None]


async def test_address_of_gone_tab_is_reduced_to_its_site(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab("tab1", url=f"https://shop.example/{'x' * 2_000}", title="y" * 200)
        known = there.hub.state.router.find("tab1")
        await tab.close(4001)
        await wait_all_tasks_blocked()
        await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo"))
        assert known.last_address.url.startswith("https://shop.example/xxx")
        assert len(known.last_address.url) + len(known.last_address.title) < 1_000


# An agent that finds no tab learns why, and what leads to one: a test for each state.


async def listed(hub: World) -> tuple[str, dict[str, Any]]:
    """Text and facts of `list_tabs`."""
    answer = await hub.hub.call(hub.client, "list_tabs", {})
    return answer.text, answer.data


async def state_of_a_call(hub: World) -> dict[str, Any]:
    """The data of the error that a call without a tab ends with; `list_tabs` says the same."""
    error = await fails(ErrorCode.NO_BACKEND, hub.hub.call(hub.client, "t_echo", {}))
    text, data = await listed(hub)
    assert data["tabs"] == []
    assert data["none"]["state"] == error.data["state"]
    assert text == f"{error.message} {error.hint}"
    assert data["none"]["advice"]
    assert "the person" not in data["none"]["advice"]
    status = hub.hub.status()["noTab"]
    assert status["state"] == error.data["state"]
    return {**error.data, "text": text}


async def test_an_extension_that_never_came_leads_to_setup(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        found = await state_of_a_call(hub)
    assert found["state"] == "extension_never_seen"
    assert "`kapture setup`" in found["text"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "`kapture launch` starts a browser of its own instead."),
        ({"fallback": "launch"}, "The next call that needs a tab launches a browser for it."),
        ({"relay": True}, "A browser with the relay extension connects by itself when it is started."),
    ],
)
async def test_advice_without_extension_names_what_this_hub_can_do(
    tmp_path: Path, autojump_clock: MockClock, settings: dict[str, Any], words: str
) -> None:
    async with world(tmp_path, **settings) as hub:
        text, data = await listed(hub)
    assert text.endswith(words)
    assert data["none"]["advice"].endswith(words)


async def test_an_extension_without_the_key_leads_to_pairing(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        socket = hub.connect(token=False, extension=True)
        challenge = await socket.receive("challenge")
        nonce, mac = TabProof(b"x" * 32).answer(challenge["nonce"])
        await socket.send(type="proof", nonce=nonce, mac=mac)
        assert (await socket.receive("refused"))["code"] == "UNAUTHORIZED"
        found = await state_of_a_call(hub)
    assert found["state"] == "not_paired"
    assert "pairs the browser" in found["text"]


async def test_a_browser_that_has_gone_is_named_with_when_it_was_seen(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        socket = await connect(hub)
        await socket.close()
        await trio.testing.wait_all_tasks_blocked()
        found = await state_of_a_call(hub)
    assert found["state"] == "browser_away"
    assert "Chromium 156" in found["text"]
    assert "has crashed comes back within 30 s by itself, or else with Reload" in found["text"]
    assert found["lastSeen"]["extension"] == "0.1.0"


async def test_a_browser_that_waits_for_a_click_leads_to_a_request(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        await connect(hub)
        found = await state_of_a_call(hub)
    assert found["state"] == "no_tab_connected"
    assert found["browsers"] == ["Chromium 156"]
    assert "request_tab" in found["text"]


async def test_reason_for_no_tab_is_not_marked_as_page_text(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        assert not (await hub.hub.call(hub.client, "list_tabs", {})).untrusted
        await hub.tab("tab1", title="A title of the page's choosing")
        assert (await hub.hub.call(hub.client, "list_tabs", {})).untrusted


async def test_the_first_list_of_tabs_waits_for_those_that_were_connected(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        await hub.tab("tab1")
        seen = await written(tmp_path)
        assert seen["tabs"] == ["tab1"]
    async with world(tmp_path) as hub:
        answered = hub.start(listed(hub))
        began = trio.current_time()
        await trio.testing.wait_all_tasks_blocked()
        assert not answered.done.is_set()
        await hub.tab("tab1")
        _, data = await answered.wait()
        assert [row["tabId"] for row in data["tabs"]] == ["tab1"]
        assert trio.current_time() == began  # by the event, not by time


async def test_a_tab_that_does_not_come_back_is_waited_for_3_s_and_once(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    (tmp_path / "seen.json").write_text('{"extension": null, "tabs": ["tab1"]}')
    async with world(tmp_path) as hub:
        began = trio.current_time()
        await listed(hub)
        assert trio.current_time() - began == 3
        await listed(hub)
        assert trio.current_time() - began == 3


async def test_a_tab_that_its_person_has_disconnected_is_not_waited_for(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with world(tmp_path) as hub:
        tab = await hub.tab("tab1")
        seen = await written(tmp_path)
        assert seen["tabs"] == ["tab1"]
        await tab.close(4001)
        seen = await written(tmp_path)
        assert seen["tabs"] == []
    async with world(tmp_path) as hub:
        began = trio.current_time()
        await listed(hub)
        assert trio.current_time() == began


async def test_the_file_of_what_was_seen_holds_no_page_and_no_secret(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with world(tmp_path) as hub:
        await connect(hub)
        await hub.tab("tab1", url="https://bank.example/account", title="Private")
        seen = await written(tmp_path)
        assert seen["tabs"] == ["tab1"]
    text = (tmp_path / "seen.json").read_text()
    assert "bank" not in text
    assert "Private" not in text
    assert "s3cr3t" not in text


async def written(home: Path) -> dict[str, Any]:
    """Return the file's contents once the hub is idle."""
    await trio.testing.wait_all_tasks_blocked()
    content: dict[str, Any] = json.loads((home / "seen.json").read_text())
    return content


# Whose word the hub takes for where a downloaded file is: it moves that file to its own folder.


CARRIES_CDP: dict[str, Any] = {
    "capabilities": ["cdp", "cdp_renew"],
    "grant": {"sites": ["*"], "level": "full"},
    "url": "https://example.com/",
}


def download(there: World) -> Any:
    """A step of a download in the only tab."""
    (tab,) = there.hub.state.router.connected.values()
    assert tab.scripts is not None
    return tab.scripts.download({"action": "status", "id": 1})


async def asked(tab: SimulatedTab) -> dict[str, Any]:
    """The next download step that the tab is asked for."""
    while (message := await tab.receive("command"))["command"] != "download":
        pass
    return message


async def test_a_tab_that_has_shown_the_client_token_only_names_no_files(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        await there.token_tab(**CARRIES_CDP)
        await fails(ErrorCode.UNSUPPORTED, download(there))


async def test_a_tab_that_holds_the_key_names_the_file_that_was_downloaded(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.connect_proven()
        await tab.register(**CARRIES_CDP)
        step = there.start(download(there))
        await tab.answer(await asked(tab), {"state": "complete"})
        assert await step.wait() == {"state": "complete"}


# A script that holds a tab: what its person sees of it, and can do about it.


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
