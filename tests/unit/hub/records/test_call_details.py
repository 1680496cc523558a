"""What a hub keeps of the latest calls, for the panels of their tabs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kapture.commands.core.answer import Answer, Blob
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.records.call_details import CallDetails, LatestCalls
from kapture.page.tab_memory import LIMIT_BYTES, TabMemory


def answer(text: str, data: dict[str, Any] | None = None, *parts: Blob) -> CallResult:
    return CallResult(answer=Answer(), text=text, data=data or {}, parts=parts)


def in_memory() -> LatestCalls:
    latest = LatestCalls()
    TabMemory().add("calls", latest)
    return latest


def test_a_call_is_kept_as_it_was_given_and_answered() -> None:
    latest = LatestCalls()
    picture = Blob(base64="AAAA", mime_type="image/png", name="shot")
    latest.add("1", CallDetails.of({"target": "#a"}, answer("done", {"url": "x", "half": "\ud800"}, picture)))
    details = latest.get("1")
    assert details is not None
    assert details.answer is not None
    assert details.arguments == {"target": "#a"}
    parts = [{"base64": "AAAA", "mimeType": "image/png", "name": "shot"}]
    assert details.answer.to_wire() == {"text": "done", "data": {"url": "x", "half": "\ud800"}, "parts": parts}
    assert latest.get("2") is None


def test_a_call_that_failed_is_kept_with_the_error_that_its_client_got() -> None:
    error = KaptureError(ErrorCode.ELEMENT_NOT_FOUND, "e3 is gone.", hint="Take a snapshot.", data={"path": Path("x")})
    details = CallDetails.of({}, error)
    expected = {
        "code": "ELEMENT_NOT_FOUND",
        "message": "e3 is gone.",
        "hint": "Take a snapshot.",
        "data": {"path": "x"},
    }
    assert details.answer is None
    assert details.error == expected
    assert details.held_bytes > CallDetails.of({}, None).held_bytes


def test_the_oldest_calls_make_room() -> None:
    latest = LatestCalls()
    for number in range(60):
        latest.add(str(number), CallDetails.of({}, answer("x")))
    assert latest.get("9") is None
    assert latest.get("10") is not None


def test_long_answers_make_room_for_each_other() -> None:
    latest = in_memory()
    for number in range(5):
        latest.add(str(number), CallDetails.of({}, answer("x" * (LIMIT_BYTES // 3))))
    assert [latest.get(str(number)) is not None for number in range(5)] == [False, False, False, True, True]
