"""The sessions of one script, the tabs that it holds through them, and its auto-attaching.

Each session is announced on its parent: the browser (None), another session of the browser, or a tab's session.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

import attrs
import trio

from kapture.cdp.target_filter import DEFAULT_FILTER, Filter, passes
from kapture.endpoints.cdp.downloads import ScriptDownloads
from kapture.endpoints.cdp.messages import PageTarget, Replies, browser_info
from kapture.endpoints.cdp.page_session import HeldTab, PageSession
from kapture.errors import DialogOpen, ErrorCode, KaptureError
from kapture.hub import Client, Hub
from kapture.hub.holding import Hold
from kapture.hub.tabs.tab import Tab, busy_error

_TURN_COMES_S = 5.0
"""How long auto-attaching waits for busy tabs before it is answered; they are attached once they are free."""


@attrs.frozen
class BrowserSession:
    """A session of the browser itself."""

    session_id: str
    parent: str | None


@attrs.frozen
class TabSession:
    """A session of the `tab` target around a page, which can do nothing but attach to the page."""

    session_id: str
    parent: str | None
    target: PageTarget


class Attachments:
    """`find` returns the tab of a target. Tabs are held in this nursery."""

    def __init__(
        self,
        hub: Hub,
        client: Client,
        replies: Replies,
        nursery: trio.Nursery,
        downloads: ScriptDownloads,
        find: Callable[[PageTarget], Tab | None],
    ) -> None:
        self._hub = hub
        self._client = client
        self._replies = replies
        self._nursery = nursery
        self._downloads = downloads
        self._find = find
        self._held: dict[str, HeldTab] = {}  # by tab id
        self._sessions: dict[str, BrowserSession | TabSession | PageSession] = {}
        self._auto: dict[str | None, Filter] = {}  # by the session that attaches
        self._waits: set[str | None] = set()  # likewise: for those that want new targets paused
        self._attaching: dict[tuple[str | None, str], trio.Event] = {}  # by the same session, and the target
        self._blocked: dict[tuple[str | None, str], KaptureError] = {}  # likewise: the dialog that is open in the tab

    def session(self, session_id: str) -> BrowserSession | TabSession | PageSession | None:
        """The session with this id; for sessions of frames and workers that of their page."""
        found = self._sessions.get(session_id)
        if found is not None:
            return found
        pages = (one for one in self._sessions.values() if isinstance(one, PageSession))
        return next((page for page in pages if page.owns(session_id)), None)

    def holds(self, tab_id: str) -> bool:
        """Whether the script holds a tab."""
        held = self._held.get(tab_id)
        return held is not None and held.hold is not None

    def held(self, tab_id: str) -> HeldTab | None:
        """The tab, if the script holds it."""
        return self._held[tab_id] if self.holds(tab_id) else None

    def any_held(self) -> HeldTab | None:
        """One of the tabs that the script holds; None if it holds none."""
        return next((held for held in self._held.values() if held.hold is not None), None)

    def page_sessions(self) -> list[PageSession]:
        """One session of each tab that the script holds."""
        return [next(iter(held.sessions.values())) for held in self._held.values() if held.sessions]

    def attached(self, target_id: str) -> bool:
        """Whether the script has a session for this target."""
        return any(
            (isinstance(one, PageSession) and one.target_id == target_id)
            or (isinstance(one, TabSession) and one.target.tab_target_id == target_id)
            for one in self._sessions.values()
        )

    def attach_to_browser(self, parent: str | None) -> str:
        """Create a session of the browser; returns its id."""
        session = BrowserSession(_new_id(), parent)
        self._announce(session, browser_info())
        return session.session_id

    async def attach(self, target: PageTarget, kind: str, parent: str | None, *, wait: bool = True) -> str:
        """Create a session of a tab's target; returns its id. `wait`: until another script leaves; else `TAB_BUSY`."""
        if kind == "tab":
            around = TabSession(_new_id(), parent, target)
            self._announce(around, target.info("tab", attached=True))
            return around.session_id
        tab = self._find(target)
        if tab is None:
            raise KaptureError(ErrorCode.TAB_NOT_FOUND, "No target with given id found.")
        if tab.script is not None and not wait and not self.holds(tab.tab_id):
            raise busy_error(tab.tab_id, tab.script)
        held, hold = await self._hold(tab)
        pauses = lambda: bool(self._waits)  # noqa: E731
        session = PageSession(_new_id(), target.target_id, parent, hold, self._replies, self._downloads, pauses)
        waits = session.new and session.pauses_popups()
        await held.start(session)
        self._announce(session, target.info("page", attached=True), waits=waits)
        return session.session_id

    async def _hold(self, tab: Tab) -> tuple[HeldTab, Hold]:
        """Wait until the script holds the tab: a hold that is ending gets no more sessions."""
        while True:
            held = self._held.get(tab.tab_id)
            if held is None:
                held = self._held[tab.tab_id] = HeldTab(self._hub, self._client, tab, self._hold_ended)
                self._nursery.start_soon(held.run)
            hold = await held.ready()
            if hold is not None and not held.ending:
                return held, hold
            await held.ended.wait()

    def detach(self, session_id: str) -> bool:
        """End a session that the script has attached. Returns whether there was one."""
        session = self._sessions.get(session_id)
        if session is None:
            return False
        self._drop(session)
        if isinstance(session, PageSession) and (held := self._held.get(session.hold.tab.tab_id)) is not None:
            held.end(session)
        return True

    async def auto_attach(
        self, parent: str | None, filters: Filter | None, targets: list[PageTarget], *, waits: bool
    ) -> None:
        """Attach to these and all later targets; returns when that is done, or a tab stays busy. `waits`: popups are
        paused until the script resumes them.

        On a tab's session, attach only to the tab's own page. A tab is attached to once its dialog is answered, or once
        another script has left it. Raises `DIALOG_OPEN` or `TAB_BUSY` if that keeps the script from every tab.
        """
        filters = DEFAULT_FILTER if filters is None else filters
        of_tab = isinstance(self._sessions.get(parent or ""), TabSession)
        if targets and not of_tab and passes(filters, "tab") and not passes(filters, "page"):
            await self._one_is_free(targets)
        self._auto[parent] = filters
        (self._waits.add if waits else self._waits.discard)(parent)
        free = [target for target in targets if self._free(target)]
        waits = passes(filters, "page") and not of_tab
        with trio.move_on_after(_TURN_COMES_S):
            done = [self._auto_attach_one(target, parent) for target in free or (targets if waits else ())]
            for event in [event for events in done for event in events]:
                await event.wait()
        for target in targets:
            if not self._free(target):
                self._auto_attach_one(target, parent)
        blocked = [error for (session_id, _), error in self._blocked.items() if session_id == parent]
        refusals = [*blocked, *(self._busy(targets) if waits else ())]
        if refusals and not self.page_sessions():
            raise refusals[0]

    async def _one_is_free(self, targets: list[PageTarget]) -> None:
        """Wait for one that no other script holds; `TAB_BUSY` if there is none.

        Puppeteer attaches to pages on the sessions of their tabs, and ignores what fails there: it would connect, and
        have no pages. Nor does it close a connection that is refused here: no tab may be attached on that later.
        """
        with trio.move_on_after(_TURN_COMES_S) as waiting:
            while len(busy := self._busy(targets)) == len(targets):
                await self._hub.state.events.published.wait()
        if waiting.cancelled_caught:
            raise busy[0]

    def _busy(self, targets: list[PageTarget]) -> list[KaptureError]:
        """Return the holders of the tabs of targets that another script holds."""
        return [
            busy_error(tab.tab_id, tab.script)
            for tab in map(self._find, targets)
            if tab is not None and tab.script is not None and not self.holds(tab.tab_id)
        ]

    def stop_auto_attach(self, parent: str | None) -> None:
        """Stop attaching to new targets."""
        self._auto.pop(parent, None)
        self._waits.discard(parent)

    async def target_came(self, target: PageTarget) -> None:
        """Announce a new target: sessions that auto-attach have attached to it when this returns."""
        events = [
            event
            for parent in tuple(self._auto)
            if not isinstance(self._sessions.get(parent or ""), TabSession)
            for event in self._auto_attach_one(target, parent)
        ]
        for event in events:
            await event.wait()

    def target_went(self, target: PageTarget) -> None:
        """Remove a target that is not shown any more."""
        for session in tuple(self._sessions.values()):
            if isinstance(session, TabSession) and session.target.target_id == target.target_id:
                self._drop(session)

    def _free(self, target: PageTarget) -> bool:
        tab = self._find(target)
        return tab is None or tab.script is None or self.holds(tab.tab_id)

    def _auto_attach_one(self, target: PageTarget, parent: str | None) -> list[trio.Event]:
        """Attach to the targets that pass the filter; an event for each, set when it is attached or has failed."""
        session = self._sessions.get(parent or "")
        if isinstance(session, TabSession):
            kinds = ["page"] if session.target.target_id == target.target_id else []
        else:
            kinds = ["tab", "page"]
        done = []
        for kind in kinds:
            key = (parent, target.id_of(kind))
            if key in self._attaching:
                done.append(self._attaching[key])
            elif passes(self._auto[parent], kind) and key not in [
                (one.parent, _target_of(one)) for one in self._sessions.values()
            ]:
                done.append(event := trio.Event())
                self._attaching[key] = event
                self._nursery.start_soon(self._attach_quietly, target, kind, parent)
        return done

    async def _attach_quietly(self, target: PageTarget, kind: str, parent: str | None) -> None:
        """Attach without reporting a failure: nobody waits for this session. Waits for the end of an open dialog."""
        key = (parent, target.id_of(kind))
        done = self._attaching[key]
        try:
            while True:
                try:
                    await self.attach(target, kind, parent)
                except DialogOpen as error:
                    tab = self._find(target)
                    if tab is None or tab.scripts is None:
                        return
                    self._blocked[key] = error
                    done.set()
                    await tab.scripts.unblocked()
                    if parent not in self._auto:
                        return
                    self._blocked.pop(key)
                except KaptureError:
                    return
                else:
                    return
        finally:
            self._blocked.pop(key, None)
            del self._attaching[key]
            done.set()

    def _hold_ended(self, held: HeldTab) -> None:
        """End the sessions of a hold that has ended."""
        self._held.pop(held.tab.tab_id, None)
        for session in tuple(held.sessions.values()):
            session.ended.set()
            self._drop(session)

    def _announce(
        self, session: BrowserSession | TabSession | PageSession, info: dict[str, object], *, waits: bool = False
    ) -> None:
        self._sessions[session.session_id] = session
        params = {"sessionId": session.session_id, "targetInfo": info, "waitingForDebugger": waits}
        self._replies.event("Target.attachedToTarget", params, session.parent)

    def _drop(self, session: BrowserSession | TabSession | PageSession) -> None:
        """End a session and those that were announced on it."""
        if self._sessions.pop(session.session_id, None) is None:
            return
        for child in [one for one in self._sessions.values() if one.parent == session.session_id]:
            self.detach(child.session_id)
        self.stop_auto_attach(session.session_id)
        params = {"sessionId": session.session_id, "targetId": _target_of(session)}
        self._replies.event("Target.detachedFromTarget", params, session.parent)


def _target_of(session: BrowserSession | TabSession | PageSession) -> str:
    match session:
        case BrowserSession():
            return str(browser_info()["targetId"])
        case TabSession():
            return session.target.tab_target_id
        case PageSession():
            return session.target_id


def _new_id() -> str:
    return secrets.token_hex(16).upper()
