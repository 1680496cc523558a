"""What a hub keeps of the latest calls, for the panels of their tabs."""

from __future__ import annotations

from kapture.commands.core.answer import Answer
from kapture.commands.core.result import CallResult
from kapture.hub.call_details import CallDetails, LatestCalls


def answer(text: str) -> CallResult:
    return CallResult(answer=Answer(), text=text, data={})


def test_a_call_is_found_on_its_own_tab_only() -> None:
    latest = LatestCalls()
    details = CallDetails("tab1", {"target": "#a"}, answer("done"))
    latest.add("1", details)
    assert latest.get("1", "tab1") is details
    assert latest.get("1", "tab2") is None
    assert latest.get("2", "tab1") is None


def test_the_oldest_calls_make_room() -> None:
    latest = LatestCalls()
    for number in range(300):
        latest.add(str(number), CallDetails("tab1", {}, answer("x")))
    assert latest.get("99", "tab1") is None
    assert latest.get("100", "tab1") is not None


def test_long_answers_make_room_for_each_other() -> None:
    latest = LatestCalls()
    for number in range(5):
        latest.add(str(number), CallDetails("tab1", {}, answer("x" * 3 * 2**20)))
    assert [latest.get(str(number), "tab1") is not None for number in range(5)] == [False, False, False, True, True]


def test_an_answer_too_long_to_keep_leaves_its_arguments() -> None:
    latest = LatestCalls()
    latest.add("1", CallDetails("tab1", {"a": 1}, answer("x" * 9 * 2**20)))
    latest.add("2", CallDetails("tab1", {}, None))
    assert latest.get("1", "tab1") == CallDetails("tab1", {"a": 1}, None)
