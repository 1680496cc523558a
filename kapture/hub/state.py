"""The parts of one hub, shared by calls, sessions and status. `kapture.hub.hub` assembles them."""

from __future__ import annotations

import attrs

from kapture.backends.pending_requests import EndedBatches
from kapture.backends.tab_page import OpenPage
from kapture.commands.core.context import ScenarioLibrary
from kapture.commands.core.recorder import RecorderView
from kapture.hub.call import now_text
from kapture.hub.carried_files import CarriedUploads
from kapture.hub.client import Clients
from kapture.hub.consent import Consent
from kapture.hub.elsewhere import Group
from kapture.hub.events import Events
from kapture.hub.extensions import Extensions
from kapture.hub.last_seen import LastSeen
from kapture.hub.loop_watch import LoopWatch
from kapture.hub.memory import HubMemory
from kapture.hub.narrowings import CommandLineGrants, UnconfirmedGrants
from kapture.hub.owners import Owners
from kapture.hub.pauses import Pauses
from kapture.hub.records import Records
from kapture.hub.shares import OpenShares
from kapture.hub.sockets import Secrets
from kapture.hub.tabs.router import Router
from kapture.hub.tabs.tab import Tab, kind_of
from kapture.settings import Settings


@attrs.frozen(kw_only=True)
class HubState:
    """The parts of one hub. `started_at` is in ISO 8601. `lost_endpoints`: of attached browsers whose connection is
    being made again, by the owner of their tabs' ids. `carried`: what the clients of each share have sent."""

    settings: Settings
    pairing: Secrets
    router: Router
    consent: Consent
    clients: Clients
    events: Events
    memory: HubMemory
    records: Records
    open_page: OpenPage
    last_seen: LastSeen
    unconfirmed_grants: UnconfirmedGrants
    pauses: Pauses
    shares: OpenShares
    recorder: RecorderView | None = None
    scenarios: ScenarioLibrary | None = None
    extensions: Extensions = attrs.field(factory=Extensions)
    ended_batches: EndedBatches = attrs.field(factory=EndedBatches)
    command_line_grants: CommandLineGrants = attrs.field(factory=CommandLineGrants)
    lost_endpoints: dict[str, str] = attrs.field(factory=dict)
    carried: dict[str, CarriedUploads] = attrs.field(factory=dict)
    loop: LoopWatch = attrs.field(factory=LoopWatch)
    group: Group = attrs.field(factory=Group)
    started_at: str = attrs.field(factory=now_text)

    def profile_of(self, tab: Tab) -> str:
        """The name that the person has given the tab's browser profile in the extension; "" if none."""
        return self.extensions.profiles.get(tab.identity.instance, "") if kind_of(tab) == "extension" else ""

    @property
    def owners(self) -> Owners:
        """Whose its tabs are."""
        return self.consent.owners
