"""One tab's socket from registration to its end: commands, unusable messages, a tab that reads nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from kapture.backends.outbox import Outbox
from kapture.commands.core.recorder import RecordedStep, RecordingState
from kapture.errors import ErrorCode
from kapture.hub.tab_session import send_recording
from kapture.settings import Limits
from tests.support.fake_recorder import FakeRecorder
from tests.unit.hub.simulated import fails, world


async def test_a_plain_tab_registers_and_executes(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = there.connect()
        registered = await tab.register("tab1")
        assert registered["tabId"] == "tab1"
        assert registered["heartbeatMs"] == 10_000
        running = there.start(there.call("t_echo", word="hello", selector="#a"))
        asked = await tab.receive("command")
        assert asked["command"] == "kapturemcp_t_echo"
        assert asked["params"] == {"word": "hello", "selector": "#a"}
        await tab.answer(asked, "hello back")
        assert await running.wait() == "hello back"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (b"\x00\x01", "binary"),
        ("{", "not_json"),
        ("[]", "not_an_object"),
        ('{"type":"teleport"}', "unknown_type"),
        ('{"type":"register"}', "malformed"),
        ('{"type":"register","tabId":"other"}', "out_of_order"),
        ('{"type":"proof","nonce":"a","mac":"b"}', "out_of_order"),
        ('{"type":"ping","ts":"' + "x" * 100 + '"}', "malformed"),
    ],
)
async def test_unusable_message_gets_an_error_and_the_tab_stays(
    tmp_path: Path, autojump_clock: Any, frame: str | bytes, reason: str
) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        await tab.raw(frame)
        error = await tab.receive()
        assert (error["type"], error["code"], error["reason"]) == ("error", "PROTOCOL_ERROR", reason)
        assert len(error["message"]) > 15
        there.nursery.start_soon(tab.answer_all)
        assert await there.call("t_echo", word="still here") == "still here"
        assert there.hub.status()["counters"]["badMessages"] == 1


async def test_an_oversized_message_gets_its_own_error(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path, limits=Limits(message_bytes=1_000)) as there:
        tab = await there.tab()
        await tab.send(type="pong", ts=1, filler="x" * 1_000)
        assert (await tab.receive())["reason"] == "oversized"


async def test_a_flood_of_garbage_ends_that_socket_and_no_other(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        good, bad = await there.tab("good"), await there.tab("bad")
        there.nursery.start_soon(good.answer_all)
        for _ in range(30):
            await bad.raw("garbage")
        assert (await bad.receive("closed"))["code"] == 1008
        assert await there.call("t_echo", "good", word="fine") == "fine"
        await fails(ErrorCode.TAB_DISCONNECTED, there.call("t_echo", "bad"))


async def test_a_malformed_answer_fails_the_command_that_it_belongs_to(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        running = there.start(there.call("t_echo"))
        asked = await tab.receive("command")
        await tab.send(type="response", id=asked["id"], success="perhaps")
        assert await running.wait() is ErrorCode.PROTOCOL_ERROR


async def test_a_client_reads_whose_fault_a_malformed_answer_is(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there, trio.open_nursery() as nursery:
        tab = await there.tab()

        async def answer() -> None:
            asked = await tab.receive("command")
            await tab.send(type="response", id=asked["id"], success="perhaps")

        nursery.start_soon(answer)
        error = await fails(ErrorCode.PROTOCOL_ERROR, there.call("t_echo"))
    assert error.message.startswith("The tab's answer cannot be used: A `response` message is not well formed")
    assert "not of the call" in str(error)


async def test_a_tab_that_reads_nothing_fails_commands_instead_of_filling_memory(
    tmp_path: Path, autojump_clock: Any
) -> None:
    async with world(tmp_path, limits=Limits(buffered_bytes=10_000)) as there:
        tab = await there.tab()
        tab.hub_end.stalled = True
        first = there.start(there.call("t_peek", word="x" * 9_000))
        await trio.testing.wait_all_tasks_blocked()
        error = await fails(ErrorCode.QUEUE_FULL, there.call("t_peek", word="x" * 9_000))
        assert "reads too slowly" in error.message
        assert not first.done.is_set()
        await tab.close()
        assert await first.wait() is ErrorCode.TAB_DISCONNECTED


async def test_the_panels_commands_go_through_the_same_queue(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        held = there.start(there.call("t_echo", word="first"))
        first = await tab.receive("command")
        await tab.send(type="invoke", id="p1", command="t_echo", params={"word": "second"})
        await trio.testing.wait_all_tasks_blocked()
        await tab.answer(first, "1")
        assert await held.wait() == "1"
        second = await tab.receive("command")
        assert second["params"] == {"word": "second"}
        await tab.answer(second, {"a": 1})
        result = await tab.receive("result")
        assert result == {
            "type": "result",
            "id": "p1",
            "success": True,
            "result": {"text": '{"a": 1}', "data": {"a": 1}, "parts": []},
        }


async def test_an_invoke_that_fails_gives_the_reason(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        await tab.send(type="invoke", id="p1", command="t_ekho", params={})
        result = await tab.receive("result")
        assert result["error"]["code"] == "UNKNOWN_COMMAND"
        assert "t_echo" in result["error"]["hint"]


async def test_the_tab_gets_the_activity_of_what_ran_on_it(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        running = there.start(there.call("t_echo", word="secret words"))
        await tab.answer(await tab.receive("command"))
        await running.wait()
        [ended] = (await tab.receive("activity"))["entries"]
        assert (ended["command"], ended["client"], ended["outcome"]) == ("t_echo", "tester", "ok")
        assert "secret" not in str(ended)


async def test_the_panel_asks_what_a_call_of_somebody_else_answered(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        running = there.start(there.call("t_echo", word="secret words"))
        await tab.answer(await tab.receive("command"), {"a": 1})
        await running.wait()
        [entry] = (await tab.receive("activity"))["entries"]
        assert entry["arguments"] == {"tabId": "tab1", "word": "(12 characters)"}
        await tab.send(type="get_call", id="p1", call=entry["call"])
        assert (await tab.receive("result"))["result"] == {
            "arguments": {"word": "secret words"},
            "answer": {"text": '{"a": 1}', "data": {"a": 1}, "parts": []},
            "error": None,
        }


async def test_a_panel_sees_no_call_of_another_tab(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        running = there.start(there.call("t_echo", word="secret words"))
        await tab.answer(await tab.receive("command"))
        await running.wait()
        [entry] = (await tab.receive("activity"))["entries"]
        other = await there.tab("tab2")
        await other.send(type="get_call", id="p1", call=entry["call"])
        result = await other.receive("result")
        assert result["success"] is False
        assert "secret" not in str(result)


async def test_an_image_in_a_tabs_answer_is_a_part_of_the_result(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab()
        results: list[Any] = []

        async def call() -> None:
            results.append(await there.hub.call(there.client, "t_echo", {"tabId": "tab1"}))

        there.nursery.start_soon(call)
        await tab.answer(await tab.receive("command"), {"dataUrl": "data:image/png;base64,iVBORw0KGgo=", "width": 3})
        await trio.testing.wait_all_tasks_blocked()
        assert results[0].data == {"width": 3}
        assert [(part.mime_type, part.base64) for part in results[0].parts] == [("image/png", "iVBORw0KGgo=")]


async def test_the_panel_sees_who_ran_what_and_how_it_ended(tmp_path: Path, autojump_clock: Any) -> None:
    async with world(tmp_path) as there:
        tab = await there.tab(capabilities=["activity"])
        with there.hub.client(name="Claude Code", kind="stdio") as agent:
            call = there.start(there.hub.call(agent, "t_echo", {"tabId": "tab1"}))
            await tab.answer(await tab.receive("command"))
            await call.wait()
            [ended] = (await tab.receive("activity"))["entries"]
            assert (ended["client"], ended["command"], ended["outcome"]) == ("Claude Code", "t_echo", "ok")
            await fails(ErrorCode.INVALID_PARAMS, there.hub.call(agent, "t_echo", {"tabId": "tab1", "word": True}))
        await tab.send(type="invoke", id="1", command="t_echo", params={})
        await tab.answer(await tab.receive("command"))
        assert (await tab.receive("activity"))["entries"][-1]["client"] == "panel"


class Kept(Outbox):
    """Keeps what is sent; takes nothing while it is full."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.sent: list[Any] = []

    def put(self, frame: str, *, limited: bool = True) -> None:
        self.sent.append(json.loads(frame))


def _recording(*steps: RecordedStep, going: bool = True) -> RecordingState:
    return RecordingState(tabId="abcd2345", recording=going, steps=list(steps))


async def test_a_panel_has_the_recording_as_it_stands_and_hears_when_it_is_gone(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    recorder, outbox = FakeRecorder(), Kept()
    recorder.becomes("abcd2345", _recording(RecordedStep(id="a1", title="fill", secret="password")))
    nursery.start_soon(send_recording, recorder, "abcd2345", outbox)
    await trio.testing.wait_all_tasks_blocked()
    assert outbox.sent == [
        {"type": "recording", "state": {"going": True, "steps": [{"id": "a1", "title": "fill", "secret": "password"}]}}
    ]
    recorder.becomes("abcd2345", None)
    await trio.testing.wait_all_tasks_blocked()
    await trio.sleep(1)
    assert outbox.sent[1:] == [{"type": "recording"}]
