"""Follows the documents of a tab while the hub has no `Page` for it: its frames, from the browser's events alone.

Nothing is injected into the documents. On each session only `Page` and `Runtime` are enabled, for the documents and
their execution contexts, and frames in other processes are attached to, because they would be unknown otherwise.
"""

from __future__ import annotations

from typing import Any

from kapture.cdp import CdpConnection, CdpSession, PendingReply
from kapture.page.agent_calls import AgentCalls
from kapture.page.documents.frame import Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.documents.read_gate import ReadGate

_AUTO_ATTACH = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}


class DocumentFollower:
    """`frames`, judged by `gate`."""

    def __init__(self, connection: CdpConnection, gate: ReadGate) -> None:
        self.gate = gate
        self.frames = FrameTree(gate, AgentCalls(Renderer(lambda: None)))
        self._connection = connection

    @property
    def url(self) -> str:
        """The URL of the main frame's document."""
        return self.frames.main.url

    async def start(self) -> None:
        """Follow the tab; returns when its frames and their execution contexts are known."""
        self._connection.root.submit("Target.getTargetInfo").then(self.frames.take_target)
        for reply in self._follow(self._connection.root):
            await reply.wait()
        self.auto_attach(None)

    def auto_attach(self, session_id: str | None) -> None:
        """Attach to the frames in other processes that belong to a session's documents."""
        self._connection.session(session_id).submit("Target.setAutoAttach", _AUTO_ATTACH)

    def _follow(self, session: CdpSession) -> tuple[PendingReply, PendingReply]:
        self.frames.observe(session)
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        session.submit("Page.enable")
        tree = session.submit("Page.getFrameTree")
        tree.then(lambda reply: self.frames.take_reply(session, reply))
        return tree, session.submit("Runtime.enable")

    def _attached(self, params: dict[str, Any]) -> None:
        target = params["targetInfo"]
        if target["type"] == "iframe":
            session = self._connection.session(params["sessionId"])
            self.frames.announce(session, target)
            self._follow(session)
            self.auto_attach(params["sessionId"])

    def _detached(self, params: dict[str, Any]) -> None:
        session = self._connection.session(params["sessionId"])
        self._connection.forget(params["sessionId"])
        self.frames.leave(session)
