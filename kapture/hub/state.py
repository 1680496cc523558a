"""The parts of one hub, shared by calls, sessions and status. `kapture.hub.hub` assembles them."""

from __future__ import annotations

import attrs

from kapture.backends.ended_commands import EndedBatches
from kapture.backends.tab_page import OpenPage
from kapture.commands.core.context import ScenarioLibrary
from kapture.commands.core.recorder import RecorderView
from kapture.hub.activity import now_text
from kapture.hub.clients import Clients
from kapture.hub.events import Events
from kapture.hub.extensions import Extensions
from kapture.hub.grants.consent import Consent
from kapture.hub.grants.narrowed_grants import NarrowedGrants
from kapture.hub.grants.pending_narrowings import PendingNarrowings
from kapture.hub.last_seen import LastSeen
from kapture.hub.loop_watch import LoopWatch
from kapture.hub.records.memory import HubMemory
from kapture.hub.records.records import Records
from kapture.hub.sockets.handshake import Secrets
from kapture.hub.tabs.router import Router
from kapture.settings import Settings


@attrs.frozen(kw_only=True)
class HubState:
    """The parts of one hub. `started_at` is in ISO 8601. `lost_endpoints`: of attached browsers whose connection is
    being made again, by the owner of their tabs' ids."""

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
    pending_narrowings: PendingNarrowings
    recorder: RecorderView | None = None
    scenarios: ScenarioLibrary | None = None
    extensions: Extensions = attrs.field(factory=Extensions)
    ended_batches: EndedBatches = attrs.field(factory=EndedBatches)
    narrowed: NarrowedGrants = attrs.field(factory=NarrowedGrants)
    lost_endpoints: dict[str, str] = attrs.field(factory=dict)
    loop: LoopWatch = attrs.field(factory=LoopWatch)
    started_at: str = attrs.field(factory=now_text)
