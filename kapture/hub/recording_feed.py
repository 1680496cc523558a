"""What is recorded on a tab, for its panel: sent whenever it has changed, a few times a second at most."""

from __future__ import annotations

from typing import Protocol

import trio

from kapture.backends.outbox import Outbox
from kapture.changed import Changed
from kapture.commands.core.recorder import RecordingState
from kapture.wire import panel_messages
from kapture.wire.codec import encode

_TOGETHER_S = 0.1
"""What changes within this time is sent as one message."""


class Recordings(Protocol):
    """What is recorded on tabs, as far as it is sent."""

    def state(self, tab_id: str) -> RecordingState | None:
        """What has been recorded on a tab and not saved yet."""

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
    """The state in a message."""
    if state is None:
        return None
    steps = [
        panel_messages.RecordedStep(id=step.id, title=step.title, value=step.value, secret=step.secret)
        for step in state.steps
    ]
    return panel_messages.RecordingState(going=state.recording, steps=steps, left_out=state.left_out)
