"""Sends a tab's recording to its panel, on every change, a few times a second at most."""

from __future__ import annotations

from typing import Protocol

import trio

from kapture.backends.outbox import Outbox
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState
from kapture.wire import panel_messages
from kapture.wire.codec import encode

_TOGETHER_S = 0.1
"""Seconds; changes within this time are sent in one message."""


class Recordings(Protocol):
    """The recordings of tabs, as panels see them."""

    def state(self, tab_id: str) -> RecordingState | None:
        """What has been recorded on a tab and not saved yet; None if nothing."""

    @property
    def changed(self) -> Changed:
        """Notified when a recording of any tab has changed."""


async def send_recording(recorder: Recordings | None, tab_id: str, outbox: Outbox) -> None:
    """Send the recording of the tab, and again whenever it has changed, until cancelled."""
    sent: RecordingState | None = None
    while recorder is not None:
        upcoming = recorder.changed.upcoming
        state = recorder.state(tab_id)
        if state != sent:
            if outbox.offer(encode(panel_messages.Recording(state=as_sent(state)))):
                sent = state
            elif outbox.buffered_bytes:
                await outbox.flushed()
                continue  # else it is too large for any message
        await upcoming.wait()
        await trio.sleep(_TOGETHER_S)


def as_sent(state: RecordingState | None) -> panel_messages.RecordingState | None:
    """The recording's state as a wire message."""
    if state is None:
        return None
    steps = [
        panel_messages.RecordedStep(id=step.id, title=step.title, value=step.value, secret=step.secret)
        for step in state.steps
    ]
    return panel_messages.RecordingState(going=state.recording, steps=steps, left_out=state.left_out, full=state.full)
