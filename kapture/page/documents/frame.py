"""One frame: its documents and their execution contexts, the process that renders it, and calls of its agent."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

import attrs

from kapture.cdp import CdpError, CdpSession, Condition, PendingReply, ResultReference, Skipped, is_gone
from kapture.cdp.program import RENDERER
from kapture.changed import Changed
from kapture.errors import Detached, ErrorCode, KaptureError, Wording
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.read_gate import (
    EVERY_SITE,
    NOBODY,
    FrameNotGranted,
    ReadGate,
    creator_url,
    names_no_site,
    origin_of,
    read_denied,
)
from kapture.page.object_group import object_group, release_group

Key: TypeAlias = tuple[str, int]
"""A frame's key ("" for the main frame) and the number of an element in it."""

_REF = re.compile(r"(?:@|ref=)?(f[0-9]{1,15})?e([0-9]{1,15})")
"""The numbers are exact in JavaScript, which has 53 bits for them; Python refuses to convert very long ones."""


def ref_text(frame: str, number: int) -> str:
    """The ref of an element: `e12`, `f2e12`."""
    return f"{frame}e{number}"


def parse_ref(text: str) -> Key | None:
    """`f2e12` → `("f2", 12)`; `@e12` and `ref=e12` are accepted too. None if it is not a ref."""
    match = _REF.fullmatch(text.strip())
    return (match[1] or "", int(match[2])) if match else None


def expect_ref(text: str) -> Key:
    """As `parse_ref`, but raises `INVALID_PARAMS` if it is not a ref."""
    if key := parse_ref(text):
        return key
    raise KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"{text!r} is not a ref.",
        hint=Wording("Refs look like e12 or f2e12.", "For a CSS selector, use {css}."),
        data={"ref": text},
    )


class PendingCall(Protocol):
    """A call of the agent that was sent."""

    @property
    def reply(self) -> PendingReply:
        """The browser's answer."""

    @property
    def value(self) -> ResultReference:
        """A reference to its value, for later steps of the same program."""

    async def finish(self) -> Any:
        """Wait for its value."""


World: TypeAlias = Literal["main", "kapture"]

AGENT_WORLD: World = "kapture"
_WORLDS: tuple[World, ...] = ("main", "kapture")


