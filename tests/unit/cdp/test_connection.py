"""A tab's CDP sessions: replies, events, and what happens when a session ends."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from kapture.cdp import (
    CdpCommand,
    CdpConnection,
    CdpError,
    Condition,
    PendingReplies,
    PendingReply,
    Refusal,
    ResultReference,
    Skipped,
    is_gone,
    run_program,
)
from kapture.cdp.program import BROWSER, INPUT, RENDERER
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError


class Transport:
    """Keeps what is sent; the test answers. What is handed over together is kept too."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str | None, PendingReply]] = []
        self.batches: list[Sequence[CdpCommand]] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        self.sent.append((method, session_id, reply))
        return reply

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        self.batches.append(commands)


async def test_a_reply_settles_once_and_tells_before_anything_later() -> None:
    reply = PendingReply()
    calls: list[str] = []
    reply.then(lambda settled: calls.append(f"first {settled.value()}"))
    reply.resolve({"n": 1})
    reply.then(lambda _: calls.append("late"))
    reply.resolve({"n": 2})
    reply.fail(CdpError("A.b", "no"))
    assert calls == ["first {'n': 1}", "late"]
    assert await reply.wait() == {"n": 1}
    assert reply.error is None


async def test_commands_of_a_session_that_ends_fail_at_once_and_so_do_later_ones() -> None:
    transport = Transport()
    connection = CdpConnection(transport)
    child = connection.session("S1")
    waiting = child.submit("Runtime.evaluate")
    other = connection.root.submit("Runtime.evaluate")
    connection.forget("S1")
    assert waiting.error is not None
    assert waiting.error.code is ErrorCode.DETACHED
    assert not other.done
    assert child.closed
    with pytest.raises(KaptureError) as caught:
        await child.send("Page.enable")
    assert caught.value.code is ErrorCode.DETACHED
    assert [method for method, _, _ in transport.sent] == ["Runtime.evaluate", "Runtime.evaluate"]


def test_events_reach_their_session_only_and_none_that_has_ended() -> None:
    connection = CdpConnection(Transport())
    child = connection.session("S1")
    heard: list[str] = []
    connection.root.on("Page.a", lambda _: heard.append("root"))
    off = child.on("Page.a", lambda params: heard.append(f"child {params['n']}"))
    child.on("*", lambda event: heard.append(f"any {event['method']}"))
    connection.deliver("Page.a", {"n": 1}, "S1")
    assert heard == ["child 1", "any Page.a"]
    off()
    off()
    connection.deliver("Page.a", {}, None)
    assert heard[2:] == ["root"]
    connection.forget("S1")
    connection.deliver("Page.a", {"n": 2}, "S1")
    connection.deliver("Page.a", {"n": 2}, "unheard of")
    assert heard[3:] == []


def test_listening_ends_with_its_block_even_when_it_fails() -> None:
    connection = CdpConnection(Transport())
    heard: list[int] = []

    def fail() -> None:
        with connection.root.listening({"A.b": lambda _: heard.append(1)}):
            connection.deliver("A.b", {}, None)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    connection.deliver("A.b", {}, None)
    assert heard == [1]


async def test_send_all_keeps_the_order_and_raises_the_first_refusal() -> None:
    transport = Transport()
    connection = CdpConnection(transport)
    async with trio.open_nursery() as nursery:
        results: list[Any] = []

        async def send() -> None:
            results.extend(await connection.root.send_all([("A.a", {}), ("A.b", {})]))

        nursery.start_soon(send)
        await trio.testing.wait_all_tasks_blocked()
        assert [method for method, _, _ in transport.sent] == ["A.a", "A.b"]
        transport.sent[1][2].resolve({"second": True})
        transport.sent[0][2].resolve({"first": True})
    assert results == [{"first": True}, {"second": True}]


def test_commands_submitted_before_failure_are_sent() -> None:
    transport = Transport()
    connection = CdpConnection(transport)

    def fail() -> None:
        with connection.together():
            connection.root.submit("A.first")
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert [one.method for one in transport.batches[0]] == ["A.first"]
    connection.root.submit("A.alone")
    assert [method for method, _, _ in transport.sent] == ["A.alone"]


