"""The hub: its tabs, its clients, and the one way in which every call runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any

import trio

from kapture.backends.extension import OpenPage
from kapture.backends.link import Link
from kapture.backends.outbox import Socket
from kapture.changed import Changed
from kapture.commands.core.context import Progress
from kapture.commands.core.registry import Command
from kapture.commands.core.result import CallResult
from kapture.errors import KaptureError
from kapture.hub.activity import Activity, ActivityLog, now_text
from kapture.hub.calls import Calls
from kapture.hub.client import Client, ClientKind
from kapture.hub.consent import Admitted, Consent, place_of, revoked
from kapture.hub.events import EventKind, Events, HubEvent
from kapture.hub.handshake import Peer, Secrets
from kapture.hub.router import Router
from kapture.hub.status import Counters, TabInfo, status_of, tab_info
from kapture.hub.tab import Tab
from kapture.hub.tab_session import TabSession
from kapture.policy import Grant, Policy
from kapture.policy.approvals import Approvals
from kapture.policy.audit import AuditLog
from kapture.settings import Settings
from kapture.wire.messages import WireGrant


class Hub:
    """One running hub. Made by `Hub.open()`; everything in it ends with that block."""

    def __init__(
        self,
        nursery: trio.Nursery,
        settings: Settings,
        *,
        consent: Consent,
        pairing: Secrets,
        audit: AuditLog | None,
        open_page: OpenPage,
    ) -> None:
        self.settings = settings
        self.consent = consent
        self.pairing = pairing
        self.open_page = open_page
        self.events = Events()
        self.activity = ActivityLog()
        self.router = Router(nursery, settings.limits, on_disconnected=self._tab_disconnected, on_gone=self._tab_gone)
        self.sessions: dict[Link, TabSession] = {}
        self.counters = Counters()
        self.started_at = now_text()
        self._audit = audit
        self._calls = Calls(self)
        self._clients: dict[str, Client] = {}
        self._panels: dict[str, Client] = {}
        self._population = Changed()  # tabs and clients that come or go

    @staticmethod
    @asynccontextmanager
    async def open(
        settings: Settings,
        *,
        pairing: Secrets,
        policy: Policy | None = None,
        audit: AuditLog | None = None,
        open_page: OpenPage | None = None,
    ) -> AsyncIterator[Hub]:
        """A hub without a port; `kapture.server.listener` gives it one.

        `policy` is read from the data folder when none is given; `audit` None keeps no audit log.
        """
        import kapture.commands  # noqa: F401  declares every command

        if policy is None:
            policy = Policy.load(
                settings.home,
                settings.policy_file,
                safe_mode=settings.safe_mode,
                unsafe_all_sites=settings.unsafe_all_sites,
                open_port=settings.no_pairing,
            )
        async with Approvals.open() as approvals, trio.open_nursery() as nursery:
            hub = Hub(
                nursery,
                settings,
                consent=Consent(policy, approvals),
                pairing=pairing,
                audit=audit,
                open_page=open_page or _open_page,
            )
            try:
                yield hub
            finally:
                nursery.cancel_scope.cancel()

    # What clients use

    async def call(
        self, client: Client, name: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> CallResult:
        """Run a command, by its name with or without `kapturemcp_`; its answer, or a `KaptureError`.

        Cancelling the caller cancels the command, whether it waits or runs.
        """
        return await self._calls.run(client, name, arguments, progress)

    def refused(self, client: Client, name: str, arguments: Mapping[str, Any], error: KaptureError) -> None:
        """Record a tool call that does not come to be a command."""
        self._calls.refuse(client, name, arguments, error)

    @contextmanager
    def client(self, *, name: str, version: str = "", kind: ClientKind) -> Iterator[Client]:
        """A client, for the length of the block. What it has seen of tabs goes with it."""
        client = Client(name=name, version=version, kind=kind)
        self._clients[client.client_id] = client
        self._notify("client_joined")
        try:
            yield client
        finally:
            del self._clients[client.client_id]
            self._notify("client_left")

    @property
    def tabs(self) -> Mapping[str, TabInfo]:
        """The tabs that are connected now, by id."""
        return {tab_id: tab_info(self, tab) for tab_id, tab in self.router.connected.items()}

    @property
    def clients(self) -> Sequence[Client]:
        """The clients that are connected now."""
        return tuple(self._clients.values())

    def subscribe(self) -> AbstractAsyncContextManager[trio.MemoryReceiveChannel[HubEvent]]:
        """What happens from now on."""
        return self.events.subscribe()

    # What commands may ask (`HubView`)

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        """One row a connected tab, with what the call in progress may see of it."""
        rows = []
        for tab in self.router.connected.values():
            url, title = self.consent.shown_place(tab)
            info = tab_info(self, tab)
            rows.append(
                {
                    "tabId": tab.tab_id,
                    "title": title,
                    "url": url,
                    "grant": info.grant,
                    "connectedAt": info.connected_at_text,
                    "browser": info.browser,
                    "opener": info.opener,
                }
            )
        return rows

    def status(self) -> Mapping[str, Any]:
        """The state of the hub: docs/PROTOCOL.md says what stands there."""
        return status_of(self, self._audit)

    # What sessions tell

    async def serve_tab(self, socket: Socket, peer: Peer) -> None:
        """Serve one accepted tab socket until it ends."""
        await TabSession(self, socket, peer).run()

    async def call_from_panel(self, tab: Tab, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """A command that a tab's own panel runs on it."""
        panel = self._panels.setdefault(tab.tab_id, Client(name="panel", kind="panel"))
        return await self.call(panel, name, {**arguments, "tabId": tab.tab_id})

    def replaced(self, older: Link) -> None:
        """A newer socket has taken this one's tab over."""
        if (session := self.sessions.get(older)) is not None:
            session.end(1008, "the tab has connected anew")

    def tab_connected(self, tab: Tab) -> None:
        """A tab has registered."""
        opener = tab.link.register.opener if tab.link is not None else None
        if opener is not None and (parent := self.router.connected.get(opener)) is not None and parent.link is not None:
            parent.link.child_opened(tab.tab_id)
        self._notify("tab_connected", tab.tab_id)

    def _tab_disconnected(self, tab: Tab) -> None:
        """Its socket has ended; it may come back."""
        self._notify("tab_disconnected", tab.tab_id)

    def _tab_gone(self, tab: Tab) -> None:
        """It does not come back."""
        self.consent.approvals.forget_tab(tab.tab_id)
        self._panels.pop(tab.tab_id, None)
        for client in self._clients.values():
            client.forget(tab.tab_id)
        self._notify("tab_gone", tab.tab_id)

    def grant_changed(self, tab: Tab, grant: WireGrant | None) -> None:
        """The person has changed a tab's grant: what runs and is not covered any more ends."""
        tab.grant = None if grant is None else Grant.make(grant.sites, grant.level)
        self.consent.approvals.forget_tab(tab.tab_id)
        for running in tab.all_running():
            decision = self.consent.decide(running.client, running.command, running.params, tab, running.once)
            if not decision.allowed:
                running.fail(revoked(decision))
        self.events.publish("grant_changed", tab.tab_id)

    # Records

    def record(
        self, activity: Activity, *, client: Client, tab: Tab | None, arguments: Mapping[str, Any], rule: str | None
    ) -> None:
        """A call has ended."""
        self.activity.add(activity)
        if tab is not None and tab.link is not None:
            tab.link.tell(activity.to_wire())
        if self._audit is not None:
            self._audit.command(
                client=client.described(),
                command=activity.command,
                outcome=activity.outcome,
                duration_ms=activity.duration_ms,
                tab_id=activity.tab_id,
                url=place_of(tab)[0] if tab is not None else None,
                rule=rule,
                arguments=arguments,
            )

    def denied(self, client: Client, command: Command, tab: Tab, rule: str | None, *, asked: str | None = None) -> None:
        """Policy, or a person, has said no."""
        self._decided(client, command, tab, allowed=False, rule=rule, asked=asked)

    def allowed(self, client: Client, command: Command, tab: Tab, admitted: Admitted) -> None:
        """A person has said yes."""
        self._decided(client, command, tab, allowed=True, rule=admitted.rule, asked=admitted.asked)

    def _decided(
        self, client: Client, command: Command, tab: Tab, *, allowed: bool, rule: str | None, asked: str | None
    ) -> None:
        if self._audit is not None:
            self._audit.decision(
                client=client.described(),
                command=command.name,
                allowed=allowed,
                rule=rule or "",
                tab_id=tab.tab_id,
                url=place_of(tab)[0],
                asked=asked,
            )

    # Idleness

    def _notify(self, kind: EventKind, tab_id: str | None = None) -> None:
        self.events.publish(kind, tab_id)
        self._population.notify()

    @property
    def in_use(self) -> bool:
        """Whether any tab or client is there, or may come back."""
        return len(self.router) > 0 or bool(self._clients)

    async def wait_until_idle(self, idle_ms: float) -> None:
        """Return when no tab and no client was there for this long."""
        while True:
            if self.in_use:
                await self._population.wait()
                continue
            with trio.move_on_after(idle_ms / 1_000) as quiet:
                await self._population.wait()
            if quiet.cancelled_caught:
                return


def _open_page(connection: Any, tab_id: str, gate: Any) -> Any:
    from kapture.page import Page

    return Page.open(connection, tab_id=tab_id, gate=gate)