class ContextGone(Detached):
    """The execution context was destroyed before it answered. It is not known whether it did what it was asked to."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.DETACHED,
            "The page navigated to another document while this ran.",
            hint="Look at the page again: the action may have taken effect or not.",
        )


@attrs.frozen(eq=False)
class ExecutionContext:
    """One world of one document of a frame.

    `context_id` is CDP's `uniqueContextId`, never reused; `number` is its `executionContextId`, unique only in its
    process; `origin` is the document's.
    """

    frame_id: str
    world: World
    session: CdpSession
    context_id: str
    number: int
    origin: str


class ExecutionContexts:
    """The execution contexts of one tab. `changed` is notified when one is created or destroyed; `on_agent` is called
    with the id of a frame whose document is known and has its agent now."""

    def __init__(self, changed: Changed, on_agent: Callable[[str], None] = lambda _: None) -> None:
        self.changed = changed
        self._on_agent = on_agent
        self._contexts: dict[tuple[CdpSession, str, World], ExecutionContext] = {}
        self._between_pages: set[CdpSession] = set()
        """Sessions whose page is gone and the next not known: one from the back/forward cache reports its contexts
        before itself."""

    def observe(self, session: CdpSession) -> None:
        """Subscribe to the events of one session."""
        session.on("Runtime.executionContextCreated", lambda params: self._created(session, params["context"]))
        session.on(
            "Runtime.executionContextDestroyed", lambda params: self._destroyed(session, params["executionContextId"])
        )
        session.on("Runtime.executionContextsCleared", lambda _: self._cleared(session))

    def page_came(self, session: CdpSession) -> None:
        """The session has reported which page it shows."""
        self._between_pages.discard(session)

    def current(self, session: CdpSession, frame_id: str, world: World) -> ExecutionContext | None:
        """The context of the document that a frame shows in a session; None if it does not exist yet."""
        return self._contexts.get((session, frame_id, world))

    def of_page(self, session: CdpSession, context: object) -> ExecutionContext | None:
        """The context of a session with this `number` or `context_id`, if it is the main world of a document."""
        if isinstance(context, bool):
            return None
        for known in self._contexts.values():
            of_page = known.session is session and known.world == "main"
            if of_page and context in (known.number, known.context_id):
                return known
        return None

    def end_session(self, session: CdpSession) -> None:
        """Drop all contexts of a session that has ended."""
        self._between_pages.discard(session)
        self._destroyed(session, None)

    def end_document(self, session: CdpSession, frame_id: str) -> None:
        """Drop the contexts of a document that a frame showed in a session."""
        for world in _WORLDS:
            if context := self._contexts.get((session, frame_id, world)):
                self._end(context)

    def end_initial_document(self, session: CdpSession, frame_id: str, origin: str | None) -> None:
        """Drop the contexts of a frame's initial empty document, unless the next document, of this origin (None: of the
        same, if it has contexts), has them.

        Chromium reuses the window for a document of the same origin, and reports no new contexts then (Blink's
        `LocalFrame::ShouldReuseDefaultView`). If it does not reuse it, it has reported the end of the contexts before.
        """
        for world in _WORLDS:
            context = self._contexts.get((session, frame_id, world))
            if context is not None and origin is not None and (not context.origin or context.origin != origin):
                self._end(context)
            elif context is not None and world == AGENT_WORLD:
                self._on_agent(frame_id)

    def end_frame(self, frame_id: str) -> None:
        """Drop the contexts of a frame that is gone, in every session."""
        for context in tuple(self._contexts.values()):
            if context.frame_id == frame_id:
                self._end(context)

    def _created(self, session: CdpSession, described: dict[str, Any]) -> None:
        details = described.get("auxData") or {}
        frame_id = details.get("frameId")
        if frame_id is None:
            return
        if details.get("isDefault"):
            world: World = "main"
        elif described.get("name") == AGENT_WORLD:
            world = AGENT_WORLD
        else:
            return
        key = (session, frame_id, world)
        if before := self._contexts.get(key):
            self._end(before)
        self._contexts[key] = ExecutionContext(
            frame_id, world, session, described["uniqueId"], described["id"], described.get("origin", "")
        )
        if world == AGENT_WORLD and session not in self._between_pages:
            self._on_agent(frame_id)
        self.changed.notify()

    def _cleared(self, session: CdpSession) -> None:
        self._destroyed(session, None)
        self._between_pages.add(session)

    def _destroyed(self, session: CdpSession, number: int | None) -> None:
        for context in tuple(self._contexts.values()):
            if context.session is session and number in (None, context.number):
                self._end(context)
        self.changed.notify()

    def _end(self, context: ExecutionContext) -> None:
        key = (context.session, context.frame_id, context.world)
        if self._contexts.get(key) is context:
            del self._contexts[key]
        context.session.connection.pending.fail_context(context.context_id, ContextGone())


WaitForReply: TypeAlias = Callable[[PendingReply], Awaitable[dict[str, Any]]]
"""Waits for a reply; by default `PendingReply.wait`."""


class Renderer:
    """The renderer processes of one tab. `blocked` returns the error of what blocks them, if anything does."""

    def __init__(self, blocked: Callable[[], KaptureError | None]) -> None:
        self._blocked = blocked

    @property
    def is_blocked(self) -> bool:
        """Whether a dialog is open, so that no renderer would reply now."""
        return self._blocked() is not None

    async def send(
        self,
        session: CdpSession,
        method: str,
        params: Mapping[str, Any],
        context: ExecutionContext | None = None,
        *,
        wait: WaitForReply = PendingReply.wait,
    ) -> dict[str, Any]:
        """Send and wait for the result. `ContextGone` if the context is destroyed, `CdpError` for other refusals."""
        if blocked := self._blocked():
            raise blocked
        return await self.finish(session.submit(method, params, needs=_needs(context)), wait)

    async def send_all(
        self,
        session: CdpSession,
        commands: Sequence[tuple[str, Mapping[str, Any]]],
        context: ExecutionContext | None = None,
    ) -> list[dict[str, Any] | CdpError]:
        """Send all together, as `CdpSession.submit_all`; returns each one's result, or the browser's refusal."""
        if blocked := self._blocked():
            raise blocked
        return await self.finish_all(commands, session.submit_all(commands, needs=_needs(context)))

    async def finish_all(
        self, commands: Sequence[tuple[str, Mapping[str, Any]]], replies: Sequence[PendingReply]
    ) -> list[dict[str, Any] | CdpError]:
        """Wait for the results, or refusals, of commands submitted with `CdpSession.submit_all`."""
        answers: list[dict[str, Any] | CdpError] = []
        for (method, _), reply in zip(commands, replies, strict=True):
            try:
                answers.append(await self.finish(reply))
            except CdpError as error:
                answers.append(error)
            except Skipped as error:
                answers.append(CdpError(method, error.message))
        return answers

    async def evaluate(
        self, context: ExecutionContext, expression: str, *, await_promise: bool = True, user_gesture: bool = False
    ) -> dict[str, Any]:
        """`Runtime.evaluate` by value in one context; returns the CDP result."""
        return await self.finish(
            self.submit(context, expression, await_promise=await_promise, user_gesture=user_gesture)
        )

    def submit(
        self,
        context: ExecutionContext,
        expression: str,
        *,
        await_promise: bool = True,
        user_gesture: bool = False,
        wait_for_previous: bool = False,
        requires: Sequence[Condition] = (),
    ) -> PendingReply:
        """As `evaluate`, without waiting; `finish` waits. `wait_for_previous`, `requires`: see `CdpCommand`."""
        if blocked := self._blocked():
            reply = PendingReply()
            reply.fail(blocked)
            return reply
        params = {
            "expression": expression,
            "uniqueContextId": context.context_id,
            "awaitPromise": await_promise,
            "returnByValue": True,
            "userGesture": user_gesture,
        }
        return context.session.submit(
            "Runtime.evaluate",
            params,
            wait_for_previous=wait_for_previous,
            requires=requires,
            needs=context.context_id,
        )

    async def finish(self, reply: PendingReply, wait: WaitForReply = PendingReply.wait) -> dict[str, Any]:
        """Wait for the result of a submitted command."""
        try:
            return await wait(reply)
        except CdpError as error:
            if is_gone(error):
                raise ContextGone from error
            raise


def _needs(context: ExecutionContext | None) -> str:
    return RENDERER if context is None else context.context_id


def has_new_children(frame: Frame, context: ExecutionContext) -> bool:
    """Whether the agent in this context does not know the elements of some child frames yet."""
    return any(child.owner_known_in != context.context_id for child in frame.children)


async def announce_children(renderer: Renderer, frame: Frame, context: ExecutionContext) -> None:
    """Tell the agent which of its elements shows which frame."""

    async def send(method: str, params: dict[str, Any]) -> dict[str, Any]:
        return await renderer.send(context.session, method, params, context)

    group = object_group("owners")
    try:
        for child in tuple(frame.children):
            if child.owner_known_in == context.context_id:
                continue
            try:
                owner = await send("DOM.getFrameOwner", {"frameId": child.id})
                node = {"backendNodeId": owner["backendNodeId"], "executionContextId": context.number}
                handle = await send("DOM.resolveNode", {**node, "objectGroup": group})
                await send(
                    "Runtime.callFunctionOn",
                    {
                        "objectId": handle["object"]["objectId"],
                        "functionDeclaration": "function(key){kapture.adoptFrame(this,key)}",
                        "arguments": [{"value": child.key}],
                    },
                )
            except (CdpError, ContextGone):
                pass  # the child or the document has gone; in the latter case the call that follows fails too
            child.owner_known_in = context.context_id
    finally:
        # The handles would keep elements that the page removes in its memory.
        release_group(context.session, group)


async def owner_quad(frame: Frame) -> list[float]:
    """The corners of the content box of a frame's element in its parent's viewport: x and y, clockwise from the top
    left. Unlike boxes they show how the element is rotated or skewed."""
    parent = frame.parent
    if parent is None:
        raise ValueError("the main frame has no owner")
    context = await parent.context()
    owner = await parent.renderer.send(context.session, "DOM.getFrameOwner", {"frameId": frame.id}, context)
    box = await parent.renderer.send(
        context.session, "DOM.getBoxModel", {"backendNodeId": owner["backendNodeId"]}, context
    )
    quad: list[float] = box["model"]["content"]
    return quad


_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://.*[^/]|file://")
"""An origin that is not opaque; Chromium writes an opaque one as `://`."""


_MOST_SHOWN = 50
"""How many documents of a frame are remembered one by one."""


def _text() -> str:
    """A field that takes text only: every list of tabs shows it, and what browsers send is not checked before."""
    return attrs.field(default="", validator=attrs.validators.instance_of(str))


@attrs.define(eq=False)
class FrameHost:
    """The CDP session of a process, and the document that the frame shows there."""

    session: CdpSession
    url: str = _text()
    name: str = _text()
    loader_id: str = _text()
    came_from: str = _text()
    """The URL that decides about a document whose own names no site; empty if its parent frame's decides."""
    unreachable: str = _text()
    """The URL in whose place the browser shows its error page; empty if this is none."""
    opaque: bool = False
    """Whether nothing says who made the document: its URL names no site, and its origin is opaque or not known yet."""
    opened: bool = False
    """Whether a client has opened the document, by `Page.navigate`."""
    in_opened_tab: bool = False
    """Whether it is the document of a tab that a page has opened."""
    gone: bool = False
    out_of_reach: bool = False
    """Whether it has gone to a process in which the backend gets no session."""

    def has_unknown_maker(self, gate: ReadGate) -> bool:
        """Whether a document of a tab that has shown another before, or that a page opened, may be of any, of which not
        all are granted.

        A sandboxed document gives its opaque origin to the blank page, or blob, that it takes a tab to, and its windows
        may write there. Only the browser takes a tab to a `data:` URL, and to a blank page of an origin of its own.
        """
        by_browser = self.url.startswith("data:") or (self.opened and not self.url.startswith("blob:"))
        is_first = self.came_from == "" and not self.in_opened_tab
        return self.opaque and not is_first and not by_browser and not gate(EVERY_SITE)

    def announce(self, url: str) -> None:
        """Note the URL that the browser gives for a target, until its process has reported a document.

        It is empty while the frame still has its initial empty document, which is its parent's, as `srcdoc` is.
        """
        if self.loader_id:
            return
        self.url = url
        self.opaque = _names_no_maker(url) if url else self.opaque
        if url.startswith("blob:http"):
            self.came_from = url.removeprefix("blob:")
        elif not self.came_from and names_no_site(url) and url and not url.startswith("about:srcdoc"):
            self.came_from = NOBODY

    def commit(self, info: Mapping[str, Any], before: str) -> None:
        """Set a new document from CDP's `Page.Frame`; `before` is the deciding URL of the frame's previous one."""
        initial = info["url"] == ":"
        self.url = "about:blank" if initial else info["url"] + info.get("urlFragment", "")
        self.opaque = not initial and _names_no_maker(self.url)
        self.name = info.get("name", "")
        self.loader_id = info["loaderId"]
        self.unreachable = info.get("unreachableUrl", "")
        self.came_from = (
            creator_url(self.url, info.get("securityOrigin", ""), before) if names_no_site(self.url) else ""
        )

    def created_by(self, origin: str, around: str) -> bool:
        """Note the origin of the document's execution context; returns whether that changes whose document it is.

        `around` is the deciding URL of the parent frame; empty if there is none.
        """
        if not names_no_site(self.url):
            return False
        before = self.came_from, self.opaque
        self.opaque = _ORIGIN.fullmatch(origin) is None and _names_no_maker(self.url)
        if _ORIGIN.fullmatch(origin) is not None:
            if origin_of(self.came_from or around) != origin_of(f"{origin}/"):
                self.came_from = f"{origin}/"
        elif self.came_from == NOBODY and around:
            self.came_from = ""
        return (self.came_from, self.opaque) != before


def with_shown(shown: tuple[str, ...], url: str) -> tuple[str, ...]:
    """The URLs that decide about the documents which a frame has shown, with one more; nobody known for too many."""
    if url in shown or NOBODY in shown:
        return shown
    return (*shown, url if len(shown) < _MOST_SHOWN else NOBODY)


def _names_no_maker(url: str) -> bool:
    """Whether a document with this URL may have been made by any document that may navigate its frame.

    An empty document that has not navigated yet, and `srcdoc`, are of the parent frame; most blobs name their site.
    """
    return url != "" and names_no_site(url) and not url.startswith(("about:srcdoc", "blob:http"))


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

    def notify(self, frame: Frame, function: FunctionName) -> PendingReply | None:
        """Call without waiting; None if there is no document that could be called."""

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

    def notify(self, function: FunctionName) -> PendingReply | None:
        """Call a function without arguments and without waiting, if the document exists."""
        return self.agent.notify(self, function)

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
