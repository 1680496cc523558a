"""Calls as they wait, run and end, for watchers. While nobody watches, a call pays only for checking a flag.

A watcher holds the latest state of each call that changed since it last took them, so that a slow watcher misses
intermediate states but never falls behind.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import trio

from kapture.changed import Changed
from kapture.hub.activity import Activity
from kapture.hub.call import Call
from kapture.policy.redact import redact

MOST_CALLS = 5_000


@attrs.frozen(kw_only=True)
class CallState:
    """The state of one call. `since` is when it was made, in Unix seconds; times are in milliseconds.

    `waited_ms` is None until it runs, `duration_ms` (waiting included) and `outcome` until it has ended. `arguments`
    are redacted; None if nobody watched when the call was made.
    """

    number: int
    command: str
    client: str
    client_id: str
    tab_id: str | None
    since: float
    waited_ms: float | None = None
    duration_ms: float | None = None
    outcome: str | None = None
    message: str = ""
    arguments: Mapping[str, Any] | None = None


class CallWatcher:
    """The changes that one watcher has not taken yet. `changed` is notified when there are more."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._states: OrderedDict[int, CallState] = OrderedDict()

    def put(self, state: CallState) -> None:
        """Add a new state of a call."""
        self._states.pop(state.number, None)
        self._states[state.number] = state
        if len(self._states) > MOST_CALLS:
            self._states.popitem(last=False)
        self._changed.notify()

    def take(self) -> Sequence[CallState]:
        """Remove and return the calls that have changed, in their latest state."""
        states = list(self._states.values())
        self._states.clear()
        return states


class CallFeed:
    """The watchers of one hub's calls. The hub looks at `watched` before it calls `made` or `started`."""

    def __init__(self) -> None:
        self.watched = False
        self._watchers: set[CallWatcher] = set()
        self._open: dict[int, CallState] = {}

    @contextmanager
    def watch(self, changed: Changed, running: Mapping[str, Sequence[Call]]) -> Iterator[CallWatcher]:
        """Watch everything from now to the end of the block, beginning with the calls that run now, by tab.

        `changed` is notified when `take` has something to return.
        """
        watcher = CallWatcher(changed)
        self._watchers.add(watcher)
        self.watched = True
        for tab_id, calls in running.items():
            for call in calls:
                if call.number not in self._open:
                    self._open[call.number] = _since_before(call, tab_id)
        for state in self._open.values():
            watcher.put(state)
        try:
            yield watcher
        finally:
            self._watchers.discard(watcher)
            self.watched = bool(self._watchers)
            if not self.watched:
                self._open.clear()

    def made(self, call: Call, arguments: Mapping[str, Any]) -> None:
        """Publish that a call was made and waits for its turn."""
        state = CallState(
            number=call.number,
            command=call.command.name,
            client=call.client.name,
            client_id=call.client.client_id,
            tab_id=call.arguments.tab_id,
            since=time.time(),
            arguments=redact(arguments),
        )
        self._publish(state)

    def started(self, call: Call) -> None:
        """Publish that a call's turn has come."""
        if (state := self._open.get(call.number)) is not None:
            waited_ms = max(0.0, round((time.time() - state.since) * 1_000, 2))  # the clock may have been set back
            self._publish(attrs.evolve(state, waited_ms=waited_ms))

    def ended(self, activity: Activity) -> None:
        """Publish that a call has ended."""
        state = ended_state(activity)
        if (known := self._open.get(activity.number)) is not None:
            state = attrs.evolve(state, since=known.since, arguments=known.arguments)
        self._publish(state)

    def _publish(self, state: CallState) -> None:
        if state.outcome is None:
            self._open[state.number] = state
        else:
            self._open.pop(state.number, None)
        for watcher in self._watchers:
            watcher.put(state)


def ended_state(activity: Activity) -> CallState:
    """The state of a call that has ended, from its record."""
    return CallState(
        number=activity.number,
        command=activity.command,
        client=activity.client,
        client_id=activity.client_id,
        tab_id=activity.tab_id,
        since=activity.started,
        waited_ms=activity.waited_ms,
        duration_ms=activity.duration_ms,
        outcome=activity.outcome,
        message=activity.message,
    )


def _since_before(call: Call, tab_id: str) -> CallState:
    """The state of a call that began before anybody watched: its waiting time and its arguments are not known."""
    ran_s = trio.current_time() - call.started_at if call.started_at is not None else 0.0
    return CallState(
        number=call.number,
        command=call.command.name,
        client=call.client.name,
        client_id=call.client.client_id,
        tab_id=tab_id,
        since=time.time() - ran_s,
        waited_ms=0.0 if call.started_at is not None else None,
    )
