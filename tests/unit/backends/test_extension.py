"""The backend of a tab that carries CDP: what it sends, and when it has a page. Only the page's engine is faked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from kapture.backends.allowed_once import sending_for
from kapture.backends.extension import ExtensionBackend
from kapture.backends.extension_browser import ExtensionBrowser
from kapture.backends.outbox import Outbox
from kapture.cdp import CdpConnection, CdpError, Condition, PendingReply, ResultReference, Skipped
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import messages
from kapture.wire.envelope import WireError


@attrs.define
class FakeDialogs:
    error: KaptureError | None = None

    def blocked(self) -> KaptureError | None:
        return self.error


@attrs.define(eq=False)
class FakePageTools:
    changed: Changed = attrs.field(factory=Changed)


@attrs.define
class FakePage:
    connection: CdpConnection
    gate: Any
    children_connect: bool = False
    dialogs: FakeDialogs = attrs.field(factory=FakeDialogs)
    children: list[str] = attrs.field(factory=list)
    dropped: int = 0
    tools: FakePageTools = attrs.field(factory=lambda: FakePageTools())

    @property
    def console(self) -> FakePage:
        return self

    def note_dropped(self, count: int) -> None:
        self.dropped += count

    def child_opened(self, tab_id: str) -> None:
        self.children.append(tab_id)


def may_read(url: str) -> bool:
    return "granted" in url


class RecordingOutbox(Outbox):
    """An outbox that keeps what was put into it."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes)
        self.frames: list[str] = []

    def put(self, frame: str) -> None:
        super().put(frame)
        self.frames.append(frame)


class Bench:
    """A backend over nothing: what it sends is read from its outbox, what comes is fed by hand."""

    def __init__(self, *capabilities: str) -> None:
        self.opened: list[FakePage] = []
        self.failing: KaptureError | None = None
        self.outbox = RecordingOutbox(1_000_000)
        register = messages.Register(tab_id="tab1", capabilities=["cdp", *capabilities])
        self.backend = ExtensionBackend(register, self.outbox, self.open_page)  # type: ignore[arg-type]

    @asynccontextmanager
    async def open_page(self, connection: CdpConnection, tab_id: str, gate: Any) -> AsyncIterator[FakePage]:
        if self.failing is not None:
            raise self.failing
        async with trio.open_nursery():
            page = FakePage(connection, gate)
            self.opened.append(page)
            yield page

    def sent(self) -> list[dict[str, Any]]:
        frames, self.outbox.frames = self.outbox.frames, []
        return [json.loads(frame) for frame in frames]

    def event(self, event: str, **fields: Any) -> None:
        self.backend.handle_event(messages.Event(event=event, **fields))  # type: ignore[arg-type]

    def respond(self, key: str, result: Any = None, error: WireError | None = None) -> None:
        self.backend.handle_response(messages.Response(id=key, success=error is None, result=result, error=error))


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


async def test_what_is_sent_for_a_call_that_was_allowed_once_names_it_and_nothing_else_does(bench: Bench) -> None:
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


