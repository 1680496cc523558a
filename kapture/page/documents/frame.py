"""One frame, and the documents that it shows.

A frame can exist in two processes for a moment: while it moves from one to another, both report it, in no certain
order. Each is a `FrameHost`; the latest is the current one, and what the other reports about its own document is kept
separate until it is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

import attrs

from kapture.cdp import CdpSession, Condition, PendingReply
from kapture.cdp.pending_replies import RENDERER
from kapture.errors import KaptureError
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.execution_context import AGENT_WORLD, ExecutionContext, ExecutionContexts, World
from kapture.page.documents.frame_host import FrameHost, with_shown
from kapture.page.documents.pending_call import PendingCall
from kapture.page.documents.read_gate import NOBODY, FrameNotGranted, ReadGate, names_no_site, origin_of, read_denied
from kapture.page.documents.ref import ref_text
from kapture.page.documents.renderer import Renderer


class Agent(Protocol):
    """The agents in a tab's documents, as frames call them; implemented by `kapture.page.agent_calls`."""

    renderer: Renderer

    async def call(self, frame: Frame, function: FunctionName, args: Mapping[str, Any], *, into: Any) -> Any:
        """See `Frame.call`."""

    def begin(
        self,
        frame: Frame,
        function: FunctionName,
        args: Mapping[str, Any],
        *,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> PendingCall | None:
        """Send a call without waiting; None if that is not possible at once."""

    def notify(self, frame: Frame, function: FunctionName) -> None:
        """Call without waiting, now or later."""

    def notify_next(self, frame: Frame, function: FunctionName) -> None:
        """Call without waiting, together with what is sent next."""

    async def context(self, frame: Frame, world: World) -> ExecutionContext:
        """See `Frame.context`."""


@attrs.define(eq=False)
class Frame:
    """One frame. It keeps its key through navigations and moves between processes."""

    agent: Agent = attrs.field(repr=False)
    contexts: ExecutionContexts = attrs.field(repr=False)
    gate: ReadGate = attrs.field(repr=False)
    id: str
    key: str
    parent: Frame | None = attrs.field(repr=False)
    host: FrameHost
    detached: bool = False
    crashed: bool = False
    initial: bool = False
    """Whether it shows the empty document that a frame has before its first navigation."""
    parent_loader: str = ""
    """The `loader_id` of the document that it is in."""
    shown: tuple[str, ...] = ()
    """The `creator` of each document that it has shown before."""
    top_ref: int = 0
    """The highest ref number assigned in this frame so far, in any of its documents."""
    known_tree: object | None = None
    """The last tree of its documents; see kapture/snapshot/sent_tree.py."""
    owner_known_in: str = ""
    """The context of the parent's agent that has been told which of its elements shows this frame."""
    children: list[Frame] = attrs.field(factory=list, repr=False)
    """The child frames, in the order in which they appeared."""
    _others: list[FrameHost] = attrs.field(factory=list)

    @property
    def session(self) -> CdpSession:
        """The CDP session of the frame's current document."""
        return self.host.session

    def ask(self) -> PendingReply:
        """Ask the document's renderer something. What its tasks have caused so far is reported before it answers."""
        try:
            return self.session.submit("Page.getFrameTree", needs=RENDERER)
        except KaptureError as error:
            return PendingReply.failed(error)

    @property
    def url(self) -> str:
        """The URL of the document."""
        return self.host.url

    @property
    def name(self) -> str:
        """The frame's name in its page."""
        return self.host.name

    @property
    def loader_id(self) -> str:
        """The CDP id of the load that brought the document."""
        return self.host.loader_id

    @property
    def policy_url(self) -> str:
        """The URL that decides whether this document is granted: of `makers`, one that is not, if there is one."""
        makers = self.makers
        return makers[0] if len(makers) == 1 else next((url for url in makers if not self.gate(url)), makers[0])

    @property
    def creator(self) -> str:
        """The URL that names the document's site: its own or, where that names none, its origin's; as far as known."""
        if not names_no_site(self.url):
            return self.url
        if self.parent is None and self.host.has_unknown_maker(self.gate):
            return NOBODY
        return self.host.came_from or (self.parent.creator if self.parent else self.url)

    @property
    def makers(self) -> tuple[str, ...]:
        """The URLs of all documents that may have made this one, `creator` first: all of them must be granted.

        Of opaque origin, all that can navigate its frame: those around it (HTML, "allowed by sandboxing to navigate"),
        nobody known where one has gone, and in a child frame those that it showed before, which may have begun to."""
        if self.host.opaque and names_no_site(self.url):
            all_ = (self, *self.ancestors())
            gone = any(one.parent and one.parent.loader_id != one.parent_loader for one in all_)
            shown = (url for one in all_ if one.parent and one.host.opaque for url in one.shown)
            return (*(one.creator for one in all_), *shown, *((NOBODY,) if gone else ()))
        of_parent = names_no_site(self.url) and not self.host.came_from
        return self.parent.makers if self.parent and of_parent else (self.creator,)

    @property
    def passed_on(self) -> str:
        """`creator` of a next document whose URL names no site: after an error page, what could not be opened."""
        return self.creator if names_no_site(self.host.unreachable) else self.host.unreachable

    @property
    def origin(self) -> str:
        """The origin of its document: all that is shown of one outside the grant."""
        return origin_of(self.policy_url)

    @property
    def document_origin(self) -> str:
        """The origin that the browser gives its document; empty if opaque, as in a sandboxed frame, or not known."""
        origin = context.origin if (context := self.current_context("main")) else ""
        return "file:" if origin == "file://" else origin if origin.startswith("http") else ""

    @property
    def why_silent(self) -> Literal["", "crashed", "out of reach"]:
        """Why its document cannot be asked anything, so that nobody waits for an answer; "" if it can."""
        return "crashed" if self.crashed else "out of reach" if self.host.out_of_reach else ""

    @property
    def granted(self) -> bool:
        """Whether the call in progress may read this document."""
        return self.gate(self.policy_url)

    def ancestors(self) -> Iterator[Frame]:
        """Parents, nearest first."""
        frame = self.parent
        while frame is not None:
            yield frame
            frame = frame.parent

    def ref(self, number: int) -> str:
        """The ref of an element in this frame, as clients write it: `e12`, `f2e12`."""
        return ref_text(self.key, number)

    def check_granted(self) -> None:
        """Raise `POLICY_DENIED` if the document is outside the grant."""
        if not self.granted:
            if self.parent is None:
                raise read_denied(self.policy_url, "The page")
            raise FrameNotGranted(self.policy_url, self.key)

    async def call(
        self,
        function: FunctionName,
        args: Mapping[str, Any] | None = None,
        *,
        into: Any = Any,
    ) -> Any:
        """Call a function of the agent in this frame's current document; returns its value, decoded from JSON `into` a
        type.

        An `AgentError` is raised as the `KaptureError` that it names. If the document goes away, the next one is asked
        if the function may be retried, else `DETACHED` is raised. Only functions that reveal nothing of the document's
        contents are called without asking the gate (see `agent_functions`).
        """
        return await self.agent.call(self, function, args or {}, into=into)

    def begin(
        self,
        function: FunctionName,
        args: Mapping[str, Any] | None = None,
        *,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> PendingCall | None:
        """As `call`, without waiting; None if it cannot be sent at once. `wait_for_previous`, `requires`: see
        `kapture.cdp.CdpCommand`."""
        return self.agent.begin(self, function, args or {}, wait_for_previous=wait_for_previous, requires=requires)

    def notify(self, function: FunctionName) -> None:
        """Call a function without arguments and without waiting, if the document exists. Nothing may depend on it."""
        self.agent.notify(self, function)

    def notify_next(self, function: FunctionName) -> None:
        """As `notify`, right before whatever is sent to the tab next, at no further cost."""
        self.agent.notify_next(self, function)

    async def context(self, world: World = AGENT_WORLD) -> ExecutionContext:
        """The execution context of the current document; waits while it is being created."""
        return await self.agent.context(self, world)

    def current_context(self, world: World = AGENT_WORLD) -> ExecutionContext | None:
        """The same, or None if it does not exist yet."""
        return self.contexts.current(self.session, self.id, world)

    @property
    def renderer(self) -> Renderer:
        """Sends commands that this frame's renderer must answer."""
        return self.agent.renderer

    # Called by the frame tree on events of the browser.
    def attach(self, session: CdpSession) -> FrameHost:
        """A process reports that it has the frame: it is the current one from now on."""
        if self.host.session is not session:
            # Until the new process shows a document, the old one's is in the frame.
            host = self._other(session) or FrameHost(session, came_from=self.creator, opaque=self.host.opaque)
            self._others = [one for one in (*self._others, self.host) if one is not host and not one.gone]
            self.host = host
        self.host.gone = self.host.out_of_reach = False
        return self.host

    def host_in(self, session: CdpSession) -> FrameHost:
        """The frame in a process, current or not."""
        if self.host.session is session:
            return self.host
        host = self._other(session)
        if host is None:
            host = FrameHost(session)
            self._others.insert(0, host)
        return host

    def detach(self, session: CdpSession) -> bool:
        """A process does not have the frame any more; returns whether another one has."""
        if self.host.session is not session:
            self._others = [host for host in self._others if host.session is not session]
            return True
        if not self._others:
            self.host.gone = True
            return False
        self.host = self._others.pop()
        return True

    def move_to(self, parent: Frame) -> None:
        """It is this frame's child now."""
        if self.parent is not parent:
            if self.parent is not None:
                self.parent.children.remove(self)
            parent.children.append(self)
        self.parent, self.parent_loader = parent, parent.loader_id

    def commit(self, info: Mapping[str, Any], session: CdpSession) -> None:
        """Set a new document from the `frame` of `Page.frameNavigated` or of the frame tree."""
        before, host = self.passed_on, self.host_in(session)
        self.initial = info["url"] == ":"  # what Chromium says there
        self.shown = with_shown(self.shown, before)
        host.commit(info, before)
        if (context := self.contexts.current(session, self.id, "main")) is not None:
            self.created_by(context.origin, session)  # of a restored document it is reported first
        self.crashed &= host is not self.host

    def created_by(self, origin: str, session: CdpSession) -> bool:
        """Note the origin of a document's execution context; returns whether that changes whose document it is."""
        host = self.host if self.host.session is session else self._other(session)
        return host is not None and host.created_by(origin, self.parent.creator if self.parent else "")

    def _other(self, session: CdpSession) -> FrameHost | None:
        return next((host for host in self._others if host.session is session), None)
