"""Input is kept from documents outside the grant, or not sent at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from kapture.errors import Detached, ErrorCode, KaptureError, PolicyDenied
from kapture.page.input.input_guard import InputGuard


@attrs.define(eq=False)
class FakeFrame:
    key: str
    granted: bool
    refused: int = 0
    hangs: bool = False
    gone: bool = False
    why_silent: str = ""
    policy_url: str = "https://other.example/"
    called: list[str] = attrs.field(factory=list)

    def notify(self, function: str) -> None:
        self.called.append(function)

    async def call(self, function: str) -> Any:
        self.called.append(function)
        if self.hangs:
            await trio.sleep_forever()
        if self.gone:
            raise Detached(ErrorCode.DETACHED, "gone")
        return {"refused": self.refused}


class FakeFrames:
    def __init__(self, *frames: FakeFrame) -> None:
        self.frames = frames
        self.followers: list[Callable[[FakeFrame], None]] = []
        self.guard = InputGuard(self)  # type: ignore[arg-type]

    def all(self) -> Any:
        return list(self.frames)

    def follow_documents(self, came: Callable[[FakeFrame], None]) -> None:
        self.followers.append(came)

    def load(self, frame: FakeFrame) -> None:
        for came in self.followers:
            came(frame)


async def test_nothing_is_asked_while_every_frame_is_granted() -> None:
    frame = FakeFrame("", granted=True)
    async with FakeFrames(frame).guard.input():
        pass
    assert frame.called == []


async def test_only_frames_outside_the_grant_refuse_input_and_only_for_as_long_as_it_is_sent() -> None:
    main, outside = FakeFrame("", granted=True), FakeFrame("f1", granted=False)
    async with FakeFrames(main, outside).guard.input():
        assert outside.called == ["refuseInput"]
    assert outside.called == ["refuseInput", "acceptInput"]
    assert main.called == []


async def test_input_that_came_to_such_a_frame_is_an_error_that_names_its_site() -> None:
    outside = FakeFrame("f1", granted=False, refused=2)
    with pytest.raises(PolicyDenied, match=r"Frame f1 is at other\.example"):
        async with FakeFrames(outside).guard.input():
            pass


async def test_what_failed_while_input_was_sent_is_raised_and_the_frames_take_input_again() -> None:
    outside = FakeFrame("f1", granted=False)
    with pytest.raises(KaptureError, match="boom"):
        async with FakeFrames(outside).guard.input():
            raise KaptureError(ErrorCode.EXECUTION_ERROR, "boom")
    assert outside.called == ["refuseInput", "acceptInput"]


async def test_nothing_is_sent_while_such_a_frame_does_not_answer(autojump_clock: MockClock) -> None:
    outside = FakeFrame("f1", granted=False, hangs=True)
    with pytest.raises(PolicyDenied, match="does not answer"):
        async with FakeFrames(outside).guard.input():
            pytest.fail("input was sent")


@pytest.mark.parametrize("guard", [InputGuard.input, InputGuard.program])
async def test_a_document_outside_the_grant_that_comes_in_the_middle_refuses_the_rest(guard: Any) -> None:
    frames = FakeFrames(FakeFrame("", granted=True))
    late, granted = FakeFrame("f1", granted=False, refused=1), FakeFrame("f2", granted=True)

    async def act() -> None:
        async with guard(frames.guard):
            frames.load(late)
            frames.load(late)  # it went on to another document
            frames.load(granted)

    with pytest.raises(PolicyDenied, match="Frame f1"):
        await act()
    assert late.called == ["refuseInput", "refuseInput", "acceptInput"]
    assert granted.called == ["acceptInput"]


async def test_a_frame_that_refuses_already_refuses_in_its_next_document_too() -> None:
    outside = FakeFrame("f1", granted=False)
    frames = FakeFrames(outside)
    async with frames.guard.input():
        frames.load(outside)
    assert outside.called == ["refuseInput", "refuseInput", "acceptInput"]


async def test_a_frame_that_left_the_grant_after_its_input_was_sent_refuses_it() -> None:
    outside = FakeFrame("f1", granted=False, refused=1)
    with pytest.raises(PolicyDenied, match="Frame f1"):
        async with FakeFrames(outside).guard.program():
            assert outside.called == ["refuseInput"]


async def test_a_new_document_is_judged_at_once(autojump_clock: MockClock) -> None:
    granted, outside = FakeFrame("", granted=True), FakeFrame("f1", granted=False)
    frames = FakeFrames(granted)
    frames.load(outside)
    assert outside.called.pop() == "acceptInput", "it gets a person's input"
    async with frames.guard.input():
        pass
    frames.load(granted)
    assert granted.called == ["acceptInput"]
    frames.load(outside)
    assert outside.called == ["refuseInput", "acceptInput"], "input of the gesture may still be on its way"
    outside.called.clear()
    await trio.sleep(3)
    frames.load(outside)
    assert outside.called == ["acceptInput"]


async def test_frames_that_have_gone_or_crashed_do_not_hold_input_up() -> None:
    gone, crashed = FakeFrame("f1", granted=False, gone=True), FakeFrame("f2", granted=False, why_silent="crashed")
    sent = False
    async with FakeFrames(gone, crashed).guard.input():
        sent = True
    assert sent
    assert crashed.called == []


async def test_a_frame_out_of_reach_takes_input_and_cannot_refuse_it() -> None:
    beyond = FakeFrame("f1", granted=False, why_silent="out of reach")
    with pytest.raises(PolicyDenied, match="Frame f1 is outside this tab's grant"):
        async with FakeFrames(beyond).guard.input():
            pytest.fail("input was sent")
