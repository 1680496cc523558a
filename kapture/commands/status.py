"""The state of the hub."""

from __future__ import annotations

import attrs

from kapture.commands.core.context import HubContext
from kapture.commands.core.registry import Access, Lane, Scope, command
from kapture.commands.formatters.status import HubStatus


@attrs.frozen(kw_only=True)
class Status:
    """Show the state of the hub: tabs, queues, last errors, versions."""


@command("status", access=Access.NONE, scope=Scope.HUB, lane=Lane.CONTROL, idempotent=True, open_world=False)
async def status(hub: HubContext, params: Status) -> HubStatus:
    """Ask the hub."""
    return HubStatus(status=dict(hub.hub.status()))