async def test_what_the_extension_dropped_of_the_console_is_noted(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    bench.event("cdp", method="Runtime.consoleAPICalled", params={}, dropped=7)
    bench.event("cdp", method="Runtime.consoleAPICalled", params={})
    assert page.dropped == 7


async def test_a_refusal_of_the_browser_is_a_cdp_error_and_one_of_the_extension_its_own(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    refused, denied = page.connection.root.submit("DOM.focus"), page.connection.root.submit("Page.navigate")
    first, second = (frame["id"] for frame in bench.sent())
    bench.respond(first, error=WireError(message="No node", data={"cdpCode": -32602}))
    bench.respond(second, error=WireError(code="POLICY_DENIED", message="Not there.", hint="Ask."))
    with pytest.raises(CdpError) as failure:
        await refused.wait()
    assert (failure.value.method, failure.value.reason, failure.value.cdp_code) == ("DOM.focus", "No node", -32602)
    with pytest.raises(KaptureError) as other:
        await denied.wait()
    assert (other.value.code, other.value.hint) == (ErrorCode.POLICY_DENIED, "Ask.")


def click(page: Any) -> list[PendingReply]:
    root = page.connection.root
    with page.connection.together():
        return [root.submit("Input.press", {"x": 1}), root.submit("Runtime.evaluate", wait_for_previous=True)]


async def test_what_is_submitted_together_is_one_message_for_a_tab_that_takes_it(nursery: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    pressed, evaluated = click(await bench.backend.page())
    [frame] = bench.sent()
    assert frame["command"] == "cdp_all"
    assert frame["params"] == {
        "commands": [
            {"method": "Input.press", "params": {"x": 1}},
            {"method": "Runtime.evaluate", "params": {}, "waitForPrevious": True},
        ]
    }
    refusal = {"message": "No node", "data": {"cdpCode": -32602}}
    bench.respond(frame["id"], {"answers": [{"error": refusal}, {"result": {"n": 1}}]})
    with pytest.raises(CdpError) as failure:
        await pressed.wait()
    assert (failure.value.method, failure.value.cdp_code) == ("Input.press", -32602)
    assert await evaluated.wait() == {"n": 1}


async def test_other_tabs_get_one_message_each(bench: Bench) -> None:
    pressed, evaluated = click(await bench.backend.page())
    [frame] = bench.sent()
    assert (frame["command"], frame["params"]["method"]) == ("cdp", "Input.press")
    bench.respond(frame["id"], {})
    assert await pressed.wait() == {}
    [frame] = bench.sent()
    assert (frame["command"], frame["params"]["method"]) == ("cdp", "Runtime.evaluate")
    bench.respond(frame["id"], {"n": 1})
    assert await evaluated.wait() == {"n": 1}


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


async def test_other_tabs_get_the_values_that_a_program_refers_to(bench: Bench) -> None:
    press_where_found(await bench.backend.page())
    bench.respond(bench.sent()[0]["id"], {"result": {"ready": True, "x": 7}})
    assert bench.sent()[0]["params"] == {"method": "Input.press", "params": {"x": 7, "y": 1}}


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


async def test_a_program_of_which_an_answer_is_given_up_is_cancelled(nursery: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    found, pressed = press_where_found(await bench.backend.page())
    [frame] = bench.sent()
    found.fail(KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open."))
    assert bench.sent() == [{"type": "cancel", "id": frame["id"]}]
    bench.respond(frame["id"], {"answers": [{"result": {}}, {"skipped": True}]})
    assert isinstance(pressed.error, Skipped)
    assert bench.sent() == []


async def test_what_cannot_be_sent_together_fails_together(nursery: Any) -> None:
    bench = Bench("cdp_all")
    nursery.start_soon(bench.backend.serve, may_read)
    page: Any = await bench.backend.page()
    page.connection.root.submit("A.big", {"text": "x" * 999_900})
    for reply in click(page):
        assert reply.error is not None
        assert reply.error.code is ErrorCode.QUEUE_FULL


@pytest.mark.parametrize(
    "sentence",
    ["Detached while handling command.", "Debugger is not attached to the tab with id: 7.", "No tab with given id 7."],
)
async def test_what_the_browser_says_of_a_tab_that_has_gone_is_no_refusal(bench: Bench, sentence: str) -> None:
    page: Any = await bench.backend.page()
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.respond(bench.sent()[0]["id"], error=WireError(message=sentence, data={"cdpCode": -32000}))
    assert reply.error is not None
    assert reply.error.code is ErrorCode.DETACHED


async def test_events_reach_the_session_that_they_are_for(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    heard: list[Any] = []
    page.connection.root.on("Page.loadEventFired", lambda params: heard.append(("root", params)))
    page.connection.session("S1").on("Page.loadEventFired", lambda params: heard.append(("S1", params)))
    bench.event("cdp", method="Page.loadEventFired", params={"n": 1})
    bench.event("cdp", method="Page.loadEventFired", params={"n": 2}, session_id="S1")
    assert heard == [("root", {"n": 1}), ("S1", {"n": 2})]


async def test_a_detached_tab_fails_what_waits_and_comes_back_with_a_fresh_page(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    errors: list[KaptureError] = []
    bench.backend.on_detached = errors.append
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.event("detached", reason="forbidden", message="Chrome pages stay closed.")
    with pytest.raises(KaptureError, match="stay closed") as failure:
        await reply.wait()
    assert failure.value.code is ErrorCode.DETACHED
    assert len(errors) == 1
    with pytest.raises(KaptureError, match="stay closed"):
        await bench.backend.page()
    await wait_all_tasks_blocked()
    bench.event("tab", url="chrome://newtab/")
    with pytest.raises(KaptureError, match="stay closed"):
        await bench.backend.page()
    bench.event("attached")
    await wait_all_tasks_blocked()
    again: object = await bench.backend.page()
    assert again is bench.opened[1]
    assert again.connection is not page.connection


async def test_a_page_that_cannot_be_set_up_says_why_and_is_tried_again(nursery: trio.Nursery) -> None:
    bench = Bench()
    bench.failing = KaptureError(ErrorCode.EXECUTION_ERROR, "Page.enable: no.")
    nursery.start_soon(bench.backend.serve, may_read)
    with pytest.raises(KaptureError, match="could not be set up") as failure:
        await bench.backend.page()
    assert failure.value.code is ErrorCode.DETACHED
    bench.failing = None
    await wait_all_tasks_blocked()
    bench.event("tab", url="https://example.com/")
    await wait_all_tasks_blocked()
    retried: object = await bench.backend.page()
    assert retried is bench.opened[0]


async def test_the_end_of_the_socket_fails_everything_at_once(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    reply = page.connection.root.submit("Runtime.evaluate")
    bench.backend.close(KaptureError(ErrorCode.TAB_DISCONNECTED, "gone"))
    for call in (reply.wait, bench.backend.page):
        with pytest.raises(KaptureError, match="gone"):
            await call()
    with pytest.raises(KaptureError, match="gone"):
        page.connection.root.submit("Runtime.evaluate")


async def test_a_dialog_blocks_and_is_reported(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    errors: list[KaptureError] = []
    bench.backend.on_blocked = errors.append
    bench.event("cdp", method="Page.javascriptDialogOpening", params={})
    assert errors == [], "the engine answers this one by itself"
    page.dialogs.error = KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open.")
    bench.event("cdp", method="Page.javascriptDialogOpening", params={})
    assert errors == [page.dialogs.error]
    assert bench.backend.blocked is page.dialogs.error


async def test_children_are_announced_to_the_page(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    assert page.children_connect
    bench.backend.child_opened("child")
    assert page.children == ["child"]


async def test_a_new_tab_is_given_when_it_has_connected(bench: Bench, nursery: Any) -> None:
    arrived, ids = trio.Event(), []

    async def wait_connected(tab_id: str) -> None:
        ids.append(tab_id)
        await arrived.wait()

    opened: list[str] = []

    async def open_tab() -> None:
        opened.append(await ExtensionBrowser(bench.backend, wait_connected).tab_new("https://a.example/", active=False))

    nursery.start_soon(open_tab)
    await wait_all_tasks_blocked()
    (asked,) = bench.sent()
    assert (asked["command"], asked["params"]) == ("tab_new", {"url": "https://a.example/", "active": False})
    bench.respond(asked["id"], {"tabId": "child"})
    await wait_all_tasks_blocked()
    assert (ids, opened) == (["child"], [])
    arrived.set()
    await wait_all_tasks_blocked()
    assert opened == ["child"]


@pytest.mark.parametrize("ends_first", [True, False])
async def test_closing_a_tab_is_done_when_its_socket_has_ended(
    bench: Bench, nursery: Any, ends_first: bool, autojump_clock: Any
) -> None:
    done = trio.Event()

    async def close() -> None:
        await ExtensionBrowser(bench.backend, bench.backend.child_opened).tab_close()  # type: ignore[arg-type]
        done.set()

    nursery.start_soon(close)
    await wait_all_tasks_blocked()
    (asked,) = bench.sent()
    if not ends_first:
        bench.respond(asked["id"], {})
        await wait_all_tasks_blocked()
        assert not done.is_set()
    bench.backend.close(KaptureError(ErrorCode.TAB_DISCONNECTED, "gone"))
    await wait_all_tasks_blocked()
    assert done.is_set()
    assert bench.backend.leaving


async def test_every_page_is_opened_with_the_gate_that_the_hub_gave(bench: Bench) -> None:
    page: Any = await bench.backend.page()
    assert page.gate is may_read
