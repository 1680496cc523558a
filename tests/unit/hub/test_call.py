"""Commands that are ended from outside."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.backends.backend import Backend, left_error
from kapture.background import running_beside
from kapture.cdp import PendingReply
from kapture.commands.core.answer import Answer, CallResult
from kapture.errors import CommandTimeout, Detached, ErrorCode, KaptureError
from kapture.hub.call import Call, silence_of
from tests.support.calls import call_of

CLOSED = left_error("t1", "target_closed", "while this ran")


def running(timeout_ms: float = 60_000) -> Call:
    return call_of("click", timeout_ms=timeout_ms)


async def test_a_command_that_takes_longer_fails_with_the_error(autojump_clock: Any) -> None:
    one = running()

    async def work() -> None:
        one.fail(CLOSED, within_s=1)
        await trio.sleep_forever()

    with pytest.raises(KaptureError) as failed:
        await one.run(work)
    assert failed.value is CLOSED
    assert trio.current_time() == pytest.approx(1, abs=0.1)


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


async def test_command_that_fails_as_it_is_cancelled_fails_with_the_error_that_it_was_given() -> None:
    one = running()

    async def work() -> None:
        async with running_beside(trio.sleep_forever), running_beside(trio.sleep_forever):
            await trio.lowlevel.checkpoint()
            one.fail(CLOSED)
            raise left_error("t1", "socket_closed", "while this ran")

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


def tab_of(reply: PendingReply, blocked: KaptureError | None = None, awaited: str | None = None) -> Backend:
    frames = SimpleNamespace(main=SimpleNamespace(ask=lambda: reply))
    page = SimpleNamespace(
        frames=frames,
        awaited=SimpleNamespace(url=awaited),
        gate=lambda url: url.startswith("https://granted.example/"),
    )
    return cast("Backend", SimpleNamespace(blocked=blocked, current_page=page))


def failed() -> PendingReply:
    reply = PendingReply()
    reply.fail(Detached(ErrorCode.DETACHED, "gone"))
    return reply


def answered() -> PendingReply:
    reply = PendingReply()
    reply.resolve({})
    return reply


async def late(command: str, timeout_ms: float, tab: Backend) -> KaptureError:
    running = call_of(command, timeout_ms=timeout_ms)
    with pytest.raises(CommandTimeout) as caught:
        await running.run(trio.sleep_forever, lambda: silence_of(tab, timeout_ms))
    return caught.value


async def test_a_timeout_says_that_the_page_was_busy_and_how_to_leave_it(autojump_clock: Any) -> None:
    error = await late("click", 30_000, tab_of(PendingReply()))
    assert "30000 ms: the page does not answer, because one of its scripts keeps it busy." in error.message
    assert error.hint.startswith("It may have taken effect. ")
    assert "navigate, or reload the page." in error.hint
    assert error.data["busy"] is True


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://granted.example/slow?s=1", "https://granted.example/slow?s=1"),
        ("https://other.example/secret", "https://other.example/…"),
    ],
)
async def test_a_timeout_names_the_server_that_has_not_answered_and_no_script(
    autojump_clock: Any, url: str, shown: str
) -> None:
    for timeout_ms in (500, 30_000):
        error = await late("click", timeout_ms, tab_of(PendingReply(), awaited=url))
        assert error.message.endswith(f" ms: the tab waits for {shown}, whose server has not answered yet.")
        assert "Leave the page: navigate to another one." in error.hint
        assert error.data == {"timeoutMs": timeout_ms, "waitsFor": shown}


async def test_reading_command_cannot_have_taken_effect(autojump_clock: Any) -> None:
    for tab in (tab_of(PendingReply()), tab_of(answered())):
        assert "effect" not in (await late("get_text", 30_000, tab)).hint
