"""The tabs of one browser to which the hub has its own CDP connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import trio
from msgspec import convert

from kapture.backends.backend import DeliverEvent
from kapture.backends.browser_connection import BrowserConnection, SessionTransport
from kapture.backends.cdp_tab import CdpTab, TabFacts, WaitConnected, never_connects
from kapture.backends.chromium.browser_setup import auto_attach, have_announced, name_and_version
from kapture.backends.chromium.control import ChromiumControl
from kapture.backends.chromium.downloads import BrowserDownloads
from kapture.backends.chromium.find import BrowserKind
from kapture.backends.chromium.replacements import Found, Replacements
from kapture.backends.chromium.target import (
    AttachedToTarget,
    DetachedFromTarget,
    TabIds,
    Target,
    TargetDestroyed,
    TargetInfo,
    TargetInfoChanged,
)
from kapture.backends.outbox import Socket
from kapture.backends.tab_page import OpenPage
from kapture.background import single_error
from kapture.cdp import PendingReply
from kapture.cdp.program import Json
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.wire import extension_messages

ServeTab: TypeAlias = Callable[[CdpTab], Awaitable[None]]
"""Registers a tab with the hub and serves it until it is gone; must not raise."""

_DOCUMENT_COMES_S = 10.0
_ATTACHES_S = 10.0
FORGET_LOGGED = ("Runtime.discardConsoleEntries", "Log.clear")
"""What the pages of a tab have logged while their person had it is reported to no later session."""
_TAKEN_S = 10.0
"""How long a popup of a tab that a script holds stays paused for the script to attach to it."""
_RESUME = "Runtime.runIfWaitingForDebugger"


class CdpBrowser:
    """One connection to a browser, from the first command to the end of the socket."""

    def __init__(
        self,
        socket: Socket,
        kind: BrowserKind,
        *,
        ids: TabIds,
        folder: Path,
        limit_bytes: int,
        open_page: OpenPage,
        serve_tab: ServeTab,
    ) -> None:
        self.kind = kind
        self.connection = BrowserConnection(socket, limit_bytes=limit_bytes, on_event=self._on_event)
        self.downloads = BrowserDownloads(folder)
        self.ids = ids
        self.tabs_changed = Changed()
        self._open_page = open_page
        self._serve_tab = serve_tab
        self._targets: dict[str, Target] = {}  # by session
        self._replacements = Replacements(self.connection)
        self._is_set_up = False
        self._attaching: Counter[str] = Counter()  # targets to which a further session is being attached
        self._scripts: dict[str, tuple[str, Callable[[], bool]]] = {}  # by session: target, and `pauses_popups`
        self._nursery: trio.Nursery | None = None
        self._facts = extension_messages.Browser()

    @property
    def tabs(self) -> tuple[CdpTab, ...]:
        """The connected tabs."""
        return tuple(target.tab for target in self._targets.values())

    def context_of(self, target_id: str) -> str | None:
        """The browser context of a tab: tabs of one share cookies and storage."""
        return next((one.context for one in self._targets.values() if one.target_id == target_id), None)

    async def open_tab(self, url: str, *, beside: str | None, background: bool) -> str:
        """Open a tab in the browser context of a target and wait until its document has loaded; returns its tabId."""
        params: dict[str, Any] = {"url": "about:blank", "background": background}
        if beside is not None and (context := self.context_of(beside)) is not None:
            params["browserContextId"] = context
        created = await self.connection.send("Target.createTarget", params)
        tab_id = self.ids.open(created["targetId"])
        while tab_id not in [tab.tab_id for tab in self.tabs]:
            if self.connection.closed.is_set():
                raise KaptureError(ErrorCode.DETACHED, "The browser was lost before the tab had opened.")
            await self.tabs_changed.wait()
        if url != "about:blank":
            await self.navigate(tab_id, url)
        return tab_id

    @asynccontextmanager
    async def another_session(
        self, target_id: str, deliver: DeliverEvent, pauses_popups: Callable[[], bool]
    ) -> AsyncIterator[SessionTransport]:
        """Have another session of a target for the duration of the block; `deliver` is called with its events.

        Popups of the target are paused while `pauses_popups`; one that is paused gives the session that resumes it.
        """
        target = next((one for one in self._targets.values() if one.target_id == target_id), None)
        waiting = target.take() if target is not None else None
        self.tabs_changed.notify()
        session_id = waiting or await self._attach(target_id)
        self.connection.open_route(session_id, deliver, lambda: self._detach(session_id))
        self._scripts[session_id] = target_id, pauses_popups
        if len(self._scripts) == 1:
            self.connection.submit(*auto_attach(paused=True))
        if waiting is not None and not pauses_popups():
            self.connection.submit(_RESUME, {}, session_id)
        try:
            yield SessionTransport(self.connection, session_id)
        finally:
            self.connection.close_route(session_id)
            if waiting is not None:
                self.connection.submit(_RESUME, {}, session_id)
            del self._scripts[session_id]
            if not self._scripts:
                self.connection.submit(*auto_attach(paused=False))
            self._detach(session_id)

    async def _attach(self, target_id: str) -> str:
        wanted = True

        def answered(reply: PendingReply) -> None:
            if not wanted and reply.error is None:
                self._detach(reply.value()["sessionId"])

        reply = self._submit_attach(target_id)
        reply.then(answered)
        try:
            return str((await reply.wait())["sessionId"])
        except trio.Cancelled:
            wanted = False
            raise

    def _submit_attach(self, target_id: str) -> PendingReply:
        def answered(_: PendingReply) -> None:
            self._attaching[target_id] -= 1

        self._attaching[target_id] += 1  # the browser announces the session before it replies
        reply = self.connection.submit("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        reply.then(answered)
        return reply

    def _detach(self, session_id: str) -> None:
        """Detach without waiting for the reply: the session may have ended by itself."""
        self.connection.submit("Target.detachFromTarget", {"sessionId": session_id})

    async def navigate(self, tab_id: str, url: str) -> str:
        """Navigate a tab and wait, for a limited time, until its document has committed, so that its address is
        right. Returns the browser's error if the document cannot be loaded, else ""."""
        failed = ""
        with trio.move_on_after(_DOCUMENT_COMES_S):
            for target in tuple(self._targets.values()):
                if target.tab.tab_id == tab_id:
                    # A renderer that is told to navigate while its first debugger attaches may crash (Chromium 150).
                    await target.tab.ready()
                    answer = await self.connection.send("Page.navigate", {"url": url}, target.transport.root)
                    # The reply comes when the document is about to commit.
                    failed = answer.get("errorText", "")
                    while not failed and target.tab.address.url == "about:blank" != url:
                        await target.tab.changed.wait()
        return failed

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve the browser's tabs until the connection ends. `started` once the tabs it has are connected."""
        try:
            with single_error():
                async with trio.open_nursery() as nursery:
                    self._nursery = nursery
                    nursery.start_soon(self._carry, nursery.cancel_scope)
                    await self._set_up()
                    task_status.started()
        finally:
            self._nursery = None
            self.connection.close()
            self.tabs_changed.notify()

    async def _carry(self, scope: trio.CancelScope) -> None:
        await self.connection.run()
        scope.cancel()

    async def _set_up(self) -> None:
        name, version = await name_and_version(self.connection)
        self._facts = extension_messages.Browser(name=name, version=version, instance=self.ids.owner)
        await have_announced(self.connection, self.kind, self.downloads.folder)
        await self._replacements.until_examined()
        self._is_set_up = True

    def _on_event(self, method: str, params: Json) -> None:
        match method:
            case "Target.attachedToTarget":
                attached = convert(params, AttachedToTarget)
                self._attached(attached.session_id, attached.target_info)
            case "Target.detachedFromTarget":
                self._detached(convert(params, DetachedFromTarget).session_id)
            case "Target.targetInfoChanged":
                self._moved(convert(params, TargetInfoChanged).target_info)
            case "Target.targetDestroyed":
                target_id = convert(params, TargetDestroyed).target_id
                self._replacements.destroyed(target_id, lambda: self._destroyed(target_id))
                for target in self._targets.values():
                    if target.target_id == target_id and target.handed_over:
                        target.tab.left()
            case "Browser.downloadWillBegin" | "Browser.downloadProgress":
                self.downloads.on_event(method, params)

    def _attached(self, session_id: str, info: TargetInfo) -> None:
        if self._attaching[info.target_id]:
            return
        if info.url.startswith("devtools://") or info.subtype:
            self.connection.submit(_RESUME, {}, session_id)
            return
        if info.target_id in [one.target_id for one in self._targets.values()]:
            self._detach(session_id)  # it had gone to a script, and `auto_attach` was sent again
            return
        self._replacements.moved(info)
        if self.ids.is_let_go(info.target_id):
            self._detach(session_id)
        elif any(info.opener_id == opener and pauses() for opener, pauses in self._scripts.values()):
            self._connect_paused(session_id, info)
        elif self._replacements.may_replace(info) if self._is_set_up else not self.kind.owned:
            self._replacements.examine(session_id, info, lambda found: self._came(session_id, info, found))
        else:
            self._connect(session_id, info)

    def _came(self, session_id: str, info: TargetInfo, found: Found) -> None:
        """Connect a new target, or use it for the tab whose target it has replaced."""
        if found.replaces is not None and self.ids.is_let_go(found.replaces):
            self.ids.replace(found.replaces, info.target_id)
            self._detach(session_id)
        elif target := next((one for one in self._targets.values() if one.target_id == found.replaces), None):
            self._replace(target, info.target_id, session_id)
            if found.sleeps:
                target.fall_asleep()
            else:
                target.tab.attached()
        else:
            self._connect(session_id, info, asleep=found.sleeps and not self._is_set_up)

    def _connect_paused(self, waiting: str, info: TargetInfo) -> None:
        """Connect a popup by another session: it waits for this one, which is the script's that takes it. What the
        script sends on any other may come after the first document has run."""

        def attached(reply: PendingReply) -> None:
            if reply.error is None:
                self._connect(reply.value()["sessionId"], info, waiting=waiting)

        self._submit_attach(info.target_id).then(attached)

    async def _resume_untaken(self, target: Target) -> None:
        """Resume a popup to which no script attaches."""
        with trio.move_on_after(_TAKEN_S):
            while target.waiting is not None:
                await self.tabs_changed.wait()
        if (session_id := target.take()) is not None:
            self.connection.submit(_RESUME, {}, session_id)
            self._detach(session_id)

    def _connect(self, session_id: str, info: TargetInfo, *, asleep: bool = False, waiting: str | None = None) -> None:
        if self._nursery is None:
            return
        target_id = info.target_id
        transport = SessionTransport(self.connection, session_id)

        def control(tab: CdpTab, wait_connected: WaitConnected) -> ChromiumControl:
            return ChromiumControl(self, tab, target.target_id, transport.root, wait_connected)

        tab = CdpTab(
            TabFacts(
                tab_id=self.ids.of(target_id),
                opener=self.ids.known_id(info.opener_id),
                owner=self.ids.owner,
                browser=self._facts,
                url=info.url,
                title=info.title,
            ),
            transport,
            control,
            self._open_page,
            lambda tab, deliver, pauses: control(tab, never_connects).script_session(deliver, pauses),
        )
        target = Target(target_id, transport, info.browser_context_id, tab)
        if asleep:
            target.fall_asleep("The browser has put this tab to sleep, or its page has crashed.")
        tab.let_go = lambda: self._let_go(target)
        tab.hands_over, tab.without_session = tab, lambda: self._without_session(target)
        self._follow(target)
        if waiting is not None:
            target.pause(waiting)
            self._nursery.start_soon(self._resume_untaken, target)
        else:
            # A window that a page opens is paused until this, and so is its opener, without having been asked to
            # (Chromium 150).
            self.connection.submit(_RESUME, {}, session_id)
        self._nursery.start_soon(self._serve, target)
        self.tabs_changed.notify()

    def _follow(self, target: Target) -> None:
        self._targets[target.transport.root] = target
        self.connection.open_route(target.transport.root, target.tab.deliver, lambda: self._leave(target, "unreadable"))

    def _replace(self, target: Target, target_id: str, session_id: str) -> None:
        """Go on with the target that the browser has put in the place of a tab's own."""
        del self._targets[target.transport.root]
        self.connection.close_route(target.transport.root)
        self.ids.replace(target.target_id, target_id)
        target.target_id, target.transport.root = target_id, session_id
        self._follow(target)

    async def _serve(self, target: Target) -> None:
        try:
            await self._serve_tab(target.tab)
        finally:
            self._targets.pop(target.transport.root, None)
            self.connection.close_route(target.transport.root)
            self.tabs_changed.notify()

    @asynccontextmanager
    async def _without_session(self, target: Target) -> AsyncIterator[None]:
        """Detach from a tab for the duration of the block: what happens in it meanwhile is reported to nobody."""
        target.handed_over = True
        try:
            await self.connection.send("Target.detachFromTarget", {"sessionId": target.transport.root})
            self.connection.close_route(target.transport.root)
            yield
        finally:
            with trio.CancelScope(shield=True), trio.move_on_after(_ATTACHES_S):
                await self._attach_again(target)

    async def _attach_again(self, target: Target) -> None:
        """Attach a new session to a tab that its person has given back, and forget what its pages have logged."""
        self._attaching[target.target_id] += 1  # as in `another_session`
        try:
            attached = await self.connection.send(
                "Target.attachToTarget", {"targetId": target.target_id, "flatten": True}
            )
        except KaptureError:
            target.tab.left()  # it was closed meanwhile
            return
        finally:
            self._attaching[target.target_id] -= 1
        self._targets.pop(target.transport.root, None)
        target.transport.root, target.handed_over = attached["sessionId"], False
        for method in FORGET_LOGGED:
            self.connection.submit(method, {}, target.transport.root)
        self._follow(target)
        target.tab.attached()

    def _detached(self, session_id: str) -> None:
        """Drop the session of a target that was closed (its `targetDestroyed` follows) or replaced by another one."""
        self._replacements.ended(session_id)
        if (target := self._targets.get(session_id)) is not None and not target.handed_over:
            self.connection.close_route(session_id)
            self._replacements.leaves(target.target_id, lambda: self._left(session_id))

    def _left(self, session_id: str) -> None:
        if (target := self._targets.get(session_id)) is not None:
            target.tab.left()

    def _let_go(self, target: Target) -> None:
        """Disconnect a tab: it stays open and is never attached to again, not by a later connection either."""
        self.ids.let_go(target.target_id)
        self._leave(target, "let_go")

    def _leave(self, target: Target, why: str) -> None:
        if target.transport.root in self._targets:
            target.tab.left(why)
            self._detach(target.transport.root)

    def _destroyed(self, target_id: str) -> None:
        self.ids.forget(target_id)

    def _moved(self, info: TargetInfo) -> None:
        self._replacements.moved(info)
        for target in self._targets.values():
            if target.target_id == info.target_id:
                if target.asleep:  # its page is loaded again
                    target.asleep = False
                    target.tab.attached()
                target.tab.moved(info.url, info.title)
