"""Standing grants as the hub sees them: the extension makes and keeps them, and policy may forbid them.

The hub tells the extension which clients are connected, refuses tabs that policy does not allow to connect by
themselves, and keeps other clients from tabs that are for one client. A client is known by the name that it gives
itself: docs/SECURITY.md says what that is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import trio
from msgspec import UNSET

from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.extensions import Extension
from kapture.hub.state import HubState
from kapture.wire import extension_messages

_MOST_NAMES = 100
_REVOKED_S = 5.0
"""Seconds that an extension may take to revoke a grant."""


def check_standing(state: HubState, bond: extension_messages.Bond | None) -> None:
    """`POLICY_DENIED` for a tab that registers by a standing grant where policy allows none."""
    if bond is not None and not state.consent.policy.rules.consent.standing:
        raise KaptureError(
            ErrorCode.POLICY_DENIED,
            "The policy file allows no standing grants (consent.standing = false).",
            hint="Press Connect, for this tab alone.",
        )


def note_standing(state: HubState, extension: Extension, grants: Sequence[extension_messages.StandingGrant]) -> None:
    """The extension has listed its standing grants; audit which it has made, and which have ended."""
    before, extension.standing = extension.standing, tuple(grants)
    if before is not None:
        for grant in grants:
            if grant not in before:
                state.records.standing("standing_grant", grant)
        for grant in before:
            if all(one.id != grant.id for one in grants):
                state.records.standing("standing_grant", grant, outcome="ended")
    state.events.publish("browsers_changed")


async def tell_clients(state: HubState, extension: Extension) -> None:
    """Keep the extension informed of the clients that are connected, and of open shares, until cancelled."""
    told: extension_messages.Clients | None = None
    while extension.keeps_standing:
        upcoming = state.events.published.upcoming
        names = sorted({client.known_as for client in state.clients if not client.is_person and client.name})
        elsewhere = state.group.elsewhere
        clients = extension_messages.Clients(
            names=names[:_MOST_NAMES],
            standing=state.consent.policy.rules.consent.standing,
            group=elsewhere.name if elsewhere is not None else UNSET,
            shares=state.shares.rows() or UNSET,
        )
        if clients != told:
            told = clients
            extension.tell_clients(clients)
        await upcoming.wait()


def standing_rows(state: HubState) -> list[dict[str, Any]]:
    """The standing grants of the browsers that are connected."""
    return [
        {
            "id": grant.id,
            "sites": grant.sites,
            "level": grant.level,
            "client": grant.client,
            "group": grant.group,
            "until": grant.until,
            "browser": f"{extension.browser.name} {extension.browser.version}".strip(),
        }
        for extension in _keeping(state)
        for grant in extension.standing or ()
    ]


async def revoke_standing(state: HubState, grant_id: str, client: Client) -> None:
    """Have a standing grant revoked; returns once its extension no longer lists it."""
    holder = next((one for one in _keeping(state) if any(grant.id == grant_id for grant in one.standing or ())), None)
    if holder is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"No browser that is connected has a standing grant {grant_id}.",
            hint="`kapture grants` lists them; those of a browser that is not running are in its options.",
        )
    holder.revoke(grant_id)
    with trio.move_on_after(_REVOKED_S):
        while any(grant.id == grant_id for grant in holder.standing or ()):
            await state.events.published.wait()
        state.records.tab_requested("revoke_grant", client, url=None, decision="tab", tab_id=None)
        return
    raise KaptureError(
        ErrorCode.COMMAND_TIMEOUT,
        f"The browser has not revoked the grant within {_REVOKED_S:g} s.",
        hint="Revoke it in the Kapture options of that browser.",
    )


def _keeping(state: HubState) -> Sequence[Extension]:
    return [extension for extension in state.extensions.connected.values() if extension.keeps_standing]
