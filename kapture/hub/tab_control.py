"""The Console's control of a connected tab: disconnect it, take away a part of its grant, or ask its person for
another one.

The Console is a client and widens no grant: a tab's person does, in the browser or on the command line.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

import trio

from kapture.commands.core.registry import Access
from kapture.commands.emulation import end_emulation
from kapture.errors import ErrorCode, KaptureError
from kapture.hub.client import Client
from kapture.hub.consent import address_of
from kapture.hub.elsewhere import taken_from_group
from kapture.hub.extensions import Extension, Outcome
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.policy import Grant
from kapture.policy.grant import is_narrower
from kapture.wire import extension_messages

logger = logging.getLogger(__name__)


def apply_grant(state: HubState, tab: Tab, grant: Grant | None) -> None:
    """The tab has this grant from now on."""
    before = tab.grant
    state.consent.change_grant(tab, grant)
    end_beyond_grant(state, tab)
    page = tab.backend.current_page if tab.backend is not None else None
    if page is not None and is_narrower(grant, before):
        page.memory.forget("events")  # of raw ones nothing says to which documents they belong
    state.events.publish("grant_changed", tab.tab_id)


def set_for_group(state: HubState, tab: Tab, wanted: bool) -> None:
    """The tab is, or is not, for the agents of the hub's group from now on; what they run on it or wait for ends."""
    if tab.for_group == wanted:
        return
    tab.for_group = wanted
    if not wanted:
        tab.fail_of(lambda client: client.from_group, taken_from_group(tab.tab_id))
    state.events.publish("grant_changed", tab.tab_id)


def end_beyond_grant(state: HubState, tab: Tab) -> None:
    """End what needs a higher level than the tab has: mocked responses, emulation, what raw commands have set, network
    conditions, accepting dialogs, recording. A tab that cannot be told of one, because it reads too slowly, is told of
    the others."""
    level = Access.NONE if tab.grant is None else tab.grant.level
    page = tab.backend.current_page if tab.backend is not None else None
    ends: list[Callable[[], None]] = []
    if page is not None and level < Access.FULL:
        ends += [page.routes.end, partial(end_emulation, page), page.client_settings.end]
    if page is not None and level < Access.INTERACT:
        page.dialogs.policy = "ask"
        ends.append(page.network_conditions.end)
    if state.recorder is not None and level < Access.INTERACT:
        ends.append(partial(state.recorder.end, tab.tab_id))
    for end in ends:
        try:
            end()
        except KaptureError as error:
            logger.warning("Tab %s: what its grant does not cover any more may be in force: %s", tab.tab_id, error)


_LEAVES_S = 5.0
"""Seconds that a tab may take to disconnect."""
_ANSWER_S = 120.0
"""Seconds that the person has to answer."""


_GRANTED_BY = {
    "launch": (
        "`kapture launch` or `kapture serve --fallback launch`",
        "run `kapture launch --level read|interact|full --sites SITE,…` anew",
    ),
    "attach": (
        "`kapture attach`",
        "run `kapture attach --level read|interact|full --sites SITE,… ENDPOINT` anew",
    ),
    "relay": ("`kapture serve --relay`", "limit it with a policy file (policy.toml in the data folder)"),
}
"""By kind of tab: the command whose flags are the grant, and how to change it."""


