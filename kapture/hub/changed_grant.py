"""A person has changed the grant of a connected tab: calls that run are judged anew, and so is what earlier ones have
left in force on the tab, or collected there.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from kapture.commands.core.registry import Access
from kapture.commands.emulation import end_emulation
from kapture.errors import KaptureError
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import Tab
from kapture.policy import Grant
from kapture.policy.grant import is_narrower

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
