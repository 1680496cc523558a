"""What is recorded on a tab reaches its panel."""

from __future__ import annotations

import json
from typing import Any

import trio
import trio.testing

from kapture.backends.outbox import Outbox
from kapture.commands.core.recorder import RecordedStep, RecordingState
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.sessions.recording_feed import send_recording
from tests.support.fake_recorder import FakeRecorder


class Kept(Outbox):
    """Keeps what is sent; takes nothing while it is full."""

    def __init__(self) -> None:
        super().__init__(1_000_000)
        self.sent: list[Any] = []

    def put(self, frame: str, *, limited: bool = True) -> None:
        self.sent.append(json.loads(frame))


class TooSmall(Kept):
    """Takes no recording at all."""

    def put(self, frame: str, *, limited: bool = True) -> None:
        super().put(frame)
        assert len(self.sent) < 10, "it is sent again and again"
        raise KaptureError(ErrorCode.INVALID_PARAMS, "This needs a message that is too large.")


def _recording(*steps: RecordedStep, going: bool = True) -> RecordingState:
    return RecordingState(tabId="abcd2345", recording=going, steps=list(steps))


async def test_a_panel_has_the_recording_as_it_stands_and_hears_when_it_is_gone(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    recorder, outbox = FakeRecorder(), Kept()
    recorder.becomes("abcd2345", _recording(RecordedStep(id="a1", title="fill", secret="password")))
    nursery.start_soon(send_recording, recorder, "abcd2345", outbox)
    await trio.testing.wait_all_tasks_blocked()
    assert outbox.sent == [
        {"type": "recording", "state": {"going": True, "steps": [{"id": "a1", "title": "fill", "secret": "password"}]}}
    ]
    recorder.becomes("abcd2345", None)
    await trio.testing.wait_all_tasks_blocked()
    await trio.sleep(1)
    assert outbox.sent[1:] == [{"type": "recording"}]


async def test_changes_that_come_together_and_change_nothing_cost_no_message(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    recorder, outbox = FakeRecorder(), Kept()
    nursery.start_soon(send_recording, recorder, "abcd2345", outbox)
    await trio.testing.wait_all_tasks_blocked()
    assert outbox.sent == []  # nothing is recorded: a tab of the first specification hears nothing
    for number in range(5):
        recorder.becomes(
            "abcd2345", _recording(*(RecordedStep(id=f"a{at}", title="click") for at in range(number + 1)))
        )
    await trio.sleep(1)
    recorder.becomes("efgh2345", _recording())  # another tab's
    await trio.sleep(1)
    assert [len(message["state"]["steps"]) for message in outbox.sent] == [5]


async def test_a_recording_that_fits_in_no_message_is_tried_once_for_each_change(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    recorder, outbox = FakeRecorder(), TooSmall()
    nursery.start_soon(send_recording, recorder, "abcd2345", outbox)
    for title in ("click", "fill"):
        recorder.becomes("abcd2345", _recording(RecordedStep(id="a1", title=title)))
        await trio.sleep(1)
    assert [message["state"]["steps"][0]["title"] for message in outbox.sent] == ["click", "fill"]
