"""An agent that finds no tab learns why, and what leads to one: a test for each state."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from kapture.errors import ErrorCode
from kapture.pairing import TabProof
from tests.unit.hub.simulated import World, fails, world
from tests.unit.hub.test_extensions import connect


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
async def test_what_brings_a_tab_without_the_extension_is_what_this_hub_can_do(
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


async def test_why_there_is_no_tab_is_the_hubs_own_word_and_not_a_pages(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
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


async def test_a_file_that_cannot_be_written_is_in_status_until_it_can(
    tmp_path: Path, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    async with world(tmp_path) as hub:
        assert hub.hub.status()["dataFolderFailure"] is None
        monkeypatch.setattr("kapture.private_files.os.open", read_only)
        await connect(hub)
        await trio.testing.wait_all_tasks_blocked()
        assert "seen.json could not be written: Read-only file system." in hub.hub.status()["dataFolderFailure"]
        monkeypatch.undo()
        await hub.tab("tab1")
        assert (await written(tmp_path))["tabs"] == ["tab1"]
        assert hub.hub.status()["dataFolderFailure"] is None


async def written(home: Path) -> dict[str, Any]:
    """What the file says once the hub has nothing left to do."""
    await trio.testing.wait_all_tasks_blocked()
    content: dict[str, Any] = json.loads((home / "seen.json").read_text())
    return content
