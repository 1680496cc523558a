"""Which tab a call without a tabId goes to: by the preferred kind of backend, and by which tab answers.

Chosen anew for each call; a running command keeps its tab.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import trio

from kapture.backends.backend import Backend
from kapture.backends.chromium.launch import has_display
from kapture.commands.core.registry import Command, Scope
from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.hub.browsers import Browsers, LaunchOptions, OpenBrowser
from kapture.hub.client import Client
from kapture.hub.consent import EVERYTHING, address_of
from kapture.hub.elsewhere import Elsewhere
from kapture.hub.no_tab import why_no_tab
from kapture.hub.owners import same_name
from kapture.hub.state import HubState
from kapture.hub.tabs.tab import UNVOUCHED, Tab, kind_of
from kapture.policy.redact import site_for_log

PROBE_MS = 800
logger = logging.getLogger(__name__)

_TRIES = 3  # tabs of one kind that are probed
_LISTED_TABS = 20

_ORDER: Mapping[str, tuple[str, ...]] = {
    "extension": ("extension", "relay", "attach", "launch", "open"),
    "launch": ("launch", "extension", "relay", "attach", "open"),
    "attach": ("attach", "extension", "relay", "launch", "open"),
}


class Choice:
    """Chooses tabs for one hub. `nursery` runs the browser that is launched when no tab answers."""

    def __init__(self, state: HubState, browsers: Browsers, nursery: trio.Nursery) -> None:
        self._state = state
        self._browsers = browsers
        self._nursery = nursery
        self.open_in_relay: Callable[[], Awaitable[str | None]] | None = None
        """Opens an empty tab in a browser behind a relay; returns None when no such browser is connected."""
        self._launching = trio.Lock()
        self._launched: OpenBrowser | None = None

    @property
    def falls_back(self) -> bool:
        """Whether a browser is launched when no tab answers."""
        return self._state.settings.fallback == "launch"

    @property
    def own_tabs(self) -> frozenset[str]:
        """The tabs of the browser that was launched as a fallback: they do not keep the hub running."""
        return frozenset() if self._launched is None else frozenset(tab.tab_id for tab in self._launched.browser.tabs)

    def candidates(self, client: Client | None = None) -> Mapping[str, Tab]:
        """The connected tabs that a call may go to that names none, by id; without those of others than `client`."""
        connected = self._state.router.connected
        if client is not None:
            may_use = self._state.owners.may_use
            connected = {tab_id: tab for tab_id, tab in connected.items() if may_use(client, tab_id)}
        vouched = {tab_id: tab for tab_id, tab in connected.items() if kind_of(tab) not in UNVOUCHED}
        return vouched or {tab_id: tab for tab_id, tab in connected.items() if kind_of(tab) == "open"}

    def elsewhere(self, client: Client, tab_id: str | None) -> Elsewhere | None:
        """The other machines of the group, if a call for this tab may be one of theirs; `INVALID_PARAMS` if it is not
        known whose tab is meant."""
        elsewhere = None if tab_id is None else self._state.group.of(client)
        if elsewhere is None or tab_id is None:
            return None
        if (tab := self._state.router.known(tab_id)) is None:
            return elsewhere
        if kind_of(tab) in UNVOUCHED and elsewhere.has_seen(tab_id):  # whose program chooses its id
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"A program here and another machine have a tab {tab_id[:128]!r}: it is not known which one is meant.",
                hint="Ask the person which of them to close.",
                data={"parameter": "tabId"},
            )
        return None

    async def name_tab(self, client: Client, command: Command, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Add the tabId to the arguments; it may be left out while exactly one tab is connected, not counting those of
        the kind `token`, which are never chosen."""
        if command.scope is not Scope.TAB:
            return arguments
        named = arguments.get("tabId") or None
        if self._state.last_seen.waits and named not in self._state.router.connected:
            await self._state.last_seen.tabs_back()
        if named is not None:
            return arguments
        tabs = self.candidates(client)
        if (browser := arguments.get("browser")) and isinstance(browser, str):
            tabs = {tab_id: tab for tab_id, tab in tabs.items() if same_name(self._state.profile_of(tab), browser)}
            if not tabs:
                raise KaptureError(
                    ErrorCode.NO_BACKEND,
                    f"No tab of the browser {browser[:100]} that you may use is connected.",
                    hint=Wording("Ask the person for one: {request_tab} with the same browser."),
                )
        if len(tabs) == 1:
            return {**arguments, "tabId": next(iter(tabs))}
        if not tabs:
            elsewhere = None if self.falls_back else self._state.group.of(client)
            rows = [] if elsewhere is None else await elsewhere.rows(client)
            rows = [row for row in rows if row["own"] or row["owner"] is None]
            if len(rows) == 1:
                return {**arguments, "tabId": rows[0]["tabId"]}
            if not rows:
                return {**arguments, "tabId": await self.tab(client=client)}
            urls = {str(row["tabId"]): str(row["url"]) for row in rows}
        else:
            urls = {tab_id: address_of(tab).url for tab_id, tab in tabs.items()}
        # Origins only: a title would be unmarked page text in the model's context.
        sites = {tab_id: site_for_log(url) or "no page" for tab_id, url in urls.items()}
        some = ", ".join(f"{tab_id} ({site})" for tab_id, site in list(sites.items())[:_LISTED_TABS])
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            f"{len(sites)} tabs are connected: {command.name} needs a tabId.",
            hint=f"The tabs are {some}{', …' if len(sites) > _LISTED_TABS else ''}.",
            data={"missing": "tabId", "tabs": [{"tabId": tab_id, "site": site} for tab_id, site in sites.items()]},
        )

    async def tab(self, current: str | None = None, client: Client | None = None) -> str:
        """The id of the tab to use, `current` before others of its kind, then those of `client`; `NO_BACKEND` if there
        is none, `TAB_BUSY` if all are others'."""
        order = _ORDER[self._state.settings.prefer]
        tabs = list(self.candidates(client).values())
        only_one_kind = len({kind_of(tab) for tab in tabs}) == 1 and not self.falls_back
        for kind in order:
            candidates = [tab for tab in tabs if kind_of(tab) == kind]
            candidates.sort(key=lambda tab: (tab.tab_id != current, not self._own(client, tab), -tab.connected_at))
            for tab in candidates[:_TRIES]:
                if only_one_kind or (tab.backend is not None and await _answers(tab.backend)):
                    return tab.tab_id
        if self.falls_back and (client is None or not client.share):  # no browser is started from afar
            return await self._launch()
        if tabs:
            raise silent_tabs()
        for tab_id, tab in self._state.router.connected.items():
            if client is not None and kind_of(tab) not in UNVOUCHED:
                self._state.owners.check(client, tab_id)
        raise (
            _only_by_id(others)
            if (others := list(self._state.router.connected))
            else why_no_tab(self._state, client).error()
        )

    def _own(self, client: Client | None, tab: Tab) -> bool:
        return client is not None and self._state.owners.owns(client, tab.tab_id)

    def likely(self, client: Client | None = None) -> str | None:
        """The id of the tab that a call without one goes to if every tab answers; None if there is none."""
        order = _ORDER[self._state.settings.prefer]
        tabs = sorted(
            self.candidates(client).values(),
            key=lambda tab: (order.index(kind_of(tab)), not self._own(client, tab), -tab.connected_at),
        )
        return tabs[0].tab_id if tabs else None

    def named(self, tab_id: str) -> str:
        """The tab id for an id that may be the browser's own number of a tab, which tabs behind a relay have.

        Tabs that are gone count: their number never leads to the tab of another browser that has the same one.
        """
        if not tab_id.isdigit() or tab_id in self._state.router.connected:
            return tab_id
        found = self._state.router.numbered(tab_id)
        if len(found) > 1:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                f"Several browsers have or had a tab {tab_id}: {', '.join(found[:_LISTED_TABS])}.",
                hint="Name it by its whole id.",
                data={"parameter": "tabId", "tabs": found[:_LISTED_TABS]},
            )
        return found[0] if found else tab_id

    def short(self, tab_id: str) -> str | int:
        """The browser's own number of a tab behind a relay, if only one such browser is or was connected; else the
        whole id."""
        number, _, word = tab_id.partition(".")
        return int(number) if word and word == self._state.router.relay_word and number.isdigit() else tab_id

    async def check_any(self) -> None:
        """`NO_BACKEND` at once if no tab is connected; just after the hub's start, after those that are about to
        reconnect had the time for it."""
        await self._state.last_seen.tabs_back()
        if not self._state.router.connected and self._state.group.elsewhere is None:
            raise why_no_tab(self._state).error()

    async def new_tab(self, client: Client) -> str:
        """The id of a new empty tab, behind a relay, where it is the client's, or in a browser that is launched;
        `NO_BACKEND` if neither is possible."""
        if self.open_in_relay is not None and (tab_id := await self.open_in_relay()) is not None:
            await self._state.router.wait_connected(tab_id)
            self._state.owners.own(client, tab_id)
            return tab_id
        return await self.tab(client=client)

    async def _launch(self) -> str:
        async with self._launching:
            if self._launched is None or self._launched.ended.is_set() or not self._launched.browser.tabs:
                self._launched = await self._nursery.start(self._run)
            assert self._launched is not None  # noqa: S101  started above, or there before
            return self._launched.browser.tabs[-1].tab_id

    async def _run(self, *, task_status: trio.TaskStatus[OpenBrowser]) -> None:
        """Run the fallback browser until its last tab is closed or it ends; a failure to start is raised by `start`."""
        started = False
        options = LaunchOptions(headless=not has_display(), profile=self._state.settings.fallback_profile)
        try:
            async with self._browsers.launched(options, EVERYTHING) as opened:
                started = True
                task_status.started(opened)
                while opened.browser.tabs and not opened.ended.is_set():
                    await opened.browser.tabs_changed.wait()
        except Exception as error:
            if not started:
                raise
            logger.warning("The browser that was launched on demand is lost: %s", error)


async def _answers(backend: Backend) -> bool:
    """Whether a tab answers a probe within `PROBE_MS`."""
    with trio.move_on_after(PROBE_MS / 1_000):
        try:
            await backend.probe()
        except KaptureError:
            return False
        return True
    return False


def _only_by_id(tabs: Sequence[str]) -> KaptureError:
    """`NO_BACKEND`: all connected tabs are of the kind `token`."""
    return KaptureError(
        ErrorCode.NO_BACKEND,
        "Only tabs that a program has registered with the client token are connected. They are used by their id alone.",
        hint=f"Ask the person to connect a tab, or name one by tabId: {', '.join(tabs[:_LISTED_TABS])}.",
        data={"state": "token_tabs_only", "tabs": list(tabs[:_LISTED_TABS])},
    )


def silent_tabs() -> KaptureError:
    """`NO_BACKEND`: tabs are connected, but none of them answers."""
    return KaptureError(
        ErrorCode.NO_BACKEND,
        f"No connected tab answered within {PROBE_MS} ms.",
        hint="Ask the person to look at the tab and to connect it again, or to run `kapture launch`.",
        data={"state": "tabs_silent"},
    )
