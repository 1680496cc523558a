"""Commands that are ended from outside."""

from __future__ import annotations

from typing import Any, cast

import pytest
import trio

from kapture.backends.disconnect_reasons import left_error
from kapture.commands.core.answer import Answer
from kapture.commands.core.result import CallResult
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.call import Call
from tests.support.calls import call_of

CLOSED = left_error("t1", "target_closed", "while this ran")


def running(timeout_ms: float = 60_000) -> Call:
    return call_of("click", timeout_ms=timeout_ms)


async def test_a_command_that_ends_in_the_time_it_was_given_succeeds(autojump_clock: Any) -> None:
    one = running()

    async def work() -> str:
        one.fail(CLOSED, within_s=1)
        await trio.sleep(0.5)
        return "clicked"

    assert await one.run(work) == "clicked"
    assert one.outlived is CLOSED


async def test_a_command_that_takes_longer_fails_with_the_error(autojump_clock: Any) -> None:
    one = running()

    async def work() -> None:
        one.fail(CLOSED, within_s=1)
        await trio.sleep_forever()

    with pytest.raises(KaptureError) as failed:
        await one.run(work)
    assert failed.value is CLOSED
    assert trio.current_time() == pytest.approx(1, abs=0.1)


async def test_a_command_that_fails_in_that_time_fails_with_the_error_that_it_was_given(autojump_clock: Any) -> None:
    one = running()

    async def work() -> None:
        one.fail(CLOSED, within_s=1)
        raise KaptureError(ErrorCode.DETACHED, "a consequence")

    with pytest.raises(KaptureError) as failed:
        await one.run(work)
    assert failed.value is CLOSED


async def test_a_command_whose_timeout_is_over_in_that_time_fails_with_the_error_that_it_was_given(
    autojump_clock: Any,
) -> None:
    one = running(timeout_ms=500)

    async def work() -> None:
        one.fail(CLOSED, within_s=1)
        await trio.sleep_forever()

    with pytest.raises(KaptureError) as failed:
        await one.run(work)
    assert failed.value is CLOSED


async def test_a_command_that_ends_as_it_is_cancelled_is_not_said_to_have_closed_its_tab(autojump_clock: Any) -> None:
    one = running()

    async def work() -> str:
        one.fail(left_error("t1", "canceled_by_user", "while this ran"))
        return "clicked"

    assert await one.run(work) == "clicked"
    assert one.outlived is None


def test_the_result_of_a_closed_tab_shows_no_page() -> None:
    view = "The page is not shown: it is gone."
    result = CallResult(
        answer=cast("Answer", None),
        text=f"clicked\nopened tab t2\n{view}",
        data={"effects": ["opened tab t2"], "snapshot": view},
    )
    closed = result.of_closed_tab()
    assert closed.text == "clicked\nopened tab t2\nthe tab was closed, as pages may do in reply"
    assert closed.data == {"effects": ["opened tab t2", "the tab was closed, as pages may do in reply"]}


async def test_a_command_that_is_ended_while_its_page_is_asked_what_keeps_it_fails_with_the_error_that_it_was_given(
    autojump_clock: Any,
) -> None:
    one = running(timeout_ms=5_000)

    async def silence() -> None:
        one.fail(CLOSED)
        await trio.sleep_forever()

    with pytest.raises(KaptureError) as failed:
        await one.run(trio.sleep_forever, silence)
    assert failed.value is CLOSED
