"""One script's connection: passes each command to its session, and sends events of its targets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import trio
from trio_websocket import ConnectionClosed

from kapture.backends.outbox import Socket
from kapture.cdp.target_filter import DEFAULT_FILTER, Filter, passes
from kapture.changed import Changed
from kapture.endpoints.cdp.attachments import Attachments, BrowserSession, TabSession
from kapture.endpoints.cdp.browser_methods import BrowserMethods
from kapture.endpoints.cdp.downloads import ScriptDownloads
from kapture.endpoints.cdp.messages import (
    METHOD_NOT_FOUND,
    SESSION_NOT_FOUND,
    Command,
    MalformedCommandError,
    PageTarget,
    Replies,
    browser_info,
    decode,
)
from kapture.endpoints.cdp.page_session import PageSession
from kapture.endpoints.cdp.shown_tabs import ShownTabs
from kapture.errors import ErrorCode, KaptureError
from kapture.hub import Client, Hub
from kapture.hub.sockets import close_socket

_BROWSER_DOMAINS = frozenset({"Browser", "SystemInfo", "Tethering", "Extensions", "PWA"})
_FOR_ALL_SITES = frozenset({"Storage.getCookies", "Storage.setCookies", "Storage.clearCookies"})
_SET_DOWNLOADS = "Page.setDownloadBehavior"
_OWN_OF_A_PAGE = frozenset({"Target.setAutoAttach", "Target.setRemoteLocations"})
_OPENS_S = 30.0
_STALLED_S = 60.0
_CLOSE_S = 1.0
_CATCHES_UP_S = 5.0
"""How long a script that reads too slowly has to read what was on its way, and why its connection is closed."""
TOO_SLOW = 1013
"""Close code: the script reads its messages too slowly (RFC 6455's registry: try again later)."""


class Script:
    """Serves one script over an accepted socket."""

    def __init__(self, hub: Hub, client: Client, socket: Socket) -> None:
        self.hub = hub
        self.client = client
        self.discovering: dict[str | None, Filter | None] = {}
        self.attachments: Attachments
        self.downloads: ScriptDownloads
        self._socket = socket
        self._limit_bytes = hub.state.settings.limits.buffered_bytes
        self._replies = Replies(self._limit_bytes, self._overflow)
        self.shown = ShownTabs(hub, client, lambda tab_id: self.attachments.holds(tab_id), self._targets_changed)
        self._methods = BrowserMethods(self)
        self._scope = trio.CancelScope()
        self._close = (1000, "")
        self._waiting_bytes = 0
        self._settled = Changed()
        self._came = Changed()
        self._nursery: trio.Nursery

    async def run(self) -> None:
        """Serve the script until its socket ends; then every tab that it holds is released."""
        try:
            with self._scope:
                async with trio.open_nursery() as self._nursery:
                    self.downloads = ScriptDownloads(self._replies, self._nursery)
                    self.attachments = Attachments(
                        self.hub, self.client, self._replies, self._nursery, self.downloads, self.shown.tab
                    )
                    self._nursery.start_soon(self._replies.write_to, self._socket)
                    await self._nursery.start(self.shown.follow)
                    await self._read()
        except* ConnectionClosed:
            pass  # the script has disconnected
        seconds = _CATCHES_UP_S if self._close[0] == TOO_SLOW else _CLOSE_S
        await close_socket(self._socket, *self._close, seconds=seconds, shield=True)

    def leave(self) -> None:
        """Close the connection once all answers have been sent."""
        self._nursery.start_soon(self._leave)

    async def _leave(self) -> None:
        await self._replies.flushed()
        self._scope.cancel()

    def _overflow(self) -> None:
        self._close = (TOO_SLOW, "The script reads its messages too slowly.")
        self._scope.cancel()

    async def _read(self) -> None:
        while True:
            frame = await self._socket.get_message()
            try:
                command = decode(frame)
            except MalformedCommandError as error:
                self._replies.malformed(error)
                continue
            await self._make_room()
            self._take(command, len(frame))

    async def _make_room(self) -> None:
        """Stop reading while too many commands wait for the browser: only this script waits for them."""
        with trio.move_on_after(_STALLED_S):
            while self._waiting_bytes > self._limit_bytes:
                await self._settled.wait()
            return
        self._close = (TOO_SLOW, "The browser answers none of the script's commands.")
        self._scope.cancel()

    def _take(self, command: Command, size: int) -> None:
        session = None
        if command.session_id is not None and (session := self.attachments.session(command.session_id)) is None:
            self._replies.refuse(command, "Session with given id not found.", SESSION_NOT_FOUND)
        elif isinstance(session, PageSession) and not _is_the_browsers(command, session):
            self._waiting_bytes += size

            def settled() -> None:
                self._waiting_bytes -= size
                self._settled.notify()

            session.submit(command, settled)
        else:
            self._nursery.start_soon(self._answer, command, session)

    async def _answer(self, command: Command, session: BrowserSession | TabSession | PageSession | None) -> None:
        """Answer a method of the browser, of a tab's session, or one on a page's session that concerns its target."""
        method, params = command.method, command.params
        if isinstance(session, PageSession):
            if method == "Target.getTargetInfo":
                params = {"targetId": session.target_id, **params}
        elif method == "Runtime.runIfWaitingForDebugger":
            self._replies.resolve(command, {})  # only pages are ever paused
            return
        elif isinstance(session, TabSession) and not method.startswith(("Target.", "Browser.")):
            self._replies.refuse(command, f"'{method}' wasn't found", METHOD_NOT_FOUND)
            return
        try:
            result = await self._methods.run(method, params, command.session_id)
        except KaptureError as error:
            self._replies.fail(command, error)
        else:
            self._replies.resolve(command, result)

    # Targets

    def show_targets(self, session_id: str | None) -> None:
        """Announce every target on a session that discovers targets."""
        if passes(self._filter(session_id), "browser"):
            self._replies.event("Target.targetCreated", {"targetInfo": browser_info()}, session_id)
        for target in self.shown.targets.values():
            self._notify("Target.targetCreated", target, [session_id])

    async def target_of(self, tab_id: str) -> PageTarget:
        """The target of a tab that was just opened, once it is shown to the script."""
        with trio.move_on_after(_OPENS_S):
            while True:
                for target in self.shown.targets.values():
                    if target.tab_id == tab_id:
                        await self.attachments.target_came(target)
                        return target
                await self._came.wait()
        raise KaptureError(
            ErrorCode.TAB_NOT_FOUND,
            f"The new tab {tab_id} is not granted to scripts.",
            hint="Ask the person to grant it the level full.",
        )

    def _targets_changed(self, before: dict[str, PageTarget]) -> None:
        for target_id, target in before.items():
            if target_id not in self.shown.targets:
                self.attachments.target_went(target)
                for kind in ("page", "tab"):
                    for session_id in self._discoverers(kind):
                        params = {"targetId": target.id_of(kind)}
                        self._replies.event("Target.targetDestroyed", params, session_id)
        for target_id, target in self.shown.targets.items():
            if target_id not in before:
                self._notify("Target.targetCreated", target, self.discovering)
                self._nursery.start_soon(self.attachments.target_came, target)
            elif target != before[target_id]:
                self._notify("Target.targetInfoChanged", target, self.discovering)
        self._came.notify()

    def _notify(self, event: str, target: PageTarget, sessions: Iterable[str | None]) -> None:
        for kind in ("tab", "page"):
            for session_id in sessions:
                if passes(self._filter(session_id), kind):
                    info = target.info(kind, attached=self.attachments.attached(target.id_of(kind)))
                    self._replies.event(event, {"targetInfo": info}, session_id)

    def _discoverers(self, kind: str) -> list[str | None]:
        return [session_id for session_id in self.discovering if passes(self._filter(session_id), kind)]

    def _filter(self, session_id: str | None) -> Any:
        return self.discovering.get(session_id) or DEFAULT_FILTER


def _is_the_browsers(command: Command, session: PageSession) -> bool:
    """Whether the hub answers a method although it was sent to a page."""
    method, domain = command.method, command.method.partition(".")[0]
    if method == _SET_DOWNLOADS:
        return True  # for scripts from before Browser.setDownloadBehavior, or that have one page only
    if command.session_id != session.session_id:
        return domain in _BROWSER_DOMAINS  # on the session of a frame or worker
    if method == "Target.detachFromTarget":
        return not session.owns(str(command.params.get("sessionId")))
    if domain == "Target":
        return method not in _OWN_OF_A_PAGE
    return domain in _BROWSER_DOMAINS or method in _FOR_ALL_SITES