def test_one_by_one_a_command_that_waits_for_the_previous_one_is_the_next() -> None:
    transport = Transport()
    commands = [
        CdpCommand("A.a", {}),
        CdpCommand("A.b", {}),
        CdpCommand("A.c", {}, wait_for_previous=True),
        CdpCommand("A.d", {}),
    ]
    run_program(transport.submit, commands)
    assert [method for method, _, _ in transport.sent] == ["A.a", "A.b"]
    # A caller that gives up on an answer does not make the browser faster.
    commands[1].reply.resolve({})
    transport.sent[0][2].fail(CdpError("A.a", "no"))
    assert len(transport.sent) == 2
    transport.sent[1][2].resolve({})
    assert [method for method, _, _ in transport.sent] == ["A.a", "A.b", "A.c", "A.d"]
    transport.sent[2][2].resolve({"n": 3})
    assert commands[2].reply.value() == {"n": 3}
    with pytest.raises(CdpError):
        commands[0].reply.value()


def test_only_events_that_somebody_has_listened_for_are_delivered_once_others_may_be_left_out() -> None:
    chosen: list[frozenset[str] | None] = []
    connection = CdpConnection(Transport(), chosen.append)
    connection.root.on("Page.a", lambda _: None)
    assert chosen == []
    connection.leave_out_unread_events()
    assert chosen == [frozenset({"Page.a"})]
    off = connection.session("S1").on("Page.b", lambda _: None)
    assert chosen[1:] == [frozenset({"Page.a", "Page.b"})]
    off()
    connection.root.on("Page.b", lambda _: None)
    assert chosen[2:] == []  # listening anew, as every action does, sends nothing


# Replies that can never come are settled when that is known, and no others.


GONE = KaptureError(ErrorCode.DETACHED, "gone")


class Tab:
    """One reply of each kind in each of two sessions."""

    def __init__(self) -> None:
        self.pending = PendingReplies()
        self.replies: dict[tuple[str, str | None], PendingReply] = {}
        for session in ("S1", "S2"):
            for needs in (BROWSER, RENDERER, INPUT, f"context-of-{session}"):
                reply = self.replies[session, needs] = PendingReply()
                self.pending.add(reply, session, needs)

    def failed(self) -> set[tuple[str, str | None]]:
        return {key for key, reply in self.replies.items() if reply.error is GONE}

    def open(self) -> set[tuple[str, str | None]]:
        return {key for key, reply in self.replies.items() if not reply.done}


def test_the_end_of_a_context_fails_what_waits_for_it_and_nothing_else() -> None:
    tab = Tab()
    tab.pending.fail_context("context-of-S1", GONE)
    assert tab.failed() == {("S1", "context-of-S1")}
    assert len(tab.open()) == 7


def test_the_end_of_a_session_fails_all_of_its_replies() -> None:
    tab = Tab()
    tab.pending.fail_session("S2", GONE)
    assert {session for session, _ in tab.failed()} == {"S2"}
    assert {session for session, _ in tab.open()} == {"S1"}


def test_a_dialog_fails_what_needs_a_renderer_but_neither_input_nor_its_own_answer() -> None:
    tab = Tab()
    tab.pending.fail_blocked(GONE)
    assert {needs for _, needs in tab.open()} == {BROWSER, INPUT}


def test_input_that_is_not_acknowledged_counts_as_delivered() -> None:
    tab = Tab()
    tab.pending.resolve_input()
    assert tab.replies["S1", INPUT].value() == {}
    assert not tab.failed()
    assert {needs for _, needs in tab.open()} == {BROWSER, RENDERER, "context-of-S1", "context-of-S2"}


@pytest.mark.parametrize("fails", [True, False])
def test_a_reply_that_has_come_is_forgotten(fails: bool) -> None:
    pending, reply = PendingReplies(), PendingReply()
    pending.add(reply, "S", RENDERER)
    assert len(pending) == 1
    if fails:
        reply.fail(GONE)
    else:
        reply.resolve({})
    assert len(pending) == 0


# Programs: commands that take values from earlier results, or hang on them, run one command at a time.


VECTORS = json.loads((Path(__file__).parents[2] / "wire" / "programs.json").read_text())


