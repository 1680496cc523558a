"""The status of the hub and its tabs, without secrets and without anything of a page that the grant does not cover."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import trio

from kapture import __version__
from kapture.backends.extension.extension import ExtensionBackend
from kapture.changed import Changed
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.registry import Access
from kapture.hub.client import Client
from kapture.hub.consent import address_of, open_to
from kapture.hub.no_tab import why_no_tab
from kapture.hub.owners import same_name
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab, check_vouched, held_by_row, kind_of
from kapture.page.page_tools import PageTool
from kapture.wire import extension_messages


@attrs.frozen(kw_only=True)
class TabInfo:
    """A connected tab. `level` is the level of its grant under the policy in force; times are Unix seconds.

    `kind`: see `kind_of`. `backend`: the kind, or `self-executing`. `page_tools`: the tools that its granted
    documents declare.
    """

    tab_id: str
    url: str
    title: str
    level: Access
    grant: dict[str, Any] | None
    connected_at: float
    browser: str
    kind: str
    backend: str
    opener: str | None
    waiting: int
    running: str | None
    page_tools: tuple[PageTool, ...]

    @property
    def connected_at_text(self) -> str:
        """`connected_at` in ISO 8601."""
        moment = datetime.datetime.fromtimestamp(self.connected_at, datetime.UTC)
        return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def tab_info(state: HubState, tab: Tab) -> TabInfo:
    """The current facts on a tab."""
    address = address_of(tab)
    backend = tab.backend
    browser = backend.browser if backend is not None else None
    return TabInfo(
        tab_id=tab.tab_id,
        url=address.url,
        title=address.title,
        level=state.consent.policy.usable_level(tab.grant),
        grant=tab.grant.to_json() if tab.grant is not None else None,
        connected_at=tab.connected_at,
        browser=f"{browser.name} {browser.version}".strip() if browser is not None else "",
        kind=kind_of(tab),
        backend="self-executing" if backend is not None and backend.executes_itself else kind_of(tab),
        opener=backend.opener if backend is not None else None,
        waiting=tab.waiting,
        running=tab.running.command.name if tab.running is not None else None,
        page_tools=tuple(page_tools(tab)),
    )


def page_tools(tab: Tab) -> list[PageTool]:
    """The tools of the documents that the call in progress may read, as far as the browser has reported them."""
    page = tab.backend.current_page if tab.backend is not None else None
    return page.tools.known if page is not None else []


def standing_of(tab: Tab) -> dict[str, Any] | None:
    """For whom (None: every client of this machine), and until when (ms since the epoch; None: until it is revoked), a
    tab is connected by a standing grant."""
    return None if tab.bond is None else {"client": tab.bond.client, "until": tab.bond.until}


def is_resting(tab: Tab) -> bool:
    """Whether the debugger has left the tab because nobody works on it."""
    return isinstance(tab.backend, ExtensionBackend) and tab.backend.resting


def why_detached(tab: Tab) -> str | None:
    """Why commands cannot run on a connected tab; None if they can."""
    return None if tab.backend is None or is_resting(tab) else tab.backend.why_detached


def is_recorded(tab: Tab) -> bool:
    """Whether the tab is being recorded."""
    page = tab.backend.current_page if tab.backend is not None else None
    return page is not None and page.recording.active


class StatusReport:
    """Builds the answers of `list_tabs` and `status`. Titles and paths appear only where the call in progress may see
    them."""

    def __init__(self, state: HubState) -> None:
        self._state = state

    @property
    def recorder(self) -> RecorderView | None:
        """The hub's recorder, if it has one."""
        return self._state.recorder

    async def tabs_back(self) -> None:
        """Return when the tabs of the hub before have reconnected, or their time to do so has passed."""
        await self._state.last_seen.tabs_back()

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        """One row for each connected tab; those that the client in progress owns, and those it may use, first."""
        client, owners = self._state.consent.client, self._state.owners
        rows = [self.tab_row(tab) for tab in self._state.router.connected.values() if self._sees(tab.tab_id)]
        if client is None:
            return rows
        return sorted(rows, key=lambda row: (not row["own"], not owners.may_use(client, row["tabId"])))

    def tab_row(self, tab: Tab) -> Mapping[str, Any]:
        """A connected tab. `paused`: why it cannot run commands now; `heldBy`: which script has held it since when;
        `owner`: the client that has it; `own`: that is the client in progress; `grant`: as far as that may use it."""
        address = self._state.consent.shown_address(tab)
        info = tab_info(self._state, tab)
        paused = why_detached(tab)
        return {
            "tabId": tab.tab_id,
            **self._owner(tab),
            "kind": kind_of(tab),
            "title": address.title,
            "url": address.url,
            "grant": self._usable_grant(tab),
            "connectedAt": info.connected_at_text,
            "browser": info.browser,
            "profile": self._state.profile_of(tab),
            "opener": info.opener,
            "attached": tab.backend is not None and paused is None and not is_resting(tab),
            "idle": is_resting(tab),
            "paused": paused,
            "pageTools": len(info.page_tools),
            "heldBy": held_by_row(tab.script) if tab.script is not None else None,
            "handedOver": held_by_row(tab.handed_over) if tab.handed_over is not None else None,
            "recording": is_recorded(tab),
            "standing": standing_of(tab),
            **self._in_group(tab),
        }

    def _in_group(self, tab: Tab) -> Mapping[str, Any]:
        """Where the tab is, and whether it is for the group too, in a hub that is in one."""
        elsewhere = self._state.group.elsewhere
        return {} if elsewhere is None else {"machine": elsewhere.machine, "forGroup": tab.for_group}

    async def rows_elsewhere(self) -> Sequence[Mapping[str, Any]]:
        """One row for each tab of the group's other machines."""
        client = self._state.consent.client
        elsewhere = self._state.group.of(client) if client is not None else None
        return [] if elsewhere is None or client is None else await elsewhere.rows(client)

    async def look_elsewhere(self) -> None:
        """Bring what `status` tells of the group's other machines up to date."""
        if (elsewhere := self._state.group.elsewhere) is not None:
            await elsewhere.look()

    def _usable_grant(self, tab: Tab) -> dict[str, Any] | None:
        """The tab's grant, at the level that policy leaves of it to the client in progress; a person sees it whole."""
        grant, client = tab.grant, self._state.consent.client
        if grant is None or client is None or client.is_person:
            return None if grant is None else grant.to_json()
        level = self._state.consent.policy.usable_level(grant, client.name) if open_to(tab, client) else Access.NONE
        return None if level is Access.NONE else attrs.evolve(grant, level=level).to_json()

    def _sees(self, tab_id: str | None) -> bool:
        """Whether the client in progress, if it is bound to a browser profile, may know of the tab."""
        client = self._state.consent.client
        return client is None or tab_id is None or self._state.owners.sees(client, tab_id)

    def _owner(self, tab: Tab) -> Mapping[str, Any]:
        owner, client = self._state.owners.of(tab.tab_id), self._state.consent.client
        own = owner is not None and client is not None and client.session == owner.session
        return {"owner": None if owner is None else owner.name, "own": own}

    def opening_tab(self) -> AbstractContextManager[None]:
        """Open a tab for the client in progress in the block; `QUEUE_FULL` if it has as many as it may have."""
        return self._state.owners.opening(self._client)

    def own_tab(self, tab_id: str, *, shared: bool) -> None:
        """The client in progress has opened this tab."""
        self._state.owners.own(self._client, tab_id, shared=shared)

    def release_tab(self, tab_id: str) -> None:
        """The client in progress gives up a tab; `TAB_BUSY` if it is another's."""
        self._state.owners.release(self._client, self._state.router.find(tab_id).tab_id)

    @property
    def _client(self) -> Client:
        client = self._state.consent.client
        assert client is not None  # noqa: S101  commands run on behalf of one
        return client

    @property
    def tabs_changed(self) -> Changed:
        """Notified of every event of the hub."""
        return self._state.events.published

    def check_vouched(self, tab_id: str) -> None:
        """`POLICY_DENIED` if stored secrets may not be sent to this tab."""
        check_vouched(self._state.router.find(tab_id))

    def why_no_tab(self) -> Mapping[str, Any]:
        """Why no tab is connected, and what to do about it."""
        return why_no_tab(self._state).to_json()

    def status(self) -> Mapping[str, Any]:
        """The state of the hub, as docs/PROTOCOL.md describes it."""
        state = self._state
        activity, counters = state.records.activity, state.records.counters
        traffic = [tab.backend.traffic for tab in state.router if tab.backend is not None]
        return {
            "hub": {
                "version": __version__,
                "pid": os.getpid(),
                "port": state.settings.port,
                "startedAt": state.started_at,
                "python": platform.python_version(),
            },
            "memory": {
                "residentBytes": resident_bytes(),
                "heldBytes": state.memory.held_bytes,
                "heldLimitBytes": state.settings.limits.memory_bytes,
            },
            "loop": {"longestStepMs": round(state.loop.longest_s * 1_000, 1), "task": state.loop.task},
            "group": None if (elsewhere := state.group.elsewhere) is None else elsewhere.status(),
            "noTab": None if state.router.connected else self.why_no_tab(),
            "policy": state.consent.policy.describe(),
            "browsers": self._browsers(),
            "tabs": self.tabs(),
            "shares": self._state.shares.rows(),
            "clients": [
                {
                    "name": client.display_name,
                    "colour": client.colour,
                    "version": client.version,
                    "kind": client.kind,
                    "calls": client.calls,
                }
                for client in state.clients
            ],
            "counters": {
                "calls": activity.count,
                "failedCalls": activity.failed,
                "lateAnswers": counters.late_answers + sum(one.late for one in traffic),
                "unsolicitedAnswers": counters.unsolicited_answers + sum(one.unsolicited for one in traffic),
                "badMessages": counters.bad_messages,
                "refusedConnections": counters.refused_connections,
            },
            # Not what they ask: every client may read this, and another one chose those names and addresses.
            "questions": [
                {"tabId": question.tab_id}
                for question in state.consent.approvals.open_questions
                if self._sees(question.tab_id)
            ],
            "lastErrors": [
                {
                    "tabId": failed.tab_id,
                    "command": failed.command,
                    "client": failed.client,
                    "at": failed.started_at,
                    "code": failed.outcome,
                }
                for failed in activity.last_errors()
                if self._sees(failed.tab_id)
            ],
            "refusedDisplacements": [attrs.asdict(refusal) for refusal in state.router.refusals],
            "supersededConnections": [attrs.asdict(one) for one in state.router.superseded],
            "auditFailure": state.records.audit_failure,
            "dataFolderFailure": state.last_seen.failure or state.unconfirmed_grants.failure,
        }

    def tabs(self) -> list[dict[str, Any]]:
        """One row for each tab that is connected or may come back, with all that `status` shows of it."""
        return [self._tab(tab) for tab in self._state.router if self._sees(tab.tab_id)]

    def _tab(self, tab: Tab) -> dict[str, Any]:
        address = self._state.consent.shown_address(tab)
        info = tab_info(self._state, tab)
        backend = tab.backend
        blocked = backend.blocked if backend is not None else None
        traffic = backend.traffic if backend is not None else None
        return {
            "tabId": tab.tab_id,
            "owner": None if (owner := self._state.owners.of(tab.tab_id)) is None else owner.shown(),
            "kind": kind_of(tab),
            "state": tab.state.value,
            "url": address.url,
            "title": address.title,
            "grant": info.grant,
            "browser": info.browser,
            "backend": info.backend,
            "connectedAt": info.connected_at_text,
            "running": info.running,
            "heldBy": held_by_row(tab.script) if tab.script is not None else None,
            "handedOver": held_by_row(tab.handed_over) if tab.handed_over is not None else None,
            "waiting": info.waiting,
            "silentMs": round((trio.current_time() - traffic.last_message_at) * 1_000) if traffic is not None else None,
            "openRequests": traffic.pending_requests if traffic is not None else 0,
            "bufferedBytes": traffic.buffered_bytes if traffic is not None else 0,
            "dialog": blocked.data["dialog"]["type"] if blocked is not None else None,
            "detached": why_detached(tab),
            "idle": is_resting(tab),
            "recording": is_recorded(tab),
            "standing": standing_of(tab),
            "heldBytes": dict(self._state.memory.by_kind(tab.tab_id)),
            **self._in_group(tab),
        }

    def _browsers(self) -> list[dict[str, Any]]:
        """One row for each browser instance: tabs of one instance are in one browser, whatever its name."""
        client = self._state.consent.client
        counted = {
            (extension.kind, instance): _browser_row(extension.browser, extension.kind, launched=extension.launched)
            for instance, extension in self._state.extensions.connected.items()
            if client is None or not client.browser or same_name(extension.browser.profile, client.browser)
        }
        for tab in self._state.router.connected.values():
            if tab.backend is None or not self._sees(tab.tab_id):
                continue
            browser, kind = tab.backend.browser, tab.identity.kind
            key = (kind, browser.instance or tab.tab_id)
            counted.setdefault(key, _browser_row(browser, kind, launched=kind == "launch"))["tabs"] += 1
        return list(counted.values())


def _browser_row(browser: extension_messages.Browser, kind: str, *, launched: bool) -> dict[str, Any]:
    return {
        "name": browser.name or "unnamed",
        "version": browser.version,
        "extension": browser.extension,
        "profile": browser.profile,
        "authenticatedBy": kind,
        "launched": launched,
        "tabs": 0,
    }


_STATM = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """Resident bytes of this process (on macOS the peak); None where the system does not report it."""
    if sys.platform == "win32":
        return None
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # not Linux
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
