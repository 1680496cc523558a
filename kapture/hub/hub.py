"""The hub, assembled: its tabs, its clients, and the one entry point for calls."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any

import trio

from kapture.backends.tab_page import OpenPage
from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import Progress, ScenarioLibrary
from kapture.commands.core.recorder import RecorderView
from kapture.commands.core.registry import get_command
from kapture.errors import KaptureError
from kapture.hub.browsers import Browsers
from kapture.hub.calls import Calls
from kapture.hub.carried_files import FileCarrier
from kapture.hub.client import Client, ClientKind, Clients, session_of
from kapture.hub.consent import Consent
from kapture.hub.elsewhere import Group
from kapture.hub.events import Events, HubEvent
from kapture.hub.hand_over import HandOvers
from kapture.hub.holding import Holding
from kapture.hub.last_seen import LastSeen
from kapture.hub.memory import HubMemory
from kapture.hub.narrowings import UnconfirmedGrants
from kapture.hub.owners import Owners, same_name
from kapture.hub.pauses import Pauses
from kapture.hub.pins import Pins
from kapture.hub.records import Records
from kapture.hub.shares import OpenShares
from kapture.hub.sockets import Credentials, Secrets
from kapture.hub.state import HubState
from kapture.hub.status import StatusReport, TabInfo, tab_info
from kapture.hub.tab_choice import Choice
from kapture.hub.tab_control import TabControl
from kapture.hub.tab_registration import show_owner
from kapture.hub.tab_session import TabSession, TabSocket
from kapture.hub.tabs.router import Router
from kapture.hub.tabs.tab import Tab, kind_of
from kapture.policy import Policy
from kapture.policy.approvals import Approvals
from kapture.policy.audit import AuditLog
from kapture.policy.policy import FROM_SHARE
from kapture.settings import Settings

_STAY = ("extension", "attach")
"""The kinds of tabs that come back with their ids when the hub has ended."""
_LOOKS_SHARED = re.compile(r"\s@\s*")


class Hub:
    """One running hub. Made by `Hub.open()`; all its tasks end with that block."""

    def __init__(
        self,
        nursery: trio.Nursery,
        settings: Settings,
        *,
        consent: Consent,
        pairing: Secrets,
        audit: AuditLog | None,
        open_page: OpenPage,
        recorder: RecorderView | None,
        scenarios: ScenarioLibrary | None,
    ) -> None:
        events = Events()
        memory = HubMemory(settings.limits)
        group = Group()
        router = Router(nursery, settings.limits, on_disconnected=self._tab_disconnected, on_gone=self._tab_gone)
        clients = Clients(events)
        self.state = HubState(
            settings=settings,
            pairing=pairing,
            router=router,
            consent=consent,
            clients=clients,
            events=events,
            memory=memory,
            records=Records(audit, memory),
            open_page=memory.opening(open_page),
            recorder=recorder,
            last_seen=LastSeen(settings.home, router),
            pauses=Pauses(router, clients, events, group),
            shares=OpenShares(clients, events),
            group=group,
            unconfirmed_grants=UnconfirmedGrants(settings.home),
            scenarios=scenarios,
        )
        owners = self.state.owners
        owners.profile_of = self._profile_of
        owners.on_change, owners.on_left = self._owner_changed, self._tab_left
        clients.on_joined, clients.on_left = owners.joined, self._client_left
        nursery.start_soon(owners.run)
        nursery.start_soon(self.state.last_seen.run)
        nursery.start_soon(self.state.ended_batches.run)
        nursery.start_soon(self._note_connected)
        self._report = StatusReport(self.state)
        self.browsers = Browsers(self.state)
        self.choice = Choice(self.state, self.browsers, nursery)
        self.hand_overs = HandOvers(self.state, nursery)
        self.pins = Pins(self.state, nursery)
        self._calls = Calls(self.state, self.choice, self.hand_overs, self.pins)
        self.pins.call = self._calls.run
        self.holding = Holding(self.state, self._calls)
        self.tab_control = TabControl(self.state)

    @staticmethod
    @asynccontextmanager
    async def open(
        settings: Settings,
        *,
        pairing: Secrets,
        policy: Policy | None = None,
        audit: AuditLog | None = None,
        open_page: OpenPage | None = None,
        recorder: RecorderView | None = None,
        scenarios: ScenarioLibrary | None = None,
    ) -> AsyncIterator[Hub]:
        """Open a hub without a port; `kapture.server` adds one.

        `policy` is read from the data folder if not given; `audit` None: no audit log is kept. `open_page` is used
        instead of `Page.open`; without a `recorder` nothing can be recorded.
        """
        import kapture.commands  # noqa: F401  declares every command

        if policy is None:
            policy = Policy.load(
                settings.home,
                settings.policy_file,
                safe_mode=settings.safe_mode,
                unsafe_all_sites=settings.unsafe_all_sites,
                open_port=settings.no_pairing,
                own_port=settings.port,
            )
        async with Approvals.open() as approvals, trio.open_nursery() as nursery:
            hub = Hub(
                nursery,
                settings,
                consent=Consent(policy, approvals, Owners(settings.home, settings.limits.client_tabs)),
                pairing=pairing,
                audit=audit,
                open_page=open_page or _open_page,
                recorder=recorder,
                scenarios=scenarios,
            )
            try:
                with hub.state.loop.watching():
                    yield hub
            finally:
                nursery.cancel_scope.cancel()

    # What clients use

    async def call(
        self, client: Client, name: str, arguments: Mapping[str, Any], *, progress: Progress | None = None
    ) -> CallResult:
        """Run a command, by its name with or without `kapturemcp_`; returns its answer or raises `KaptureError`.

        Cancelling the caller cancels the command, whether it waits or runs.
        """
        return await self._calls.run(client, name, arguments, progress)

    def refused(self, client: Client, name: str, arguments: Mapping[str, Any], error: KaptureError) -> None:
        """Record a tool call that was refused before it became a command."""
        self._calls.refuse(client, name, arguments, error)

    def client(
        self,
        *,
        name: str,
        version: str = "",
        kind: ClientKind,
        title: str = "",
        session_name: str = "",
        browser: str = "",
        proof: str | None = None,
        share: str = "",
        from_group: bool = False,
        carrier: FileCarrier | None = None,
    ) -> AbstractContextManager[Client]:
        """Add a client for the duration of the block. What it was shown of tabs is dropped with it.

        `proof`: the secret by which it continues its session in another connection; `INVALID_PARAMS` if it is too weak.
        `share`: through which it comes, which ends its names, as no others end; `from_group`: that is a machine of the
        hub's group. `carrier`: of the files of a client on another machine.
        """
        if share:
            ends = f"{FROM_SHARE}{share}"
        else:
            ends, name, title = "", _LOOKS_SHARED.sub(" at ", name), _LOOKS_SHARED.sub(" at ", title)
        return self.state.clients.join(
            Client(
                name=f"{name}{ends}",
                version=version,
                kind=kind,
                title=f"{title}{ends}" if title else "",
                session_name=session_name,
                share=share,
                carrier=carrier,
                browser=browser,
                from_group=from_group,
                session=session_of(proof, name),
            )
        )

    def on_behalf_of(self, client: Client) -> AbstractContextManager[None]:
        """Judge all that is read in the block by the rules for this client."""
        return self.state.consent.calling(client)

    def in_browser(self, tab_id: str, browser: str) -> bool:
        """Whether the tab is, or was, in the browser profile that its person has given this name."""
        return same_name(self._profile_of(tab_id), browser)

    def _profile_of(self, tab_id: str) -> str:
        tab = self.state.router.known(tab_id)
        return "" if tab is None else self.state.profile_of(tab)

    @property
    def tabs(self) -> Mapping[str, TabInfo]:
        """The tabs that are connected now, by id."""
        return {tab_id: tab_info(self.state, tab) for tab_id, tab in self.state.router.connected.items()}

    def backend_kind(self, tab_id: str) -> str | None:
        """How the tab's browser was connected (`kapture.hub.tabs.tab`); None for a tab that is not connected."""
        tab = self.state.router.connected.get(tab_id)
        return kind_of(tab) if tab is not None else None

    def subscribe(self) -> AbstractAsyncContextManager[trio.MemoryReceiveChannel[HubEvent]]:
        """Receive every event from now to the end of the block."""
        return self.state.events.subscribe()

    def tab_rows(self) -> Sequence[Mapping[str, Any]]:
        """One row for each connected tab, with what the call in progress may see of it."""
        return self._report.tab_rows()

    def status(self) -> Mapping[str, Any]:
        """The state of the hub, as docs/PROTOCOL.md describes it."""
        return self._report.status()

    async def scenario_names(self, client: Client) -> Sequence[str]:
        """The scenarios of the data folder, in alphabetical order; none for a client that may not list them."""
        scenarios, listing = self.state.scenarios, get_command("list_scenarios")
        if scenarios is None or not self.state.consent.decide_for_hub(client, listing, None).allowed:
            return ()
        return await scenarios.names()

    def tab_states(self) -> Sequence[Mapping[str, Any]]:
        """One row for each tab that is connected or may come back, as in `status`."""
        return self._report.tabs()

    # Tabs

    async def confirm(self, tab_id: str, title: str, detail: str) -> bool:
        """Whether the person of a tab agrees to what only a person may decide; see `Consent.confirm`."""
        return await self.state.consent.confirm(self.state.router.find(tab_id), title, detail)

    async def serve_tab(
        self, socket: TabSocket, credentials: Credentials, *, on_admitted: Callable[[], None] = lambda: None
    ) -> None:
        """Serve one accepted tab socket until it ends. `on_admitted` is called when its handshake has succeeded."""
        await TabSession(self.state, self._calls, socket, credentials, on_admitted).run()

    async def _note_connected(self) -> None:
        """Record for later hubs which tabs are connected of browsers that do not end with this one."""
        state = self.state
        async with state.events.subscribe() as events:
            async for event in events:
                if event.kind in ("tab_connected", "tab_gone", "missed"):
                    state.last_seen.connected(tab.tab_id for tab in state.router if kind_of(tab) in _STAY)

    def _client_left(self, client: Client) -> None:
        self.state.owners.left(client)
        if self.state.group.elsewhere is not None:
            self.state.group.elsewhere.left(client)

    def _owner_changed(self, tab_id: str) -> None:
        show_owner(self.state, tab_id)
        self.state.events.publish("tab_changed", tab_id)

    def _tab_left(self, tab_id: str) -> None:
        """Close a tab that its client has left behind, where its browser can tell whether a person has used it."""
        tab = self.state.router.connected.get(tab_id)
        browser = tab.backend.owner if tab is not None and tab.backend is not None else ""
        extension = self.state.extensions.connected.get(browser)
        if extension is not None and self.state.settings.close_left_tabs:
            extension.close_unused(tab_id)

    def _tab_disconnected(self, tab: Tab) -> None:
        self.state.events.publish("tab_disconnected", tab.tab_id)

    def _tab_gone(self, tab: Tab) -> None:
        self.state.consent.approvals.withdraw(tab.tab_id)
        self.state.clients.forget_tab(tab.tab_id)
        self.state.memory.forget(tab.tab_id)
        self.state.owners.free(tab.tab_id)
        self.state.pauses.forget(tab.tab_id)
        if self.state.recorder is not None:
            self.state.recorder.tab_gone(tab.tab_id, closed=tab.was_closed)
        self.state.events.publish("tab_gone", tab.tab_id)

    # Idleness

    async def wait_until_idle(self, idle_ms: float) -> None:
        """Return when for this long no client was connected, no share open, and no tab connected or expected back."""
        published = self.state.events.published
        while True:
            there = len(self.state.clients) + len(self.state.shares)
            if {tab.tab_id for tab in self.state.router} - self.choice.own_tabs or there > 0:
                await published.wait()
                continue
            with trio.move_on_after(idle_ms / 1_000) as quiet:
                await published.wait()
            if quiet.cancelled_caught:
                return


def _open_page(connection: Any, tab_id: str, gate: Any) -> Any:
    from kapture.page import Page

    return Page.open(connection, tab_id=tab_id, gate=gate)
