"""Messages of relay extensions, well formed and not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from trio.testing import MockClock, wait_all_tasks_blocked

from kapture.backends.relay.relay_browser import RelayTabs
from kapture.cdp import CdpError
from kapture.errors import KaptureError
from tests.unit.backends.relay.scripted_relay import ScriptedExtension, relay


async def test_an_extension_that_is_silent_is_given_up_and_its_commands_fail(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        (tab,) = served.values()
        socket.answers = False
        with pytest.raises(KaptureError, match="The relay extension disconnected while this ran"):
            await tab.probe()


async def test_unreadable_message_changes_nothing(tmp_path: Path) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        for garbage in ("nonsense", "[]", '{"id": {}}', '{"id": "k999", "result": 1}'):
            await socket.to_hub.send(garbage)
        await socket.say(type="ping")
        await wait_all_tasks_blocked()
        assert {"type": "pong"} in socket.sent
        assert len(served) == 1


async def test_half_a_character_in_what_a_page_says_loses_no_message(tmp_path: Path) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        (tab,) = served.values()
        heard = list[dict[str, Any]]()
        tab.deliver = lambda method, params, session_id: heard.append(params)  # type: ignore[method-assign]
        await socket.to_hub.send(
            r'{"type": "cdp_event", "tabId": 1, "method": "Page.said", "params": {"text": "\ud800"}}'
        )
        await wait_all_tasks_blocked()
        assert heard == [{"text": "\ufffd"}]


@pytest.mark.parametrize(
    ("error", "words"), [("No tab", "No tab"), ({"message": "No tab"}, "No tab"), ({"code": 1}, '{"code":1}')]
)
async def test_an_error_is_one_whatever_shape_it_has(error: Any, words: str, tmp_path: Path) -> None:
    socket = ScriptedExtension(1)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        (tab,) = served.values()
        socket.refusals = {"tabs.list": [error]}
        with pytest.raises(CdpError) as raised:
            await tab.probe()
        assert raised.value.reason == words


async def test_a_tab_of_which_the_relay_sends_nonsense_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    socket = ScriptedExtension(1, 2)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        first, second = (next(tab for tab_id, tab in served.items() if tab_id.startswith(f"{n}.")) for n in (1, 2))

        heard = list[str]()

        def stumble(method: str, params: dict[str, Any], session_id: str | None) -> None:
            heard.append(method)
            raise KeyError("frame")

        first.deliver = stumble  # type: ignore[method-assign]
        for method in ("Page.frameNavigated", "Page.loadEventFired"):
            await socket.say(type="cdp_event", tabId=1, method=method, params={})
        await wait_all_tasks_blocked()
        assert heard == ["Page.frameNavigated"]
        assert (list(served.values()), first.why_left) == ([second], "unreadable")


async def test_nonsense_about_a_tab_that_is_gone_ends_no_other(tmp_path: Path) -> None:
    socket = ScriptedExtension(1, 2)
    async with relay(tmp_path, socket, RelayTabs()) as served:
        first = next(tab for tab_id, tab in served.items() if tab_id.startswith("1."))
        socket.answers = False
        browser = first._browser  # type: ignore[attr-defined]  # noqa: SLF001  as a page of it

        def stumble(reply: Any) -> None:
            raise KeyError("frameTree")

        browser.submit("cdp.send", {"tabId": 1, "method": "Page.getFrameTree", "params": {}}).then(stumble)
        await wait_all_tasks_blocked()
        first.left()
        await wait_all_tasks_blocked()
        [command] = socket.commands("cdp.send")
        await socket.say(id=command["id"], result={})
        await wait_all_tasks_blocked()
        assert [tab_id[:2] for tab_id in served] == ["2."]
        await socket.say(type="ping")
        await wait_all_tasks_blocked()
        assert {"type": "pong"} in socket.sent
