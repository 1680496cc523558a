"""What the hub tells about itself and its tabs. Nothing secret stands here, and nothing that a page wrote."""

from __future__ import annotations

import datetime
import os
import platform
from typing import TYPE_CHECKING, Any

import attrs
import trio

from kapture import __version__
from kapture.backends.extension import ExtensionLink
from kapture.commands.core.registry import Access
from kapture.hub.consent import place_of

if TYPE_CHECKING:
    from kapture.hub.hub import Hub
    from kapture.hub.tab import Tab
    from kapture.policy.audit import AuditLog


@attrs.define
class Counters:
    """What was counted since the start and is kept nowhere else."""

    bad_messages: int = 0
    refused_connections: int = 0
    late_answers: int = 0  # of sockets that have ended; live ones count their own
    unsolicited_answers: int = 0


@attrs.frozen(kw_only=True)
class TabInfo:
    """A connected tab. `level` is what its grant allows under the policy in force; times are Unix seconds."""

    tab_id: str
    url: str
    title: str
    level: Access
    grant: dict[str, Any] | None
    connected_at: float
    browser: str
    opener: str | None
    executes_itself: bool
    waiting: int
    running: str | None

    @property
    def connected_at_text(self) -> str:
        """As the protocol writes times."""
        moment = datetime.datetime.fromtimestamp(self.connected_at, datetime.UTC)
        return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def tab_info(hub: Hub, tab: Tab) -> TabInfo:
    """What is known of a tab now."""
    url, title = place_of(tab)
    link = tab.link
    browser = link.browser if link is not None else None
    return TabInfo(
        tab_id=tab.tab_id,
        url=url,
        title=title,
        level=hub.consent.policy.usable_level(tab.grant),
        grant=tab.grant.to_json() if tab.grant is not None else None,
        connected_at=tab.connected_at,
        browser=f"{browser.name} {browser.version}".strip() if browser is not None else "",
        opener=link.register.opener if link is not None else None,
        executes_itself=link is not None and link.executes_itself,
        waiting=tab.waiting,
        running=tab.running.command.name if tab.running is not None else None,
    )


def status_of(hub: Hub, audit: AuditLog | None) -> dict[str, Any]:
    """The answer of the command `status`."""
    links = [tab.link for tab in hub.router if tab.link is not None]
    policy = hub.consent.policy
    return {
        "hub": {
            "version": __version__,
            "pid": os.getpid(),
            "port": hub.settings.port,
            "startedAt": hub.started_at,
            "python": platform.python_version(),
        },
        "policy": policy.describe(),
        "browsers": _browsers(hub),
        "tabs": [_tab(hub, tab) for tab in hub.router],
        "clients": [
            {"name": client.name, "version": client.version, "kind": client.kind, "calls": client.calls}
            for client in hub.clients
        ],
        "counters": {
            "calls": hub.activity.count,
            "failedCalls": hub.activity.failed,
            "lateAnswers": hub.counters.late_answers + sum(link.pending.late for link in links),
            "unsolicitedAnswers": hub.counters.unsolicited_answers + sum(link.pending.unsolicited for link in links),
            "badMessages": hub.counters.bad_messages,
            "refusedConnections": hub.counters.refused_connections,
        },
        "questions": [question.title for question in hub.consent.approvals.open_questions],
        "lastErrors": [
            {
                "tabId": activity.tab_id,
                "command": activity.command,
                "client": activity.client,
                "at": activity.started_at,
                "code": activity.outcome,
            }
            for activity in hub.activity.last_errors()
        ],
        "refusedDisplacements": [attrs.asdict(refusal) for refusal in hub.router.refusals],
        "auditFailure": audit.failure if audit is not None else None,
    }


def _tab(hub: Hub, tab: Tab) -> dict[str, Any]:
    url, title = hub.consent.shown_place(tab)
    info = tab_info(hub, tab)
    link = tab.link
    blocked = link.blocked if link is not None else None
    return {
        "tabId": tab.tab_id,
        "state": tab.state.value,
        "url": url,
        "title": title,
        "grant": info.grant,
        "browser": info.browser,
        "connectedAt": info.connected_at_text,
        "running": info.running,
        "waiting": info.waiting,
        "silentMs": round((trio.current_time() - link.heard_at) * 1_000) if link is not None else None,
        "openRequests": len(link.pending) if link is not None else 0,
        "bufferedBytes": link.outbox.buffered_bytes if link is not None else 0,
        "dialog": blocked.data["dialog"]["type"] if blocked is not None else None,
        "detached": link.why_no_page if isinstance(link, ExtensionLink) else None,
    }


def _browsers(hub: Hub) -> list[dict[str, Any]]:
    """One row a browser instance: tabs of one instance are one browser, whatever its name."""
    counted: dict[tuple[str, str], dict[str, Any]] = {}
    for tab in hub.router.connected.values():
        if tab.link is None:
            continue
        browser = tab.link.browser
        row = counted.setdefault(
            (tab.identity.kind, browser.instance or tab.tab_id),
            {
                "name": browser.name or "unnamed",
                "version": browser.version,
                "extension": browser.extension,
                "authenticatedBy": tab.identity.kind,
                "tabs": 0,
            },
        )
        row["tabs"] += 1
    return list(counted.values())
