"""A frame tree that is fed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.cdp import CdpConnection, PendingReply
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from tests.support.cdp_transports import SilentTransport


def described(frame_id: str, url: str, parent: str | None = None, origin: str = "", name: str = "") -> dict[str, Any]:
    frame = {"id": frame_id, "url": url, "loaderId": f"L-{url}", "securityOrigin": origin, "name": name}
    return {**frame, "parentId": parent} if parent else frame


OUTSIDE = "https://secret.example/"
"""Where a document is outside the grant of a `World`."""


class World(SilentTransport):
    """A browser that answers nothing but what `replies` holds, or `in_turn` for one call after the other.

    `sent` are the methods that it was sent; while one in `leaving` runs, the tab leaves the grant. `closed`: URLs
    outside the grant.
    """

    def __init__(self) -> None:
        self.replies: dict[str, Any] = {}
        self.in_turn: dict[str, list[Any]] = {}
        self.sent: list[str] = []
        self.leaving: set[str] = set()
        self.closed: set[str] = set()
        self.connection = CdpConnection(self)
        self.calls = AgentCalls(Renderer(lambda: None))
        self.tree = FrameTree(lambda url: "secret" not in url and url not in self.closed, self.calls)
        self.tree.observe(self.connection.root)
        self.tree.take(
            self.connection.root, {"frame": described("M", "https://a.example/", origin="https://a.example")}
        )

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        self.sent.append(method)
        reply = PendingReply()
        if method in self.leaving:
            self.leave()
        if self.in_turn.get(method):
            reply.resolve(self.in_turn[method].pop(0))
        elif method in self.replies:
            reply.resolve(self.replies[method])
        return reply

    def event(self, method: str, session: str | None = None, /, **params: Any) -> None:
        self.connection.deliver(method, params, session)

    def attach(self, frame_id: str, parent: str = "M", session: str | None = None) -> None:
        self.event("Page.frameAttached", session, frameId=frame_id, parentFrameId=parent)

    def navigate(
        self, frame_id: str, url: str, parent: str | None = "M", session: str | None = None, **more: Any
    ) -> None:
        self.event("Page.frameNavigated", session, frame=described(frame_id, url, parent, **more), type="Navigation")

    def context(
        self, frame_id: str, number: int, name: str = "kapture", session: str | None = None, origin: str = ""
    ) -> None:
        data = {"frameId": frame_id, "isDefault": name == "", "type": "isolated" if name else "default"}
        context = {"id": number, "uniqueId": f"{session}-{number}", "origin": origin, "name": name, "auxData": data}
        self.event("Runtime.executionContextCreated", session, context=context)

    def run_scripts(self, frame_id: str = "M") -> None:
        """Scripts of the page and of the agent can run in a frame's document."""
        self.context(frame_id, 1, "")
        self.context(frame_id, 2)

    def leave(self, frame_id: str = "M", parent: str | None = None) -> None:
        """A document outside the grant takes the place of a frame's, and runs scripts."""
        self.navigate(frame_id, OUTSIDE, parent)
        self.context(frame_id, 3, "")
        self.context(frame_id, 4)

    def child(self, session: str) -> None:
        self.tree.observe(self.connection.session(session))

    def announce(self, frame_id: str, session: str, url: str = "", parent: str = "M") -> None:
        target = {"targetId": frame_id, "type": "iframe", "url": url, "parentFrameId": parent}
        self.tree.announce(self.connection.session(session), target)
