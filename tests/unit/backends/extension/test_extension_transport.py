"""CDP over the extension's socket: order, programs, answers and refusals."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from kapture.backends.backend import sending_for
from kapture.cdp import CdpError, Condition, PendingReply, ResultReference, Skipped
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages
from kapture.wire.envelope import WireError
from tests.unit.backends.extension_bench import Bench, may_read


@pytest.fixture
async def bench(nursery: Any) -> Bench:
    made = Bench()
    nursery.start_soon(made.backend.serve, may_read)
    return made


async def test_cdp_commands_are_sent_in_order_without_waiting(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    replies = [page.connection.root.submit("Input.dispatchMouseEvent", {"x": n}) for n in range(3)]
    child = page.connection.session("S1").submit("DOM.enable")
    sent = bench.sent()
    assert [frame["command"] for frame in sent] == ["cdp"] * 4
    assert [frame["params"].get("params", {}).get("x") for frame in sent[:3]] == [0, 1, 2]
    assert sent[3]["params"] == {"method": "DOM.enable", "params": {}, "sessionId": "S1"}
    bench.respond(sent[3]["id"], {"ok": 1})
    bench.respond(sent[1]["id"], {"n": 1})
    assert await child.wait() == {"ok": 1}
    assert await replies[1].wait() == {"n": 1}
    assert not replies[0].done


async def test_only_messages_of_call_allowed_once_name_it(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    with sending_for("run.1"):
        async with trio.open_nursery() as started_by_it:
            started_by_it.start_soon(_submit, page, "DOM.enable")
        page.connection.root.submit("DOM.focus")
    page.connection.root.submit("Page.reload")
    named = {frame["params"]["method"]: frame.get("call") for frame in bench.sent()}
    assert named == {"DOM.enable": "run.1", "DOM.focus": "run.1", "Page.reload": None}


async def _submit(page: Any, method: str) -> None:
    page.connection.root.submit(method)


async def test_a_refusal_of_the_browser_is_a_cdp_error_and_one_of_the_extension_its_own(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    refused, denied = page.connection.root.submit("DOM.focus"), page.connection.root.submit("Page.navigate")
    first, second = (frame["id"] for frame in bench.sent())
    bench.respond(first, error=WireError(message="No node", data={"cdpCode": -32602, "cdpData": "params.nodeId"}))
    bench.respond(second, error=WireError(code="POLICY_DENIED", message="Not there.", hint="Ask."))
    with pytest.raises(CdpError) as failure:
        await refused.wait()
    refusal = failure.value
    assert (refusal.method, refusal.reason, refusal.cdp_code) == ("DOM.focus", "No node", -32602)
    assert refusal.cdp_data == "params.nodeId"
    with pytest.raises(KaptureError) as other:
        await denied.wait()
    assert (other.value.code, other.value.hint) == (ErrorCode.POLICY_DENIED, "Ask.")


def click(page: Any) -> list[PendingReply]:
    root = page.connection.root
    with page.connection.together():
        return [root.submit("Input.press", {"x": 1}), root.submit("Runtime.evaluate", wait_for_previous=True)]


@pytest.mark.parametrize(
    "result", [{"answers": []}, {"answers": 7}, None, {"answers": [{"result": 1}, {}]}, {"answers": [None, None]}]
)
async def test_an_answer_that_does_not_fit_fails_all_that_it_is_for(nursery: Any, result: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    replies = click(await bench.backend.page())
    bench.respond(bench.sent()[0]["id"], result)
    for reply in replies:
        with pytest.raises(KaptureError) as failure:
            await reply.wait()
        assert failure.value.code is ErrorCode.PROTOCOL_ERROR


@pytest.mark.parametrize("capabilities", [["cdp_events"], []])
async def test_a_tab_that_can_leave_events_out_is_sent_which_are_read(nursery: Any, capabilities: list[str]) -> None:
    bench = Bench(*capabilities)
    nursery.start_soon(bench.backend.serve, may_read)
    connection = (await bench.backend.page()).connection
    connection.root.on("Page.b", lambda _: None)
    connection.root.on("Page.a", lambda _: None)
    connection.leave_out_unread_events()
    off = connection.root.on("*", lambda _: None)
    off()
    read = {"methods": ["Page.a", "Page.b"]}
    expected = [("cdp_events", read), ("cdp_events", {"methods": None}), ("cdp_events", read)]
    assert [(frame["command"], frame["params"]) for frame in bench.sent()] == (expected if capabilities else [])


def press_where_found(page: Any) -> list[PendingReply]:
    root = page.connection.root
    with page.connection.together():
        found = root.submit("Runtime.evaluate")
        ready = Condition(ResultReference(found, "/result/ready"), True)
        return [found, root.submit("Input.press", {"x": ResultReference(found, "/result/x"), "y": 1}, requires=[ready])]


async def test_a_program_refers_to_results_by_the_index_of_their_commands(nursery: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    press_where_found(await bench.backend.page())
    assert bench.sent()[0]["params"]["commands"] == [
        {"method": "Runtime.evaluate", "params": {}},
        {
            "method": "Input.press",
            "params": {"y": 1, "#x": {"resultOf": 0, "path": "/result/x"}},
            "requires": [{"resultOf": 0, "path": "/result/ready", "value": True}],
        },
    ]


async def test_answers_that_come_before_a_program_is_over_settle_at_once(nursery: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    found, pressed = press_where_found(await bench.backend.page())
    [frame] = bench.sent()
    answer = messages.CdpAnswer(result={"result": {"ready": True}})
    bench.backend.handle_answers_so_far(messages.CdpAnswersSoFar(id=frame["id"], answers=[answer, None]))
    bench.backend.handle_answers_so_far(messages.CdpAnswersSoFar(id="c999", answers=[answer, None]))
    assert await found.wait() == {"result": {"ready": True}}
    assert not pressed.done
    bench.respond(frame["id"], {"answers": [None, {"skipped": True}]})
    assert isinstance(pressed.error, Skipped)
    assert bench.sent() == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Detached while handling command.",
        "Debugger is not attached to the tab with id: 7.",
        "No tab with given id 7.",
        "No SW",
    ],
)
async def test_error_about_gone_tab_is_not_a_refusal(bench: Bench, sentence: str) -> None:
    page: Any = await bench.backend.page()
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.respond(bench.sent()[0]["id"], error=WireError(message=sentence, data={"cdpCode": -32000}))
    assert reply.error is not None
    assert reply.error.code is ErrorCode.DETACHED