class TabControl:
    """Controls the tabs of one hub. A tab's person is asked one question at a time."""

    def __init__(self, state: HubState) -> None:
        self._state = state
        self._asking: set[str] = set()  # ids of tabs

    def possible(self, tab: Tab) -> bool:
        """Whether the tab can be disconnected here, by its browser's extension or by the hub itself."""
        return _let_go(tab) is not None or self._extension(tab) is not None

    async def disconnect(self, tab_id: str) -> None:
        """Disconnect a tab, which stays open. `COMMAND_TIMEOUT` when its browser does not do it."""
        if (let_go := _let_go(tab := self._state.router.find(tab_id))) is not None:
            let_go()
        else:
            tab, extension = self._find(tab_id)
            extension.disconnect_tab(tab_id)
        with trio.move_on_after(_LEAVES_S):
            while self._state.router.connected.get(tab_id) is tab:
                await self._state.events.published.wait()
            return
        raise KaptureError(
            ErrorCode.COMMAND_TIMEOUT,
            f"The browser has not disconnected tab {tab_id} within {_LEAVES_S:g} s.",
            hint="Disconnect it in the Kapture panel or popup of the browser.",
        )

    async def request_grant(self, client: Client, tab_id: str) -> Outcome:
        """Ask the tab's person to change its grant. `tab`: they have; the tab sends its new grant itself."""
        tab, extension = self._find(tab_id)
        if tab_id in self._asking:
            raise KaptureError(
                ErrorCode.QUEUE_FULL,
                f"The person of tab {tab_id} is being asked already.",
                hint="Answer that question in the browser.",
            )
        request = extension_messages.TabRequest(
            id="", reason="", expires_ms=_ANSWER_S * 1_000, client=client.display_name, tab_id=tab_id
        )
        recorded = "withdrawn"
        self._asking.add(tab_id)
        try:
            decision: Outcome = "unanswered"
            with trio.move_on_after(_ANSWER_S):
                decision = (await extension.request_tab(request)).decision
            recorded = decision
            return decision
        finally:
            self._asking.discard(tab_id)
            url = address_of(tab).url
            self._state.records.tab_requested("change_grant", client, url=url, decision=recorded, tab_id=tab_id)

    def narrow_grant(self, client: Client, tab_id: str, grant: Grant) -> None:
        """Take away sites of a tab's grant, or lower its level, at once. `POLICY_DENIED` where that would widen it."""
        tab = self._state.router.find(tab_id)
        extension = None if tab.identity.kind in _GRANTED_BY else self._find(tab_id)[1]
        if extension is not None and not extension.narrows_grants:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                f"The Kapture extension that tab {tab_id} is in cannot have access taken away here.",
                hint="Update the extension, or change the access in its panel or popup.",
            )
        if tab.grant is None or not grant.within(tab.grant):
            raise KaptureError(
                ErrorCode.POLICY_DENIED,
                f"Access can only be taken away here; {grant} is not a part of {tab.grant or 'nothing'}.",
                hint="To allow more, ask the tab's person, with Change access.",
                data={"tabId": tab_id},
            )
        apply_grant(self._state, tab, grant)
        if extension is None:
            self._state.command_line_grants.keep(tab_id, grant)
        else:
            self._state.unconfirmed_grants.add(tab_id, grant)
            extension.narrow_grant(tab_id, grant)
        url = address_of(tab).url
        self._state.records.tab_requested("narrow_grant", client, url=url, decision="tab", tab_id=tab_id)

    def _find(self, tab_id: str) -> tuple[Tab, Extension]:
        tab = self._state.router.find(tab_id)
        if (kind := tab.identity.kind) in _GRANTED_BY:
            granted_by, change = _GRANTED_BY[kind]
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                f"The access of tab {tab_id} was given on the command line: by {granted_by}.",
                hint=f"To change it, {change}.",
                data={"tabId": tab_id},
            )
        extension = self._extension(tab)
        if extension is None:
            raise KaptureError(
                ErrorCode.UNSUPPORTED,
                f"Tab {tab_id} is in no browser whose Kapture extension can be asked.",
                hint="Update the extension, or close the tab.",
            )
        return tab, extension

    def _extension(self, tab: Tab) -> Extension | None:
        owner = tab.backend.owner if tab.backend is not None else ""
        extension = self._state.extensions.connected.get(owner) if owner else None
        return extension if extension is not None and extension.controls_tabs else None


def _let_go(tab: Tab) -> Callable[[], None] | None:
    return tab.backend.let_go if tab.backend is not None else None
