"""What a program that has asked for a browser gets when that fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import WebSocketConnection

from kapture.backends.chromium.target import TabIds
from kapture.hub.browsers import Browsers
from kapture.policy import Grant
from tests.unit.server.served import served

ATTACH = {"type": "attach", "grant": {"sites": ["*"], "level": "read"}, "endpoint": "ws://127.0.0.1:1"}


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def attach(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(Browsers, "attach", attach)


async def test_a_bug_is_reported_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, ZeroDivisionError())
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        failed = json.loads(await program.get_message())
        assert "Attaching to a browser failed because of a bug in Kapture" in failed["message"]
        assert "bug in Kapture" in caplog.text


async def test_the_next_hub_knows_of_the_tabs_what_this_one_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which hub it is does not matter: the program sends to the next what it has got from the last."""
    given: list[TabIds] = []

    async def attach(_: object, __: object, ___: object, ids: TabIds, **____: object) -> None:
        given.append(ids)
        await trio.sleep_forever()

    async def kept(program: WebSocketConnection, tabs: list[dict[str, Any]]) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(await program.get_message())
            assert message["type"] == "kept"
            if message["tabs"] == tabs:
                return message

    monkeypatch.setattr(Browsers, "attach", attach)
    left = Grant.make(["a.test"], "read")
    async with served(tmp_path / "first") as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps(ATTACH))
        await kept(program, [])
        (ids,) = given
        one, two = ids.of("T1"), ids.of("T2")
        await kept(program, [{"target": "T1", "tabId": one}, {"target": "T2", "tabId": two}])
        ids.open("T1")
        await kept(program, [{"target": "T1", "tabId": one, "opened": True}, {"target": "T2", "tabId": two}])
        ids.let_go("T1")
        both: dict[str, Any] = {"target": "T1", "tabId": one, "opened": True, "letGo": True}
        await kept(program, [both, {"target": "T2", "tabId": two}])
        there.hub.state.command_line_grants.keep(two, left)
        rows = [both, {"target": "T2", "tabId": two, "grant": left.to_json()}]
        last = await kept(program, rows)
    async with served(tmp_path / "second") as there, there.open_as_person("/browsers") as program:
        await program.send_message(json.dumps({**ATTACH, "kept": last}))
        assert await kept(program, rows) == last
        assert (given[1].owner, given[1].known) == (ids.owner, ids.known)
        assert there.hub.state.command_line_grants.left(two) == left


@pytest.mark.parametrize("kept", [{"owner": "x"}, {"tabs": [{"target": "T1", "tabId": "../../.."}]}])
async def test_what_no_hub_can_have_sent_is_refused(tmp_path: Path, kept: dict[str, Any]) -> None:
    async with served(tmp_path) as there, there.open_as_person("/browsers") as program:
        sound = {"type": "kept", "owner": "0" * 32, "tabs": []}
        await program.send_message(json.dumps({**ATTACH, "kept": {**sound, **kept}}))
        assert json.loads(await program.get_message())["code"] == "INVALID_PARAMS"
