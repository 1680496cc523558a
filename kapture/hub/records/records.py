"""What a hub records: the latest activity, the audit log, and counters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import trio

from kapture.commands.core.result import CallResult
from kapture.errors import KaptureError
from kapture.hub.activity import Activity, ActivityLog
from kapture.hub.call import Call, call_name
from kapture.hub.client import Client
from kapture.hub.grants.consent import address_of
from kapture.hub.records.call_details import CallDetails
from kapture.hub.records.call_feed import CallFeed
from kapture.hub.records.memory import HubMemory
from kapture.hub.tabs.tab import Tab
from kapture.policy.audit import AuditLog
from kapture.policy.redact import redact

_REFUSALS_A_MINUTE = 60


@attrs.define
class Counters:
    """Counts since the start that are kept nowhere else."""

    bad_messages: int = 0
    refused_connections: int = 0
    late_answers: int = 0  # of sockets that have ended; a live socket counts its own
    unsolicited_answers: int = 0


class Records:
    """The records of one hub; arguments and answers go to its memory. `audit` None keeps no audit log."""

    def __init__(self, audit: AuditLog | None, memory: HubMemory) -> None:
        self.activity = ActivityLog()
        self.feed = CallFeed()
        self.counters = Counters()
        self._audit = audit
        self._memory = memory
        self._minute = -math.inf  # start of the current minute, for counting refusals
        self._refusals = 0  # in this minute
        self._unrecorded = 0

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
        now = trio.current_time()
        if now - self._minute >= 60:
            self._minute, self._refusals = now, 0
        self._refusals += 1
        if self._refusals > _REFUSALS_A_MINUTE:
            self._unrecorded += 1
            return
        self._audit.connection_refused(reason, path=path, origin=origin, unrecorded=self._unrecorded)
        self._unrecorded = 0

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

    def tab_requested(
        self, command: str, client: Client, *, url: str | None, decision: str, tab_id: str | None
    ) -> None:
        """Audit the end of a request for a tab; `decision`: `tab`, `deny`, `unanswered`, or `withdrawn` by the
        client."""
        if self._audit is not None:
            outcome = {"tab": "allowed", "deny": "denied"}.get(decision, decision)
            self._audit.tab_requested(command, client=client.described(), url=url, outcome=outcome, tab_id=tab_id)
