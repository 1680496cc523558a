"""Programs: commands that take values from earlier results, or hang on them, run one command at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kapture.cdp import CdpCommand, Condition, PendingReply, ResultReference, Skipped, run_program
from kapture.errors import ErrorCode, ExecutionFailed, KaptureError

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
