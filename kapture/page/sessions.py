"""The CDP sessions of a tab: its root session, and those of frames and workers in other processes, when they attach."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import trio

from kapture.cdp import CdpConnection, CdpError, CdpSession, PendingReply, is_gone, is_gone_or_unsupported
from kapture.errors import ErrorCode, KaptureError
from kapture.page.agent_calls import agent_source
from kapture.page.dialogs import PRINT_BINDING
from kapture.page.documents.frame import AGENT_WORLD
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import NOBODY, creator_url, names_no_site, origin_of
from kapture.page.network.routes import NetworkConditions
from kapture.page.title import TITLE_BINDING
from kapture.page.typed_secrets import PASSWORD_BINDING

SessionObserver: TypeAlias = Callable[[CdpSession], Awaitable[None]]
"""Called for each session before its documents run; may enable what it observes."""

Follow: TypeAlias = Callable[[CdpSession], None]
"""Called for each session with documents, before anything is enabled on it: subscribes to events."""

_AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
_NO_AUTO_ATTACH = {"autoAttach": False, "waitForDebuggerOnStart": False, "flatten": True}


class Sessions:
    """`documents` are the sessions with documents, the root session first; `workers` those of workers, with the URL of
    each one's script."""

    def __init__(
        self,
        connection: CdpConnection,
        frames: FrameTree,
        nursery: trio.Nursery,
        *,
        follow: Sequence[Follow],
        on_leave: Callable[[CdpSession], None],
    ) -> None:
        self.documents: list[CdpSession] = []
        self.workers: dict[CdpSession, str] = {}
        self.service_workers: dict[CdpSession, str] = {}
        """Those that control a document of the tab. Only their console is observed: other tabs may have them too."""
        self.observe_service_worker: SessionObserver | None = None
        self._makers: dict[CdpSession, CdpSession] = {}
        """The session that announced a worker: that of the documents, or of the worker, that made it."""
        self.network_conditions = NetworkConditions(self.documents)
        self._connection = connection
        self._frames = frames
        self._nursery = nursery
        self._follow = [*follow, self._follow_targets]
        self._on_leave = on_leave
        self._observers: list[SessionObserver] = []
        self._early: list[tuple[CdpSession, dict[str, Any]]] = []

    def add_observer(self, observer: SessionObserver) -> Callable[[], None]:
        """Call the observer for each later session. Returns what ends that."""
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    def place(self, session: CdpSession, frame_id: str) -> str:
        """Describe a session and a frame of the tab, as `worker` or `frame f2`; empty for its page."""
        if session in self.service_workers:
            return f"service worker of {origin_of(self.service_workers[session])}"
        if session in self.workers:
            return "worker"
        frame = self._frames.by_id(frame_id) if frame_id else None
        return f"frame {frame.key}" if frame is not None and frame.key else ""

    def owners(self, session: CdpSession, frame_id: str | None) -> tuple[str, ...]:
        """The URLs of the documents or the worker that an event may belong to, by its frame.

        `""`: no frame is named, so it may be any document of the session; None: the frame is not known.
        """
        script = self.workers.get(session) or self.service_workers.get(session)
        if script is not None:
            creator = creator_url(script, "", "") if names_no_site(script) else script
            return (creator,) if creator else self.owners(self._makers[session], "")
        if frame_id == "":
            return self._all_of(session)
        frame = self._frames.by_id(frame_id) if frame_id is not None else None
        return frame.makers if frame is not None else (NOBODY,)

    def _all_of(self, session: CdpSession) -> tuple[str, ...]:
        owners = {url for frame in self._frames.all() if frame.session is session for url in frame.makers}
        return tuple(owners) or (NOBODY,)

    async def enter_root(self) -> None:
        """Set up the root session; returns when everything has been enabled on it."""
        await self._enter(self._connection.root)

    async def _enter(self, session: CdpSession) -> None:
        """Set up a session. Everything is submitted at once: a page that is loading is delayed by only one round
        trip."""
        is_root = session is self._connection.root
        self.documents.append(session)
        for follow in self._follow:
            follow(session)
        if is_root:
            session.submit("Target.getTargetInfo").then(self._frames.take_target)
            # An earlier page may have used the session: execution contexts and child sessions are announced again only
            # after disabling.
            session.submit("Runtime.disable")
            session.submit("Target.setAutoAttach", _NO_AUTO_ATTACH).then(self._take_auto_attach)
        replies = [session.submit("Page.enable")]
        # First, because the others replay earlier events: an event of an unknown frame belongs to no document.
        tree = session.submit("Page.getFrameTree")
        tree.then(lambda reply: self._take_tree(session, reply))
        replies += [
            tree,
            session.submit("Page.setLifecycleEventsEnabled", {"enabled": True}),
            session.submit("Runtime.enable"),
            session.submit("DOM.enable"),
        ]
        for name in (PASSWORD_BINDING, PRINT_BINDING, *([TITLE_BINDING] if is_root else [])):
            binding = {"name": name, "executionContextName": AGENT_WORLD}
            replies.append(session.submit("Runtime.addBinding", binding))
        if is_root:
            # A prerendered page would replace the tab's page without the events of a navigation and without the agent.
            # A browser that does not know the command refuses it, which does not matter.
            session.submit("Page.setPrerenderingAllowed", {"isAllowed": False})
        replies += [
            session.submit(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": agent_source(), "worldName": AGENT_WORLD, "runImmediately": True},
            ),
            session.submit("Target.setAutoAttach", _AUTO_ATTACH),
            # Without it clicks take seconds in a background tab, which reports that it is hidden.
            session.submit("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ]
        replies += self.network_conditions.apply(session)
        try:
            await self._observe(session)
        finally:
            if not is_root:
                replies.append(session.submit("Runtime.runIfWaitingForDebugger"))
        for reply in replies:
            try:
                await reply.wait()
            except KaptureError as error:
                # A frame that refuses a command, as one of another extension may, must not fail the tab; nor must a
                # backend that has no other sessions.
                if not _is_unsupported(error) and (is_root or not isinstance(error, CdpError)):
                    raise

    async def _enter_child(self, session: CdpSession) -> None:
        try:
            await self._enter(session)
        except KaptureError as error:
            if not is_gone(error) and not session.closed:
                raise

    async def _enter_worker(self, session: CdpSession) -> None:
        """Set up a worker's session: it has no documents, but uses the console and the network, and may start
        workers."""
        self._follow_targets(session)
        replies = [session.submit("Target.setAutoAttach", _AUTO_ATTACH)]
        try:
            await self._observe(session)
        finally:
            replies.append(session.submit("Runtime.runIfWaitingForDebugger"))
        for reply in replies:
            try:
                await reply.wait()
            except KaptureError as error:
                if not is_gone_or_unsupported(error):
                    raise

    async def _enter_service_worker(self, session: CdpSession, observer: SessionObserver) -> None:
        running = session.submit("Runtime.runIfWaitingForDebugger")
        await _observe(observer, session)
        try:
            await running.wait()
        except KaptureError as error:
            if not is_gone_or_unsupported(error):
                raise

    async def _observe(self, session: CdpSession) -> None:
        async with trio.open_nursery() as nursery:
            for observer in self._observers:
                nursery.start_soon(_observe, observer, session)

    def _follow_targets(self, session: CdpSession) -> None:
        session.on("Target.attachedToTarget", partial(self._attached, session))
        session.on("Target.detachedFromTarget", self._detached)

    def _take_auto_attach(self, reply: PendingReply) -> None:
        self._frames.only_root_session = _is_unsupported(reply.error)

    def _take_tree(self, session: CdpSession, reply: PendingReply) -> None:
        self._frames.take_reply(session, reply)
        early, self._early = self._early, []
        for announcer, params in early:
            self._attached(announcer, params)

    def _attached(self, announcer: CdpSession, params: dict[str, Any]) -> None:
        if not self._frames.known:
            self._early.append((announcer, params))  # its parent frame is not known yet
            return
        session = self._connection.session(params["sessionId"])
        target = params["targetInfo"]
        if target["type"] == "iframe":
            self._frames.announce(session, target)
            self._nursery.start_soon(self._enter_child, session)
        elif target["type"] == "worker":
            self.workers[session] = target["url"]
            self._makers[session] = announcer
            self._nursery.start_soon(self._enter_worker, session)
        elif target["type"] == "service_worker" and self.observe_service_worker is not None:
            self.service_workers[session] = target["url"]
            self._makers[session] = announcer
            self._nursery.start_soon(self._enter_service_worker, session, self.observe_service_worker)
        else:
            session.submit("Runtime.runIfWaitingForDebugger")

    def _detached(self, params: dict[str, Any]) -> None:
        session = self._connection.session(params["sessionId"])
        if session in self.documents:
            self.documents.remove(session)
        self.workers.pop(session, None)
        self.service_workers.pop(session, None)
        self._makers.pop(session, None)
        self._connection.forget(params["sessionId"])
        self._frames.leave(session)
        self._on_leave(session)


def _is_unsupported(error: BaseException | None) -> bool:
    return isinstance(error, KaptureError) and error.code is ErrorCode.UNSUPPORTED


async def _observe(observer: SessionObserver, session: CdpSession) -> None:
    """Run an observer on a session, unless the session ends meanwhile or does not offer the observer's domain."""
    try:
        await observer(session)
    except KaptureError as error:
        if not is_gone_or_unsupported(error):
            raise
