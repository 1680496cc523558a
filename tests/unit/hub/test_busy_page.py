"""Whether a page is kept busy by a script of its own, and what a timeout says then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio

from kapture.backends.backend import Backend
from kapture.cdp import PendingReply
from kapture.commands.core.registry import get_command
from kapture.errors import CommandTimeout, Detached, DialogOpen, ErrorCode, KaptureError
from kapture.hub.busy_page import is_busy
from kapture.hub.tabs.running import Running


def tab_of(reply: PendingReply, blocked: KaptureError | None = None) -> Backend:
    frames = SimpleNamespace(main=SimpleNamespace(ask=lambda: reply))
    return cast("Backend", SimpleNamespace(blocked=blocked, current_page=SimpleNamespace(frames=frames)))


def failed() -> PendingReply:
    reply = PendingReply()
    reply.fail(Detached(ErrorCode.DETACHED, "gone"))
    return reply


def answered() -> PendingReply:
    reply = PendingReply()
    reply.resolve({})
    return reply


async def test_a_page_is_busy_if_it_does_not_answer(autojump_clock: Any) -> None:
    assert await is_busy(tab_of(PendingReply()))
    assert not await is_busy(tab_of(answered()))


async def test_what_has_no_page_or_is_blocked_by_something_else_is_not_busy(autojump_clock: Any) -> None:
    dialog = DialogOpen(ErrorCode.DIALOG_OPEN, "open")
    assert not await is_busy(tab_of(PendingReply(), dialog))
    assert not await is_busy(tab_of(failed()))
    assert not await is_busy(cast("Backend", SimpleNamespace(blocked=None, current_page=None)))
    assert not await is_busy(None)


async def late(command: str, timeout_ms: float, *, busy: bool) -> KaptureError:
    running = Running(command=get_command(command), params=None, client=cast("Any", None), timeout_ms=timeout_ms)

    async def asked() -> bool:
        return busy

    with pytest.raises(CommandTimeout) as caught:
        await running.run(trio.sleep_forever, asked)
    return caught.value


async def test_a_timeout_says_that_the_page_was_busy_and_how_to_leave_it(autojump_clock: Any) -> None:
    error = await late("click", 30_000, busy=True)
    assert "30000 ms: the page does not answer, because one of its scripts keeps it busy." in error.message
    assert error.hint.startswith("It may have taken effect. ")
    assert "navigate, or reload the page" in error.hint
    assert error.data["busy"] is True


async def test_a_timeout_of_a_page_that_answers_or_a_short_one_does_not(autojump_clock: Any) -> None:
    for error in (await late("click", 30_000, busy=False), await late("click", 500, busy=True)):
        assert error.message == f"click did not finish within {error.data['timeoutMs']} ms."
        assert "busy" not in error.data


async def test_what_only_reads_cannot_have_taken_effect(autojump_clock: Any) -> None:
    for busy in (True, False):
        assert "effect" not in (await late("get_text", 30_000, busy=busy)).hint