def commands_of(written: list[dict[str, Any]]) -> list[CdpCommand]:
    """A program as the wire has it, as commands."""
    replies = [PendingReply() for _ in written]

    def reference(at: Mapping[str, Any]) -> ResultReference:
        return ResultReference(replies[at["resultOf"]], at["path"])

    return [
        CdpCommand(
            one["method"],
            {
                name.removeprefix("#"): reference(value) if name.startswith("#") else value
                for name, value in one.get("params", {}).items()
            },
            wait_for_previous=one.get("waitForPrevious", False),
            requires=[Condition(reference(condition), condition["value"]) for condition in one.get("requires", ())],
            reply=reply,
        )
        for one, reply in zip(written, replies, strict=True)
    ]


class Browser:
    """Keeps what is sent; the test answers."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Mapping[str, Any]]] = []
        self.replies: list[PendingReply] = []

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append((method, params))
        self.replies.append(PendingReply())
        return self.replies[-1]

    @property
    def methods(self) -> list[str]:
        return [method for method, _ in self.sent]


def outcome(reply: PendingReply) -> str:
    if reply.error is None:
        return "result"
    return "skipped" if isinstance(reply.error, Skipped) else str(reply.error.code)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_program_does_what_the_extension_would_do(vector: dict[str, Any]) -> None:
    sent: list[Any] = []

    def submit(method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        sent.append([method, dict(params)])
        reply = PendingReply()
        answer = vector["results"][method]
        if "error" in answer:
            reply.fail(KaptureError(ErrorCode(answer["error"]["code"]), answer["error"]["message"]))
        else:
            reply.resolve(answer["result"])
        return reply

    commands = commands_of(vector["commands"])
    run_program(submit, commands)
    assert sent == vector["sent"]
    assert [outcome(command.reply) for command in commands] == vector["answers"]


def test_a_command_waits_for_the_results_that_it_refers_to_and_for_no_others() -> None:
    browser = Browser()
    slow, found = PendingReply(), PendingReply()
    commands = [
        CdpCommand("A.slow", {}, reply=slow),
        CdpCommand("A.found", {}, reply=found),
        CdpCommand("A.press", {"x": ResultReference(found, "/x")}),
        CdpCommand("A.last", {}),
    ]
    run_program(browser.submit, commands)
    assert browser.methods == ["A.slow", "A.found"]
    browser.replies[1].resolve({"x": 3})
    assert browser.sent[2:] == [("A.press", {"x": 3}), ("A.last", {})]


def test_a_refusal_is_an_answer_and_what_only_waits_for_it_goes_on() -> None:
    browser = Browser()
    commands = [CdpCommand("A.a", {}), CdpCommand("A.b", {}, wait_for_previous=True)]
    run_program(browser.submit, commands)
    browser.replies[0].fail(KaptureError(ErrorCode.EXECUTION_ERROR, "no"))
    assert browser.methods == ["A.a", "A.b"]
    assert isinstance(commands[0].reply.error, ExecutionFailed)


# The browser's sentences and what they mean.


SENTENCES = {
    "Cannot find context with specified id": Refusal.GONE,
    "uniqueContextId not found": Refusal.GONE,
    "Execution context was destroyed.": Refusal.GONE,
    "Inspected target navigated or closed": Refusal.GONE,
    "Session with given id not found.": Refusal.GONE,
    "No frame for given id found": Refusal.GONE,
    "Debugger is not attached to the tab with id: 7.": Refusal.DEBUGGER_DETACHED,
    "Detached while handling command.": Refusal.DEBUGGER_DETACHED,
    "No SW": Refusal.DEBUGGER_DETACHED,
    "Execution was terminated": Refusal.SCRIPT_TERMINATED,
    "Internal error": Refusal.SCRIPT_TERMINATED,
    "Cannot navigate to invalid URL": Refusal.INVALID_URL,
    "Not allowed": Refusal.FILE_NOT_ALLOWED,
    "Page range exceeds page count": Refusal.PAGE_RANGE,
}


@pytest.mark.parametrize(("sentence", "refusal"), SENTENCES.items())
def test_each_sentence_has_one_meaning(sentence: str, refusal: Refusal) -> None:
    assert [one for one in Refusal if CdpError("A.b", sentence).means(one)] == [refusal]


def test_gone_and_refused_are_distinguished() -> None:
    assert is_gone(CdpError("Runtime.evaluate", "Cannot find context with specified id"))
    assert is_gone(KaptureError(ErrorCode.DETACHED, "The page navigated to another document while this ran."))
    assert not is_gone(CdpError("DOM.focus", "Element is not focusable"))
    assert not is_gone(KaptureError(ErrorCode.DIALOG_OPEN, "A dialog is open."))
