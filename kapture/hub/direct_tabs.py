"""Tabs that the hub reaches over the CDP connection of their browser: registered, served, and removed."""

from __future__ import annotations

import logging

import trio

from kapture.backends.cdp_tab import CdpTab
from kapture.backends.disconnect_reasons import left_error
from kapture.errors import KaptureError
from kapture.hub.state import HubState
from kapture.hub.tab_registration import announce_tab
from kapture.hub.tabs.listener import HubListener
from kapture.hub.tabs.tab import Identity, Tab
from kapture.policy import Grant

logger = logging.getLogger(__name__)


async def serve_direct_tab(state: HubState, backend: CdpTab, *, kind: str, grant: Grant) -> None:
    """Serve one tab until it is gone or its browser is disconnected. Never raises: other tabs go on.

    `kind` says how its browser was connected: `launch`, `attach` or `relay`.
    """
    identity = Identity(kind=kind, instance=backend.owner)
    try:
        tab = state.router.register(backend, identity, backend.gone.set)
    except KaptureError as error:
        logger.warning("A tab is not served: %s", error)
        backend.close(error)
        return
    try:
        await _serve(state, backend, tab, grant)
    except* KaptureError as group:
        logger.warning("Tab %s is out of reach: %s", tab.tab_id, group.exceptions)
    except* Exception:
        logger.exception("Tab %s is given up because of a bug in Kapture.", tab.tab_id)
    finally:
        lost = left_error(tab.tab_id, backend.why_left, "while this ran; it may have taken effect")
        state.router.unregister(tab, backend, lost, left=backend.leaving)
        backend.close(lost)


async def _serve(state: HubState, backend: CdpTab, tab: Tab, grant: Grant) -> None:
    tab.grant = state.narrowed.of(tab.tab_id, backend.opener, grant)
    async with trio.open_nursery() as nursery:
        grace_ms = state.settings.limits.dialog_grace_ms
        backend.listener = HubListener(nursery, tab, backend, grace_ms, state.events.publish)
        announce_tab(state, tab, backend.opener)
        nursery.start_soon(backend.serve, state.consent.gate(tab))
        await backend.gone.wait()
        nursery.cancel_scope.cancel()
