"""The engine over one tab: frames, targets, input, and what the tab tells by itself.

async with Page.open(connection, tab_id="k3j2h4g5", gate=may_read) as page:
    async with page.acting() as outcome:
        ready = await page.ready({"role": "button", "name": "Save"}, "click")
        await page.mouse.click(ready.point)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio

from kapture.cdp import CdpConnection, CdpError, CdpSession, PendingReply, is_gone, is_gone_or_unsupported
from kapture.errors import ErrorCode, KaptureError
from kapture.page import locate as locating
from kapture.page import reach
from kapture.page import ready as readiness
from kapture.page.agent_answers import thrown
from kapture.page.agent_calls import AgentCalls
from kapture.page.agent_functions import FunctionName
from kapture.page.agent_source import agent_source
from kapture.page.console import ConsoleLog
from kapture.page.dialogs import Dialog, Dialogs
from kapture.page.downloads import Downloads
from kapture.page.drawing import drawing
from kapture.page.element import Element, ReadyElement
from kapture.page.execution_context import AGENT_WORLD, ContextGone, World
from kapture.page.frame import Frame
from kapture.page.frames import FrameTree
from kapture.page.input_queue import InputQueue
from kapture.page.keyboard import Keyboard
from kapture.page.mouse import Modifier, Mouse, MouseButton
from kapture.page.network import NetworkLog
from kapture.page.outcome import Outcome
from kapture.page.read_gate import ReadGate
from kapture.page.ready import Purpose
from kapture.page.renderer import Renderer
from kapture.page.routes import Routes
from kapture.page.settle import Watch
from kapture.page.target import Target

SessionObserver = Callable[[CdpSession], Awaitable[None]]

_MOST_PRESSES = 20
"""A page that covers an element whenever the pointer comes is not pressed for ever."""

_MOST_UNSEEN = 3
"""The browser drops input to documents that it has not drawn yet, or is about to replace."""

_SET_UP_S = 20.0
"""How long a page may take to answer at first."""

_TITLE_BINDING = "kaptureTitle"


class Page:
    """One tab, live. Made by `Page.open`."""

    def __init__(self, connection: CdpConnection, tab_id: str, gate: ReadGate, nursery: trio.Nursery) -> None:
        self.connection = connection
        self.tab_id = tab_id
        self.gate = gate
        self.children_connect = False
        """Whether tabs that this one opens are connected and reported with `child_opened`."""
        self.device_metrics: Mapping[str, Any] | None = None
        """`Emulation.setDeviceMetricsOverride` in force; None when the viewport is the window's."""
        self.title = ""
        """Of the main frame's document, as last told."""
        self.dialogs = Dialogs(on_open=self._dialog_opened)
        self.frames = FrameTree(lambda url: self.gate(url), AgentCalls(Renderer(self.dialogs.blocked)))
        self.downloads = Downloads()
        self.console = ConsoleLog(self._owner)
        self.network = NetworkLog(self._owner, lambda: tuple(self._workers))
        self.routes = Routes()
        self._input = InputQueue(connection.root, self.dialogs.blocked)
        self.mouse = Mouse(self._input)
        self.keyboard = Keyboard(self._input)
        self._nursery = nursery
        self._sessions: list[CdpSession] = []
        self._workers: dict[CdpSession, str] = {}  # with the URL of each one's script
        self._observers: list[SessionObserver] = [self.console.observe, self.network.observe, self.routes.observe]
        self._network_conditions: Mapping[str, Any] | None = None
        self._watches: list[Watch] = []
        self._early: list[dict[str, Any]] = []

    @classmethod
    @asynccontextmanager
    async def open(cls, connection: CdpConnection, *, tab_id: str, gate: ReadGate) -> AsyncIterator[Page]:
        """Take a tab over: enable what is needed in all its sessions, and put the agent into all its documents.

        `gate` says, at every read, whether the call in progress may read a document (kapture/page/read_gate.py).
        """
        async with trio.open_nursery() as nursery:
            page = cls(connection, tab_id, gate, nursery)
            await page._enter_root()
            yield page
            nursery.cancel_scope.cancel()

    @property
    def url(self) -> str:
        """The address of the main frame's document."""
        return self.frames.main.url

    @property
    def sessions(self) -> tuple[CdpSession, ...]:
        """The tab's CDP sessions that hold documents, the root session first."""
        return tuple(self._sessions)

    def on_session(self, observer: SessionObserver) -> None:
        """Call for each session that comes from now on, before its documents run; for those there are see
        `sessions`."""
        self._observers.append(observer)

    # Elements.

    async def locate(self, target: Target) -> Element:
        """The one element that is meant, wherever it is.

        `ELEMENT_NOT_FOUND` with what comes close, `ELEMENT_AMBIGUOUS` with candidates, `INVALID_SELECTOR`,
        `REF_EXPIRED`.
        """
        return await locating.find_one(self.frames, target)

    async def locate_all(self, target: Target, *, limit: int = 1_000) -> list[Element]:
        """Every match in every frame; none is no error."""
        return list((await locating.find_all(self.frames, target, limit=limit)).elements)

    async def ready(
        self, target: Target, purpose: Purpose, *, prepare: Mapping[str, Any] | None = None
    ) -> ReadyElement:
        """The one element that is meant, once it is attached, visible, still, enabled, in view and not covered, as
        far as the purpose needs it.

        Waits until shortly before the deadline in force, then `ELEMENT_NOT_ACTIONABLE` says what is in the way.
        `prepare` is what a field is prepared with at that moment (see kapture/page/fields.py). The point lies in the
        tab's viewport for purposes of the pointer, else in that of the element's frame.
        """
        ready = await readiness.ready(self.frames, target, purpose, prepare)
        if purpose in readiness.IN_TAB:
            await reach.check_point(self.frames, ready.point)
        for watch in self._watches:
            watch.touched.add(ready.element.frame)
        return ready

    async def click(
        self,
        target: Target,
        *,
        button: MouseButton = "left",
        count: int = 1,
        modifiers: Sequence[Modifier] = (),
    ) -> Element:
        """Wait until the element can be clicked, and click it; the element as it was found.

        A press that would have met something else, because the page changed at the last moment, is kept from the
        page, and tried again.
        """
        presses = 0
        while True:
            ready = await self.ready(target, "click")
            missed = await self._press(
                ready, partial(self.mouse.submit_click, ready.point, button=button, count=count, modifiers=modifiers)
            )
            if missed is None:
                return ready.element
            presses += 1
            if presses == _MOST_PRESSES or (missed.data.get("unseen") and presses == _MOST_UNSEEN):
                raise missed
            if ready.element.frame.parent is not None:
                # The browser finds the frame at a place by what it drew last, and a hidden tab is not drawn.
                async with drawing(self.connection.root):
                    await self.frames.main.call("framesDrawn")

    async def dispatch(self, method: str, params: Mapping[str, Any]) -> None:
        """Send one input event of another kind than mouse and keys, as they are sent."""
        await self._input.send(method, params)

    async def act(
        self, submit: Callable[[], Sequence[PendingReply]], ready: ReadyElement, function: FunctionName, **args: Any
    ) -> Callable[[], Awaitable[Any]]:
        """Send input, and with it a call of the agent that runs once the page has handled the input: one round trip.

        `submit` submits the input without waiting. Returns when the input has been handled; what is returned waits
        for the value of the call.
        """
        with self.connection.together():
            sent = submit()
            call = ready.begin(function, **args)
        await self._input.finish(sent)
        return partial(ready.go_on, function, **args) if call is None else call.finish

    async def _press(self, ready: ReadyElement, submit: Callable[[], Sequence[PendingReply]]) -> KaptureError | None:
        """Press what is ready. None when the press met its element, or went where nothing can be asked any more."""
        frame = ready.element.frame
        if "handle" not in ready.facts:  # a point was asked for, whatever is there
            await self._input.finish(submit())
            return None
        if frame.parent is None:
            after = await self.act(submit, ready, "afterPress", thorough=self.thorough)
        else:
            await self._input.finish(submit())
            after = partial(ready.go_on, "afterPress", thorough=self.thorough)
        try:
            for outer in frame.ancestors():
                told = await outer.call("afterPress", {"thorough": False})
                if told["met"] is False:
                    return readiness.missed(ready, told, outer)
            told = await after()
        except KaptureError as error:
            if is_gone(error) or error.code is ErrorCode.DIALOG_OPEN:
                return None
            raise
        self.has_run(frame, told)
        return None if told["met"] else readiness.missed(ready, told, frame)

    @asynccontextmanager
    async def acting(self, *, thorough: bool = False) -> AsyncIterator[Outcome]:
        """Watch while the block acts on the page; at its end wait until what it started is over.

        `thorough` when somebody looks at the page right afterwards: what the page does once the effect is drawn is
        waited for too, and messages that come and go meanwhile are kept.
        """
        watch = Watch(self, thorough=thorough)
        self._watches.append(watch)
        if thorough and self.frames.main.granted:
            self.frames.main.notify("watch")
        try:
            yield watch.outcome
            await watch.settle()
        finally:
            self._watches.remove(watch)
            if thorough:
                self.frames.main.notify("collect")

    async def evaluate(
        self, expression: str, *, frame: Frame | None = None, await_promise: bool = True, world: World = "main"
    ) -> Any:
        """The JSON value of an expression in a frame's document (the main frame's by default).

        `EXECUTION_ERROR` with the page's own message and stack when it throws.
        """
        where = frame or self.frames.main
        context = await where.context(world)
        where.check_granted()
        await self.rest(where)
        outcome = await where.renderer.evaluate(context, expression, await_promise=await_promise)
        if "exceptionDetails" in outcome:
            raise thrown(outcome["exceptionDetails"])
        return outcome["result"].get("value")

    async def rest(self, frame: Frame) -> None:
        """Let what the last action left behind in a frame have its turn, if its answer did not wait for that.

        Calls of the agent that read the page do so by themselves.
        """
        if frame.resting:
            frame.resting = False
            await frame.call("rest")

    async def set_network_conditions(self, conditions: Mapping[str, Any]) -> None:
        """`Network.emulateNetworkConditions` for every session, also those that come."""
        self._network_conditions = dict(conditions)
        for session in self.sessions:
            await session.send("Network.emulateNetworkConditions", conditions)

    async def restore_viewport(self) -> None:
        """The viewport as the person has it, or as `device_metrics` says."""
        if self.device_metrics is None:
            await self.connection.root.send("Emulation.clearDeviceMetricsOverride")
        else:
            await self.connection.root.send("Emulation.setDeviceMetricsOverride", self.device_metrics)

    @property
    def thorough(self) -> bool:
        """Whether an action is watched thoroughly now; see `acting`."""
        return any(watch.thorough for watch in self._watches)

    def has_run(self, frame: Frame, told: Mapping[str, Any]) -> None:
        """An agent's call has let a frame run what an action left behind, and its answer says what came of it."""
        for watch in self._watches:
            watch.has_run(frame, told)

    def child_opened(self, tab_id: str) -> None:
        """The hub says that a tab which this one opened has been connected."""
        for watch in self._watches:
            watch.on_child(tab_id)

    # Sessions.

    async def _enter_root(self) -> None:
        with trio.move_on_after(_SET_UP_S) as waiting:
            await self._enter(self.connection.root, resume=False)
            try:
                platform = await self.frames.main.call("platform")
            except ContextGone:
                platform = ""  # the tab goes from page to page; a keyboard like most is a good enough guess
            self.keyboard.is_mac = str(platform).startswith("Mac")
        if waiting.cancelled_caught:
            raise self.dialogs.blocked() or KaptureError(
                ErrorCode.DETACHED,
                f"The page does not answer: it has been busy, or showing a dialog, for {_SET_UP_S:g} seconds.",
                hint="Close the dialog in the browser, or reload the tab.",
            )

    async def _enter(self, session: CdpSession, *, resume: bool) -> None:
        """Follow one session. Everything is submitted at once: a page in the making is held up for one round trip."""
        self._sessions.append(session)
        self.frames.observe(session)
        self.dialogs.observe(session)
        self.downloads.observe(session)
        session.on("*", lambda event: self._heard(session, event["method"], event["params"]))
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        session.on("Runtime.bindingCalled", lambda params: self._told(session, params))
        replies = [
            session.submit("Page.enable"),
            session.submit("Page.setLifecycleEventsEnabled", {"enabled": True}),
            session.submit("Runtime.enable"),
            session.submit("DOM.enable"),
        ]
        tree = session.submit("Page.getFrameTree")
        tree.then(lambda reply: self._take_tree(session, reply))
        replies.append(tree)
        if session is self.connection.root:
            binding = {"name": _TITLE_BINDING, "executionContextName": AGENT_WORLD}
            replies.append(session.submit("Runtime.addBinding", binding))
        replies += [
            session.submit(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": agent_source(), "worldName": AGENT_WORLD, "runImmediately": True},
            ),
            session.submit(
                "Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
            ),
            # Without it a tab in the background takes seconds for a click, and says that it is hidden.
            session.submit("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ]
        if self._network_conditions is not None:
            replies.append(session.submit("Network.emulateNetworkConditions", self._network_conditions))
        try:
            async with trio.open_nursery() as nursery:
                for observer in self._observers:
                    nursery.start_soon(_observe, observer, session)
        finally:
            if resume:
                replies.append(session.submit("Runtime.runIfWaitingForDebugger"))
        for reply in replies:
            try:
                await reply.wait()
            except CdpError:
                # A frame that refuses something, as one of another extension may, must not take the tab away.
                if session is self.connection.root:
                    raise

    async def _enter_child(self, session: CdpSession) -> None:
        try:
            await self._enter(session, resume=True)
        except KaptureError as error:
            if not is_gone(error) and not session.closed:
                raise

    async def _enter_worker(self, session: CdpSession) -> None:
        """A worker holds no documents, but it speaks on the console and asks the network, and may start others."""
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        replies = [
            session.submit(
                "Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
            )
        ]
        try:
            async with trio.open_nursery() as nursery:
                for observer in self._observers:
                    nursery.start_soon(_observe, observer, session)
        finally:
            replies.append(session.submit("Runtime.runIfWaitingForDebugger"))
        for reply in replies:
            await _finish(reply)

    def _owner(self, session: CdpSession, frame_id: str) -> str:
        """The URL that says whose document a frame of a session holds, or whose worker it is; "" when not known."""
        script = self._workers.get(session, "")
        if script.startswith(("http:", "https:", "file:")):
            return script
        frame = self.frames.by_id(frame_id) or self.frames.top_of(session)
        return frame.policy_url if frame is not None else ""

    def _take_tree(self, session: CdpSession, reply: PendingReply) -> None:
        self.frames.take_reply(session, reply)
        early, self._early = self._early, []
        for params in early:
            self._attached(params)

    def _attached(self, params: dict[str, Any]) -> None:
        if not self.frames.known:
            self._early.append(params)  # the frame that it is in is not known yet
            return
        session = self.connection.session(params["sessionId"])
        kind = params["targetInfo"]["type"]
        if kind == "iframe":
            target = params["targetInfo"]
            self.frames.announce(session, target["targetId"], target.get("parentFrameId") or target.get("parentId"))
            self._nursery.start_soon(self._enter_child, session)
        elif kind == "worker":
            self._workers[session] = params["targetInfo"]["url"]
            self._nursery.start_soon(self._enter_worker, session)
        else:
            session.submit("Runtime.runIfWaitingForDebugger")

    def _detached(self, params: dict[str, Any]) -> None:
        session = self.connection.session(params["sessionId"])
        if session in self._sessions:
            self._sessions.remove(session)
        self._workers.pop(session, None)
        self.connection.forget(params["sessionId"])
        self.frames.leave(session)
        self.routes.forget(session)
        if self.dialogs.current is not None and self.dialogs.current.session is session:
            self.dialogs.clear()

    # Events.

    def _heard(self, session: CdpSession, method: str, params: dict[str, Any]) -> None:
        crashed = method == "Inspector.targetCrashed" and session is self.connection.root
        replaced = method == "Page.frameNavigated" and not params["frame"].get("parentId")
        if replaced:
            self.title = ""
        if crashed or replaced:
            self.dialogs.clear()
            self._input.release()
        for watch in self._watches:
            watch.on_event(session, method, params)

    def _dialog_opened(self, dialog: Dialog) -> None:
        blocked = self.dialogs.blocked()
        if blocked is not None:
            self.connection.pending.fail_blocked(blocked)
        self._input.release()
        for watch in self._watches:
            watch.on_dialog(dialog)

    def _told(self, session: CdpSession, params: dict[str, Any]) -> None:
        if params["name"] == _TITLE_BINDING and session is self.connection.root:
            self.title = params["payload"]


async def _observe(observer: SessionObserver, session: CdpSession) -> None:
    """A session that ends meanwhile, or does not offer the observer's domain, is not observed."""
    try:
        await observer(session)
    except KaptureError as error:
        if not is_gone_or_unsupported(error):
            raise


async def _finish(reply: PendingReply) -> None:
    """Wait for what a session may end before it does, or may not offer."""
    try:
        await reply.wait()
    except KaptureError as error:
        if not is_gone_or_unsupported(error):
            raise
