"""Registration of tabs: their backend, id, grant and events; and serving those without a socket of their own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

import msgspec
import trio

from kapture.backends.backend import left_error
from kapture.backends.cdp_tab import CdpTab
from kapture.backends.extension.extension import ExtensionBackend
from kapture.backends.outbox import Outbox
from kapture.backends.remote import RemoteBackend
from kapture.errors import KaptureError
from kapture.hub.consent import grant_of
from kapture.hub.extensions import Extension
from kapture.hub.standing import check_standing
from kapture.hub.state import HubState
from kapture.hub.tab_control import end_beyond_grant, set_for_group
from kapture.hub.tabs.listener import HubListener
from kapture.hub.tabs.tab import UNVOUCHED, Identity, Tab, kind_of_identity
from kapture.pairing.access import Door, Who
from kapture.policy import Grant
from kapture.wire import messages

TabBackend: TypeAlias = ExtensionBackend | RemoteBackend
"""The backends of tabs that register over a socket."""


def register_tab(
    state: HubState,
    register: messages.Register,
    kind: str,
    outbox: Outbox,
    nursery: trio.Nursery,
    on_replaced: Callable[[], None],
) -> tuple[Tab, TabBackend]:
    """Register the tab; a `KaptureError` refuses it. `on_replaced` is called when a newer socket takes over."""
    identity = Identity(kind=kind, instance=register.browser.instance if register.browser is not None else "")
    if register.opener is not None and not state.owners.returned(register.tab_id):
        state.owners.check_room_beside(register.opener)
    vouched = kind_of_identity(identity) not in UNVOUCHED
    if not vouched and state.last_seen.was_connected(register.tab_id):
        raise state.router.refuse(register.tab_id, "it belonged to a browser's tab")
    if register.opener is not None and not _opened_by(state, register.opener, identity, vouched=vouched):
        register = msgspec.structs.replace(register, opener=None)
    has_person = Door.PANEL.admits(Who(kind))
    if not has_person:
        register = msgspec.structs.replace(register, standing=None)
    check_standing(state, register.standing)
    grant = grant_of(register, open_port=state.settings.no_pairing and kind != "extension")
    backend: TabBackend
    if "cdp" in register.capabilities:
        backend = ExtensionBackend(register, outbox, state.open_page)
    else:
        backend = RemoteBackend(register, outbox)
    backend.vouched = vouched
    if not has_person:  # a program would answer, with words that pass for a person's
        backend.hands_over = None
    if register.browser is not None and kind_of_identity(identity) == "extension":
        state.extensions.profiles.setdefault(identity.instance, register.browser.profile)
    tab = state.router.register(backend, identity, on_replaced)
    tab.bond = register.standing
    set_for_group(state, tab, register.group and has_person)
    if tab.bond is not None and tab.registered == 1:
        state.records.standing("connect", tab.bond, url=register.url, tab_id=tab.tab_id)
    tab.grant = _grant_left(state, tab.tab_id, register.opener, backend.owner, grant)
    end_beyond_grant(state, tab)
    grace_ms = state.settings.limits.dialog_grace_ms
    backend.listener = HubListener(nursery, tab, backend, grace_ms, state.events.publish)
    backend.ended_commands.schedule = state.ended_batches.add
    return tab, backend


def _opened_by(state: HubState, opener: str, identity: Identity, *, vouched: bool) -> bool:
    """Whether a tab that registers may say that this one has opened it: another tab of its browser. What a tab opens
    is taken for what the command before has opened, and a run of a scenario goes on in it."""
    known = next((tab for tab in state.router if tab.tab_id == opener), None)
    return vouched if known is None else known.identity.allows(identity, connected=True)


def _grant_left(
    state: HubState, tab_id: str, opener: str | None, instance: str, reported: Grant | None
) -> Grant | None:
    """The grant of a tab that registers. An extension that has not confirmed a narrower one is sent it again."""
    pending = state.unconfirmed_grants
    pending.opened(tab_id, opener)
    grant = pending.reported(tab_id, reported)
    extension = state.extensions.connected.get(instance)
    if extension is not None and (left := pending.left(tab_id)) is not None:
        extension.narrow_grant(tab_id, left)
    return grant


def narrow_again(state: HubState, extension: Extension) -> None:
    """Send an extension that has connected what it has not confirmed: its socket before may have been lost first."""
    for tab_id, tab in state.router.connected.items():
        left = state.unconfirmed_grants.left(tab_id)
        if left is not None and tab.backend is not None and tab.backend.owner == extension.browser.instance:
            extension.narrow_grant(tab_id, left)


def announce_tab(state: HubState, tab: Tab, opener_id: str | None) -> None:
    """Notify the tab that opened this one, the recorder, and all listeners, that it is connected."""
    opener = state.router.connected.get(opener_id) if opener_id is not None else None
    if opener is not None and opener.backend is not None:
        opener.backend.child_opened(tab.tab_id)
        if state.recorder is not None and tab.registered == 1:
            state.recorder.child_opened(opener.tab_id, tab.tab_id)
    _give_to_owner(state, tab, opener)
    state.events.publish("tab_connected", tab.tab_id)


def show_owner(state: HubState, tab_id: str) -> None:
    """Show people whose tab it is now."""
    tab, owner = state.router.connected.get(tab_id), state.owners.of(tab_id)
    if tab is not None and tab.panel is not None:
        tab.panel.show_owner(None if owner is None else {**owner.shown(), "session": owner.session[:8]})


def _give_to_owner(state: HubState, tab: Tab, opener: Tab | None) -> None:
    """A new tab is its opener's owner's; of an opener that is nobody's, that of the client whose command runs there."""
    known = state.owners.returned(tab.tab_id) or tab.registered > 1 or state.last_seen.was_connected(tab.tab_id)
    show_owner(state, tab.tab_id)
    if known or opener is None or state.owners.inherit(opener.tab_id, tab.tab_id):
        return
    if (running := opener.running) is not None and not running.command.read_only:
        state.owners.own(running.client, tab.tab_id)


logger = logging.getLogger(__name__)


async def serve_direct_tab(
    state: HubState, backend: CdpTab, *, kind: str, grant: Grant, for_group: bool = False
) -> None:
    """Serve one tab until it is gone or its browser is disconnected. Never raises: other tabs go on.

    `kind` says how its browser was connected: `launch`, `attach` or `relay`.
    """
    identity = Identity(kind=kind, instance=backend.owner)
    try:
        tab = state.router.register(backend, identity, backend.gone.set)
        set_for_group(state, tab, for_group)
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
    tab.grant = state.command_line_grants.of(tab.tab_id, backend.opener, grant)
    async with trio.open_nursery() as nursery:
        grace_ms = state.settings.limits.dialog_grace_ms
        backend.listener = HubListener(nursery, tab, backend, grace_ms, state.events.publish)
        announce_tab(state, tab, backend.opener)
        nursery.start_soon(backend.serve, state.consent.gate(tab))
        await backend.gone.wait()
        nursery.cancel_scope.cancel()
