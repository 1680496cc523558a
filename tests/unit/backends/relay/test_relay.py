"""Browsers behind a relay, with a scripted extension at the other end of the socket."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.relay.relay_browser import RelayTabs
from kapture.errors import Detached, ErrorCode, KaptureError
from tests.support.calls import tab_call
from tests.unit.backends.relay.scripted_relay import ScriptedExtension, relay


async def test_every_open_tab_is_served_and_one_that_was_closed_is_not(tmp_path: Path) -> None:
    socket = ScriptedExtension(1, 2)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        assert sorted(tab_id[:2] for tab_id in served) == ["1.", "2."]
        assert {tab.why_detached for tab in served.values()} == {"Not attached; the next command attaches it."}
        socket.tabs = [2]
        await socket.say(type="status", attachedTabs=[])
        await wait_all_tasks_blocked()
        assert [tab_id[:2] for tab_id in served] == ["2."]


async def test_tabs_beyond_those_that_the_hub_takes_are_refused_once_and_served_when_there_is_room(
    tmp_path: Path,
) -> None:
    socket, refused = ScriptedExtension(*range(1, 9)), list[str]()

    async def list_again() -> None:
        await socket.say(type="status", attachedTabs=[])
        await wait_all_tasks_blocked()

    async with relay(tmp_path, socket, RelayTabs(), most=5, refused=refused) as served:
        for _ in range(3):
            await list_again()
        assert (len(served), len(refused)) == (5, 1)
        socket.tabs = [5, 6, 7]
        await list_again()
        await list_again()
        assert (sorted(tab_id[0] for tab_id in served), len(refused)) == (["5", "6", "7"], 1)


async def test_a_tab_that_is_let_go_is_detached_and_left_alone_though_the_extension_comes_back(tmp_path: Path) -> None:
    socket, ids = ScriptedExtension(1, 2), RelayTabs()
    async with relay(tmp_path, socket, ids) as served:
        tab = next(tab for tab_id, tab in served.items() if tab_id.startswith("1."))
        assert tab.let_go is not None
        tab.let_go()
        await wait_all_tasks_blocked()
        assert [command["params"] for command in socket.commands("debugger.detach")] == [{"tabId": 1}]
        assert (tab.leaving, tab.why_left) == (True, "let_go")
        await socket.say(type="status", attachedTabs=[])
        await wait_all_tasks_blocked()
        assert [tab_id[:2] for tab_id in served] == ["2."]
    async with relay(tmp_path, ScriptedExtension(1, 2), ids) as served:
        assert [tab_id[:2] for tab_id in served] == ["2."]
    async with relay(tmp_path, ScriptedExtension(2), ids):
        assert not ids.let_go  # closed: its number may be another tab's one day


async def run(tab: CdpTab, command: str) -> None:
    """Run a command of which only the name matters: there is no page to run it on."""
    call: Any = SimpleNamespace(command=SimpleNamespace(name=command), wait_connected=None)
    with trio.move_on_after(20):
        await tab.run(call)


async def in_browser(tab: CdpTab, command: str) -> None:
    """Run a command that needs no page."""
    await tab.run_without_page(tab_call(command))


async def test_a_page_that_extensions_may_not_debug_can_be_left(tmp_path: Path, autojump_clock: MockClock) -> None:
    socket = ScriptedExtension(1)
    refusal = "Cannot access a chrome:// URL"
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        socket.refusals = {"debugger.attach": [refusal]}
        with pytest.raises(KaptureError, match=refusal):
            await run(tab, "snapshot")
        assert socket.commands("tabs.navigate") == []
        socket.refusals = {"debugger.attach": [refusal, refusal], "cdp.send": ["The gallery cannot be scripted."]}
        await run(tab, "navigate")
        [left] = socket.commands("tabs.navigate")
        assert left["params"] == {"tabId": 1, "url": "about:blank"}
        assert tab.why_detached is None
        assert len(socket.commands("debugger.attach")) == 5


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Cannot access a chrome-extension:// URL of different extension", "Another extension has put a frame"),
        ('Cannot access contents of url "". Extension manifest must request permission', "A sandboxed frame"),
        ('Cannot access contents of url "about:blank#a". Extension manifest must', "an about: address other than"),
        ('Cannot access contents of url "file:///a".', "does not let this extension debug files"),
        ("Cannot access a chrome:// URL", "does not allow extensions on this page: Cannot access a chrome:// URL"),
    ],
)
@pytest.mark.parametrize("method", ["debugger.attach", "cdp.send"])
async def test_a_page_that_is_closed_to_extensions_says_why(
    tmp_path: Path, sentence: str, words: str, method: str
) -> None:
    socket = ScriptedExtension(1)
    socket.refusals = {method: [sentence]}
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        command = run(tab, "snapshot") if method == "debugger.attach" else in_browser(tab, "tab_activate")
        with pytest.raises(Detached, match=words) as raised:
            await command
        assert raised.value.hint


@pytest.mark.parametrize(
    "refusal", ["The tab is busy.", "Cannot access a chrome-extension:// URL of different extension"]
)
async def test_a_tab_whose_page_takes_no_commands_is_closed_from_another(tmp_path: Path, refusal: str) -> None:
    socket = ScriptedExtension(1)
    socket.refusals = {"cdp.send": [refusal]}
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        await in_browser(tab, "tab_close")
        assert [command["params"]["url"] for command in socket.commands("tabs.navigate")] == ["about:blank"]
        assert [command["params"]["method"] for command in socket.commands("cdp.send")] == [
            "Page.close", "Page.enable", "Page.close",
        ]  # fmt: skip


@pytest.mark.parametrize(("command", "leaves"), [("navigate", 1), ("tab_activate", 0)])
async def test_a_page_that_takes_no_commands_can_be_left(
    tmp_path: Path, autojump_clock: MockClock, command: str, leaves: int
) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        await run(tab, "navigate")
        tab.detached(KaptureError(ErrorCode.DETACHED, "The extensions gallery cannot be scripted."))
        with suppress(KaptureError, AttributeError, ValueError):  # there is no page, and no call
            await run(tab, command)
        assert len(socket.commands("tabs.navigate")) == leaves
        assert (tab.why_detached is None) == bool(leaves)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("The browser is managed.", "managed"),
        ("Cannot access a chrome:// URL", "does not allow extensions on this page"),
    ],
)
async def test_a_page_that_cannot_be_attached_to_after_that_either_says_why(
    tmp_path: Path, autojump_clock: MockClock, refusal: str, words: str
) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        socket.refusals = {"debugger.attach": [refusal] * 1_000}
        with pytest.raises(KaptureError, match=words):
            await run(tab, "navigate")


async def test_a_session_that_the_extension_has_forgotten_is_ended_before_another_begins(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        socket.refusals = {"debugger.attach": ["Another debugger is already attached to the tab with id: 1."]}
        await run(tab, "navigate")
        methods = [command.get("method", "") for command in socket.sent]
        assert [method for method in methods if method.startswith("debugger.")] == [
            "debugger.attach", "debugger.detach", "debugger.attach",
        ]  # fmt: skip


async def test_a_relay_that_does_not_answer_what_it_is_probed_with_navigates_all_the_same(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        [tab] = served.values()
        socket.refusals = {"cdp.send": ["Not allowed"]}
        await run(tab, "navigate")
        assert socket.commands("tabs.navigate") == []
