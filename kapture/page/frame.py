"""One frame, and the documents that it shows.

A frame can for a moment exist in two processes: while it moves from one to another, both tell of it, in no certain
order. Each is a `Home`; the last is the one that counts, and what the other says about its own document is kept
apart until it is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import attrs

from kapture.cdp import CdpSession
from kapture.page.agent_functions import FunctionName
from kapture.page.read_gate import creator_url, names_no_site, read_denied
from kapture.page.ref import ref_text

if TYPE_CHECKING:
    from kapture.page.frames import FrameTree

World: TypeAlias = Literal["main", "kapture"]

AGENT_WORLD: World = "kapture"
WORLDS: tuple[World, ...] = ("main", "kapture")


@attrs.frozen(eq=False)
class Document:
    """One execution context: a world of one document of a frame. `unique_id` is the browser's `uniqueContextId`."""

    frame_id: str
    world: World
    session: CdpSession
    unique_id: str
    number: int


@attrs.define(eq=False)
class Home:
    """A frame as one process has it: the CDP session of that process, and the document that it shows there."""

    session: CdpSession
    url: str = ""
    name: str = ""
    loader_id: str = ""
    content_type: str = ""
    came_from: str = ""
    gone: bool = False


@attrs.define(eq=False)
class Frame:
    """One frame. It keeps its key through navigations and moves between processes."""

    tree: FrameTree = attrs.field(repr=False)
    id: str
    key: str
    parent: Frame | None = attrs.field(repr=False)
    home: Home
    detached: bool = False
    crashed: bool = False
    top_ref: int = 0
    """The highest ref number given out in this frame so far, in any of its documents."""
    resting: bool = False
    """Whether tasks of the last action may still wait for their turn; see kapture/page/agent/settle.js."""
    adopted_in: str = ""
    """The parent's agent context that knows this frame's key."""
    _others: list[Home] = attrs.field(factory=list)

    @property
    def session(self) -> CdpSession:
        """The CDP session that the frame's document answers on."""
        return self.home.session

    @property
    def url(self) -> str:
        """The address of the document."""
        return self.home.url

    @property
    def name(self) -> str:
        """The frame's name in its page."""
        return self.home.name

    @property
    def loader_id(self) -> str:
        """The browser's id of the load that brought the document."""
        return self.home.loader_id

    @property
    def content_type(self) -> str:
        """The document's MIME type."""
        return self.home.content_type

    @property
    def policy_url(self) -> str:
        """The URL whose grant covers this document: its own, or, for `about:`, `data:` and `blob:`, its origin's."""
        if self.inherits:
            return self.home.came_from or (self.parent.policy_url if self.parent else self.url)
        return self.url

    @property
    def inherits(self) -> bool:
        """Whether the document's own URL names no site."""
        return names_no_site(self.url)

    @property
    def granted(self) -> bool:
        """Whether the call in progress may read this document."""
        return self.tree.gate(self.policy_url)

    @property
    def children(self) -> list[Frame]:
        """The frames right in this one, in the order in which they came."""
        return [frame for frame in self.tree.all() if frame.parent is self]

    def ancestors(self) -> Iterator[Frame]:
        """Parents, nearest first."""
        frame = self.parent
        while frame is not None:
            yield frame
            frame = frame.parent

    def ref(self, number: int) -> str:
        """A ref of this frame, as clients write it: `e12`, `f2e12`."""
        return ref_text(self.key, number)

    def check_granted(self) -> None:
        """`POLICY_DENIED` when the document is outside the grant."""
        if not self.granted:
            raise read_denied(self.policy_url, "The page" if self.parent is None else f"Frame {self.key}")

    async def call(self, function: FunctionName, args: Mapping[str, Any] | None = None, *, into: Any = Any) -> Any:
        """Call a function of the agent in this frame's current document; its value, decoded from JSON `into` a type.

        The agent's `AgentError` arrives as the `KaptureError` it names. When the document goes away meanwhile the
        error is `DETACHED`, or the next document is asked where the function may be retried. Only functions that
        reveal nothing of the document's contents are called without asking the gate (see `agent_functions`).
        """
        return await self.tree.calls.call(self, function, args or {}, into=into)

    async def document(self, world: World = AGENT_WORLD) -> Document:
        """The execution context of the current document, waited for when it is still being made."""
        return await self.tree.calls.document(self, world)

    # What the tree does as the browser tells.

    def claim(self, session: CdpSession) -> Home:
        """A process says that the frame is there now: it is the one that counts."""
        if self.home.session is not session:
            home = self._other(session) or Home(session)
            self._others = [one for one in (*self._others, self.home) if one is not home and not one.gone]
            self.home = home
        self.home.gone = False
        return self.home

    def home_in(self, session: CdpSession) -> Home:
        """The frame as a process has it, whether it counts or not."""
        if self.home.session is session:
            return self.home
        home = self._other(session)
        if home is None:
            home = Home(session)
            self._others.insert(0, home)
        return home

    def leave(self, session: CdpSession) -> bool:
        """A process does not have the frame any more; whether another one has."""
        if self.home.session is not session:
            self._others = [home for home in self._others if home.session is not session]
            return True
        if not self._others:
            self.home.gone = True
            return False
        self.home = self._others.pop()
        return True

    def arrive(self, told: Mapping[str, Any], session: CdpSession) -> None:
        """A new document: the `frame` of `Page.frameNavigated` or of the frame tree."""
        before = self.policy_url
        home = self.home_in(session)
        home.url = told["url"] + told.get("urlFragment", "")
        home.name = told.get("name", "")
        home.loader_id = told["loaderId"]
        home.content_type = told.get("mimeType", "")
        made_by = creator_url(home.url, told.get("securityOrigin", ""), before)
        home.came_from = made_by if names_no_site(home.url) else ""
        if home is self.home:
            self.crashed = False

    def _other(self, session: CdpSession) -> Home | None:
        return next((home for home in self._others if home.session is session), None)
