"""The records of a hub: calls as they wait, run and end, the latest activity, the audit log, and counters."""

from __future__ import annotations

import datetime
import itertools
import math
import re
import time
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import trio

from kapture.changed import Changed
from kapture.commands.core.answer import CallResult
from kapture.errors import KaptureError
from kapture.hub.call import Call, call_name
from kapture.hub.client import Client
from kapture.hub.consent import address_of
from kapture.hub.memory import CallDetails, HubMemory
from kapture.hub.tabs.tab import Tab
from kapture.policy import Grant
from kapture.policy.audit import AuditLog
from kapture.policy.redact import redact
from kapture.wire.extension_messages import Bond, StandingGrant
from kapture.wire.panel_messages import EndedCommand

_KEPT = 5_000


@attrs.frozen(kw_only=True)
class Activity:
    """One command that has ended. `outcome` is `ok` or an error code; `message` the error's message.

    `duration_ms` counts from `started_at`, when the call was made; `waited_ms`, a part of it, is how long the call
    waited for its turn, None if it never had one. `did`: what an action has done, for the person. `number` is the
    call's; `started` is `started_at` in Unix seconds.
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
    did: str = ""

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
            did=self.did,
            arguments=dict(arguments),
        )


_ELEMENT = re.compile(r"<[\w-]{1,80}> (?=\")|<([\w-]{1,80})>| ?\bref=(?:f\d{1,9})?e\d{1,9}\b")
_MOST_SAID = 300  # characters


def did(result: CallResult, tab: Tab | None) -> str:
    """Describe an action by the names of elements that a person knows; "" for a command that only reads."""
    page = tab.backend.current_page if tab is not None and tab.backend is not None else None
    if page is None or not result.did:
        return ""
    said = page.typed_secrets.in_text(_ELEMENT.sub(lambda found: found[1] or "", result.did))
    return (said[:1].upper() + said[1:])[:_MOST_SAID]


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
    did: str = ""
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
            client=call.client.display_name,
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
        did=activity.did,
    )


def _since_before(call: Call, tab_id: str) -> CallState:
    """The state of a call that began before anybody watched: its waiting time and its arguments are not known."""
    ran_s = trio.current_time() - call.started_at if call.started_at is not None else 0.0
    return CallState(
        number=call.number,
        command=call.command.name,
        client=call.client.display_name,
        client_id=call.client.client_id,
        tab_id=tab_id,
        since=time.time() - ran_s,
        waited_ms=0.0 if call.started_at is not None else None,
    )


_REFUSALS_A_MINUTE = 60


@attrs.define
class Counters:
    """Counts since the start that are kept nowhere else."""

    bad_messages: int = 0
    refused_connections: int = 0
    late_answers: int = 0  # of sockets that have ended; a live socket counts its own
    unsolicited_answers: int = 0


@attrs.define
class _Flood:
    """Lets so many entries of a kind pass a minute."""

    _minute: float = -math.inf  # its start
    _entries: int = 0  # in this minute
    _unrecorded: int = 0

    def passes(self) -> int | None:
        """How many were left out before this one, which is recorded; None if it is left out too."""
        now = trio.current_time()
        if now - self._minute >= 60:
            self._minute, self._entries = now, 0
        self._entries += 1
        if self._entries > _REFUSALS_A_MINUTE:
            self._unrecorded += 1
            return None
        unrecorded, self._unrecorded = self._unrecorded, 0
        return unrecorded


class Records:
    """The records of one hub; arguments and answers go to its memory. `audit` None keeps no audit log."""

    def __init__(self, audit: AuditLog | None, memory: HubMemory) -> None:
        self.activity = ActivityLog()
        self.feed = CallFeed()
        self.counters = Counters()
        self._audit = audit
        self._memory = memory
        self._connections, self._group = _Flood(), _Flood()

    @property
    def audit_failure(self) -> str | None:
        """Why entries could not be written to the audit log lately; None when all is well."""
        return self._audit.failure if self._audit is not None else None

    def call_ended(
        self,
        activity: Activity,
        *,
        client: Client,
        tab: Tab | None,
        arguments: Mapping[str, Any],
        rule: str | None,
        once: bool = False,
        answer: CallResult | KaptureError | None = None,
    ) -> None:
        """Record a call that has ended. If its tab has a panel, keep the details for it and report the call.

        `once`: it was allowed for this call alone, so it is reported at once, which ends the permission.
        """
        self.activity.add(activity)
        if self.feed.watched:
            self.feed.ended(activity)
        if tab is not None and tab.panel is not None:
            call = call_name(activity.number)
            self._memory.calls(tab.tab_id).add(call, CallDetails.of(arguments, answer))
            tab.panel.command_ended(activity.to_wire(call, redact(arguments)), at_once=once)
        if self._audit is not None:
            self._audit.command(
                client=client.described(),
                command=activity.command,
                outcome=activity.outcome,
                duration_ms=activity.duration_ms,
                tab_id=activity.tab_id,
                url=address_of(tab).url if tab is not None else None,
                rule=rule,
                arguments=arguments,
            )

    def connection_refused(self, reason: str, *, path: str | None = None, origin: str | None = None) -> None:
        """Count a refused connection or request and audit it. In a flood most are only counted, to keep the audit
        log."""
        self.counters.refused_connections += 1
        if self._audit is None:
            return
        if (unrecorded := self._connections.passes()) is not None:
            self._audit.connection_refused(reason, path=path, origin=origin, unrecorded=unrecorded)

    def shared(
        self, name: str, *, level: str, sites: Sequence[str] | None, clients: Sequence[str] | None, ended: bool
    ) -> None:
        """Audit that a share was opened, or has ended."""
        if self._audit is not None:
            self._audit.shared(name, level=level, sites=sites, clients=clients, ended=ended)

    def group_refused(self, what: str, of: str, why: str) -> None:
        """Audit what is refused in the hub's group: a message, a tab's id, a hub. In a flood most are only counted."""
        if self._audit is not None and (unrecorded := self._group.passes()) is not None:
            self._audit.group_refused(what, of, why, unrecorded=unrecorded)

    def key_rotated(self) -> None:
        """Audit that the hub has a new key."""
        if self._audit is not None:
            self._audit.key_rotated()

    def decided(self, call: Call, tab: Tab, *, allowed: bool, asked: str | None = None) -> None:
        """Audit that policy or a person has denied a call, or a person allowed it. `asked`: what the person was asked,
        and answered."""
        if self._audit is not None:
            self._audit.decision(
                client=call.client.described(),
                command=call.command.name,
                allowed=allowed,
                rule=call.rule or "",
                tab_id=tab.tab_id,
                url=address_of(tab).url,
                asked=asked,
            )

    def standing(
        self, command: str, bond: Bond, *, outcome: str = "allowed", url: str | None = None, tab_id: str | None = None
    ) -> None:
        """Audit that a standing grant was made or has ended, or has connected a tab."""
        if self._audit is not None:
            grant = f": {Grant.make(bond.sites, bond.level)}" if isinstance(bond, StandingGrant) else ""
            rule = f"standing grant {bond.id}{grant}, for {bond.client or 'every client of this machine'}"
            self._audit.standing(command, rule=rule, outcome=outcome, url=url, tab_id=tab_id)

    def tab_requested(
        self, command: str, client: Client, *, url: str | None, decision: str, tab_id: str | None
    ) -> None:
        """Audit the end of a request for a tab; `decision`: `tab`, `deny`, `unanswered`, `withdrawn` by the client, or
        `standing`: given by a standing grant."""
        if self._audit is not None:
            outcome = {"tab": "allowed", "deny": "denied"}.get(decision, decision)
            self._audit.tab_requested(command, client=client.described(), url=url, outcome=outcome, tab_id=tab_id)
