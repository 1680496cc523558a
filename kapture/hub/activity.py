"""The latest commands, for `status` and for the panel of the tab on which they ran."""

from __future__ import annotations

import datetime
import itertools
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from kapture.wire.panel_messages import EndedCommand

_KEPT = 5_000


@attrs.frozen(kw_only=True)
class Activity:
    """One command that has ended. `outcome` is `ok` or an error code; `message` the error's message.

    `duration_ms` counts from `started_at`, when the call was made; `waited_ms`, a part of it, is how long the call
    waited for its turn, None if it never had one. `number` is the call's; `started` is `started_at` in Unix seconds.
    """

    number: int
    tab_id: str | None
    command: str
    client: str
    client_id: str
    started_at: str
    duration_ms: float
    outcome: str
    message: str = ""
    waited_ms: float | None = None

    @property
    def started(self) -> float:
        """`started_at` in Unix seconds."""
        return datetime.datetime.fromisoformat(self.started_at).timestamp()

    def to_wire(self, call: str, arguments: Mapping[str, Any]) -> EndedCommand:
        """The message for the tab's panel. `call` identifies it there; `arguments` must be redacted already."""
        return EndedCommand(
            command=self.command,
            client=self.client,
            started_at=self.started_at,
            duration_ms=self.duration_ms,
            outcome=self.outcome,
            message=self.message[:1_000],
            call=call,
            waited_ms=self.waited_ms,
            arguments=dict(arguments),
        )


class ActivityLog:
    """The last commands of all tabs."""

    def __init__(self) -> None:
        self._kept: deque[Activity] = deque(maxlen=_KEPT)
        self.count = 0
        self.failed = 0

    def add(self, activity: Activity) -> None:
        """Record a command that has ended."""
        self._kept.append(activity)
        self.count += 1
        self.failed += activity.outcome != "ok"

    def kept(self) -> Sequence[Activity]:
        """The latest commands, oldest first."""
        return tuple(self._kept)

    def last_errors(self, limit: int = 10) -> Sequence[Activity]:
        """The latest failures, newest first."""
        failures = (activity for activity in reversed(self._kept) if activity.outcome != "ok")
        return list(itertools.islice(failures, limit))


def now_text() -> str:
    """The current time, in ISO 8601 with milliseconds."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
