"""The engine over one tab: its frames, its input, and what it reports.

async with Page.open(connection, tab_id="k3j2h4g5", gate=may_read) as page:
    async with page.acting() as outcome:
        await click(page, {"role": "button", "name": "Save"})
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any
from weakref import WeakSet

import trio

from kapture.cdp import CdpConnection, CdpSession, PendingReply
from kapture.changed import Changed
from kapture.errors import ErrorCode, KaptureError
from kapture.page.action_runner import ActionRunner
from kapture.page.agent_answers import thrown
from kapture.page.agent_calls import AgentCalls
from kapture.page.browser_dialog import BrowserDialog
from kapture.page.client_settings import ClientSettings
from kapture.page.console import ConsoleLog
from kapture.page.dialogs import Dialog, Dialogs
from kapture.page.documents.awaited_document import AwaitedDocument
from kapture.page.documents.frame import ContextGone, Frame, Renderer, World
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import ReadGate, names_no_site
from kapture.page.downloads import Downloads
from kapture.page.element import Element
from kapture.page.highlight import Highlight
from kapture.page.input.keyboard import Keyboard
from kapture.page.input.mouse import InputQueue, Mouse
from kapture.page.locator import resolve
from kapture.page.navigation_watcher import navigation_failed
from kapture.page.network.network_log import NetworkLog
from kapture.page.network.routes import Routes
from kapture.page.page_tools import PageToolCalls, PageTools
from kapture.page.recording.recording import PageRecording, PageWidget
from kapture.page.screencast import Screencast
from kapture.page.sessions import SessionObserver, Sessions
from kapture.page.settling.outcome import Outcome
from kapture.page.settling.settle import Watch
from kapture.page.shown import ShownToPerson
from kapture.page.tab_memory import TabMemory
from kapture.page.target import Target
from kapture.page.title import Title
from kapture.page.typed_secrets import TypedSecrets

_SET_UP_S = 20.0  # that a page may take to answer at first


class Page:
    """One tab's page. Made by `Page.open`."""

    def __init__(self, connection: CdpConnection, tab_id: str, gate: ReadGate, nursery: trio.Nursery) -> None:
        self.connection = connection
        self.tab_id = tab_id
        self.gate = gate
        self.children_connect = False
        """Whether tabs that this one opens are connected and reported to `child_opened`."""
        self.device_metrics: Mapping[str, Any] | None = None
        """The `Emulation.setDeviceMetricsOverride` in force; None if the viewport is the window's."""
        self.client_settings = ClientSettings(connection.root)
        self.dialogs = Dialogs(
            on_open=self._dialog_opened,
            granted=self._dialog_granted,
            debugged=self.client_settings.debugged.__contains__,
            nursery=nursery,
        )
        self.client_settings.on_debugger_off = self.dialogs.resumed
        self.on_blocked: Callable[[], None] = lambda: None
        """Called when something has begun to block the page."""
        may_read: ReadGate = lambda url: self.gate(url)  # noqa: E731  of the call in progress
        self.frames = FrameTree(may_read, AgentCalls(Renderer(self.dialogs.blocked)))
        self.browser_dialog = BrowserDialog(connection, self.frames)
        self.downloads = Downloads(self.frames)
        self._title = Title(self.frames)
        self.awaited = AwaitedDocument(self.frames)
        self._input = InputQueue(connection.root, self.dialogs.blocked)
        self.actions = ActionRunner(connection, self.frames, self._input, self.on_touched)
        self.mouse = Mouse(self.actions.send_input)
        self.keyboard = Keyboard(self.actions.send_input)
        self._watches: list[Watch] = []
        self._sessions = Sessions(
            connection,
            self.frames,
            nursery,
            follow=[self.frames.observe, self.dialogs.observe, self.downloads.observe, self._follow],
            on_leave=self._session_left,
        )
        self.network_conditions = self._sessions.network_conditions
        self.network = NetworkLog(self._sessions.owners, lambda: tuple(self._sessions.workers))
        self.console = ConsoleLog(self._sessions.owners, self.network.owners, self._sessions.place)
        self._sessions.observe_service_worker = self.console.observe
        self.routes = Routes(self._sessions.owners, may_read)
        self.screencast = Screencast(connection.root)
        self.subscriptions: WeakSet[Any] = WeakSet()  # of clients to raw events
        self.highlight = Highlight(connection.root, self.frames)
        self.recording = PageRecording(self.frames, self.dialogs, self._sessions.documents, may_read, nursery)
        self.widget = PageWidget(connection.root, self.frames)
        self.shown = ShownToPerson(connection.root, self.frames)
        self.tools = PageTools(self.frames)
        self.tool_calls = PageToolCalls(self.frames, self.dialogs)
        self.memory = TabMemory()
        self.typed_secrets = TypedSecrets()
        for part in (
            self.network,
            self.console,
            self.routes,
            self.recording,
            self.widget,
            self.shown,
            self.tools,
            self.typed_secrets,
        ):
            self._sessions.add_observer(part.observe)
        self._title.observe(connection.root)
        self.awaited.observe(connection.root)

    @classmethod
    @asynccontextmanager
    async def open(cls, connection: CdpConnection, *, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
        """Set up the engine on a tab: enable what is needed in all its sessions, and inject the agent into its
        documents.

        `gate` says for each read whether the call in progress may read a document.
        """
        async with trio.open_nursery() as nursery:
            page = cls(connection, tab_id, gate, nursery)
            await page._set_up()
            nursery.start_soon(page.shown.run)
            yield page
            nursery.cancel_scope.cancel()

    @property
    def url(self) -> str:
        """The address of the main frame's document."""
        return self.frames.main.url

    @property
    def title(self) -> str:
        """The title of the main frame's document; empty until it is known."""
        return self._title.text

    @property
    def title_changed(self) -> Changed:
        """Notified of each title that the document reports."""
        return self._title.changed

    @property
    def sessions(self) -> tuple[CdpSession, ...]:
        """The tab's CDP sessions with documents, the root session first."""
        return tuple(self._sessions.documents)

    def on_session(self, observer: SessionObserver) -> Callable[[], None]:
        """Call the observer for each later session, before its documents run; `sessions` are the current ones.
        Returns what ends that."""
        return self._sessions.add_observer(observer)

    @property
    def why_unopened(self) -> KaptureError | None:
        """`NAVIGATION_FAILED` for what the browser shows its error page for; None if it shows none, or does not say."""
        url = self.frames.main.host.unreachable
        for request in self.network.newest_first() if url else ():
            if request.type == "document" and request.failure is not None and request.url == url:
                return navigation_failed(url, request.failure, request.status)
        return None

    # Elements

    async def locate(self, target: Target) -> Element:
        """The only element that matches the target, in any frame.

        `ELEMENT_NOT_FOUND` with the closest elements, `ELEMENT_AMBIGUOUS` with candidates, `INVALID_SELECTOR`,
        `REF_EXPIRED`.
        """
        return await resolve(self.frames, target).find_one()

    @asynccontextmanager
    async def acting(self, *, shows: bool = False) -> AsyncIterator[Outcome]:
        """Watch the page while the block acts on it, and settle at its end (`kapture.page.settling.table`).

        `shows`: the answer shows the page, so that its changes are waited for, too.
        """
        watch = Watch(self, shows=shows)
        self._watches.append(watch)
        try:
            for reply in self.watch_changes():  # input overtakes scripts on its way into the page
                with suppress(KaptureError):  # the document has gone, or a dialog has opened
                    await reply.wait()
            yield watch.outcome
            await watch.settle()
        finally:
            self._watches.remove(watch)

    def watch_changes(self) -> list[PendingReply]:
        """Have the documents forget what has changed so far, if the changes of an action are waited for now."""
        if not any(watch.shows for watch in self._watches):
            return []
        seen = [frame for frame in self.frames.all() if frame.granted and not frame.why_silent]
        return [reply for frame in seen if (reply := frame.notify("watch")) is not None]

    def on_touched(self, frame: Frame) -> None:
        """Note that an action acts in a frame, whose documents its effects are expected in."""
        for watch in self._watches:
            watch.touched.add(frame)

    def child_opened(self, tab_id: str) -> None:
        """Note that a tab that this one opened has been connected."""
        for watch in self._watches:
            watch.on_child(tab_id)

    async def evaluate(
        self, expression: str, *, frame: Frame | None = None, await_promise: bool = True, world: World = "main"
    ) -> Any:
        """The JSON value of an expression in a frame's document (by default the main frame's); `EXECUTION_ERROR` with
        the page's own message and stack if it throws."""
        frame = frame or self.frames.main
        context = await frame.context(world)
        frame.check_granted()
        outcome = await frame.renderer.evaluate(context, expression, await_promise=await_promise)
        if "exceptionDetails" in outcome:
            raise thrown(outcome["exceptionDetails"])
        return outcome["result"].get("value")

    # Emulation

    async def restore_viewport(self) -> None:
        """Restore the viewport to the person's own, or to `device_metrics`."""
        if self.device_metrics is None:
            await self.connection.root.send("Emulation.clearDeviceMetricsOverride")
        else:
            await self.connection.root.send("Emulation.setDeviceMetricsOverride", self.device_metrics)

    # Setting up, and events that concern several parts

    async def _set_up(self) -> None:
        with trio.move_on_after(_SET_UP_S) as waiting:
            await self._sessions.enter_root()
            try:
                platform = await self.frames.main.call("platform")
            except ContextGone:
                platform = ""  # the tab is navigating; assume the most common keyboard
            self.keyboard.is_mac = str(platform).startswith("Mac")
            self.connection.leave_out_unread_events()
        if waiting.cancelled_caught:
            raise self.dialogs.blocked() or KaptureError(
                ErrorCode.DETACHED,
                f"The page does not answer: it has been busy, or showing a dialog, for {_SET_UP_S:g} seconds.",
                hint="Close the dialog in the browser, or reload the tab.",
            )

    def _follow(self, session: CdpSession) -> None:
        for method in Watch.EVENTS:  # including a crash and a new document
            session.on(method, partial(self._on_event, session, method))

    def _on_event(self, session: CdpSession, method: str, params: dict[str, Any]) -> None:
        crashed = method == "Inspector.targetCrashed" and session is self.connection.root
        replaced = method == "Page.frameNavigated" and not params["frame"].get("parentId")
        if crashed or replaced:
            self.dialogs.clear()
            self.browser_dialog.open = False
            self._input.release()
        for watch in self._watches:
            watch.on_event(session, method, params)

    def _session_left(self, session: CdpSession) -> None:
        self.client_settings.forget(session)
        self.routes.forget(session)
        self.tools.forget(session)
        self.dialogs.left(session)

    def _dialog_granted(self, frame_id: str, url: str) -> bool:
        frame = self.frames.by_id(frame_id)
        return frame.granted if frame is not None else not names_no_site(url) and self.gate(url)

    def _dialog_opened(self, dialog: Dialog) -> None:
        blocked = self.dialogs.blocked()
        if blocked is not None:
            self.connection.pending.fail_blocked(blocked)
        self._input.release()
        for watch in self._watches:
            watch.on_dialog(dialog)
        self.on_blocked()
