"""A tab with one document and no browser: commands are recorded and answered at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import trio

from kapture.cdp import CdpCommand, CdpConnection, CdpError, PendingReply, run_program
from kapture.errors import KaptureError
from kapture.page.agent_calls import AgentCalls, agent_source
from kapture.page.documents.frame import Frame, Renderer
from kapture.page.documents.frames import FrameTree
from kapture.page.input.mouse import InputQueue
from kapture.page.page import Page

_RESULTS: Mapping[str, dict[str, Any]] = {
    "Page.getLayoutMetrics": {"cssVisualViewport": {"pageX": 0, "pageY": 0}},
    "DOM.getNodeForLocation": {"backendNodeId": 1, "frameId": "M"},
    "DOM.describeNode": {"node": {"backendNodeId": 3}},
    "DOM.getFrameOwner": {"backendNodeId": 2},
    "DOM.resolveNode": {"object": {"objectId": "O"}},
    "DOMDebugger.getEventListeners": {"listeners": []},
}
"""The browser's results by method; the hit test finds nothing that covers the element."""


REPORT = {
    "changed": True,
    "quiet": 1_000,
    "moving": False,
    "transients": [],
    "scrolled": [],
    "restyled": [],
    "ticking": [],
}
"""The agent's report of a finished action."""

"""The end of a call of the agent with the arguments of a snapshot to add."""

_LETS_IN = re.compile(r'kapture\.run\("acceptInput",\{\},\d+,0\)')
"""A notice to a new document; see kapture/page/input/input_guard.py."""


class OneDocument:
    """A tab with one document. Commands are answered at once, those of a program as the extension would do it.

    `answers` has what each function of the agent answers;
    `errors` what each fails with, `errors_in_turn` what calls of `ready` fail with, None for those that do not;
    documents at `outside` are outside the grant; functions in `ask` ask who listens for clicks until they are told;
    methods in `silent` are never answered; `missing`: the document has no agent. Kept are `batches`, the programs that
    were handed over, as methods and whether they wait for the previous ones; `alone`, the methods of all other
    commands; `run`, those of the commands that were not skipped; `evaluated`, the calls that the agent got; `input`,
    its parameters; `called`, the agent's functions. That new documents are let accept input is not kept.
    """

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, bool]]] = []
        self.alone: list[str] = []
        self.run: list[str] = []
        self.input: list[Mapping[str, Any]] = []
        self.called: list[str] = []
        self.answers: dict[str, Any] = {}
        self.ask: set[str] = set()
        self.missing = False
        self.evaluated: list[str] = []
        self.refuses: set[str] = set()
        self.silent: set[str] = set()
        self.blocked: KaptureError | None = None
        self.granted = True
        self.outside = ""
        self.errors: dict[str, Any] = {}
        self.errors_in_turn: list[Any] = []
        self.connection = CdpConnection(self)
        self.queue = InputQueue(self.connection.root, lambda: self.blocked)
        self.frames = FrameTree(
            lambda url: self.granted and url != self.outside, AgentCalls(Renderer(lambda: self.blocked))
        )
        self.frames.observe(self.connection.root)
        self.frames.take(self.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})

    @property
    def main(self) -> Frame:
        return self.frames.main

    def page(self, nursery: trio.Nursery) -> Page:
        """The engine's page on this tab, with the agent in its document."""
        page = Page(self.connection, "tab1", lambda url: self.granted and url != self.outside, nursery)
        page.frames.observe(self.connection.root)
        page.frames.take(self.connection.root, {"frame": {"id": "M", "url": "https://a.example/", "loaderId": "L"}})
        self.load()
        return page

    def load(self, frame_id: str = "M") -> None:
        """The agent is in a frame's document."""
        data = {"frameId": frame_id, "isDefault": False, "type": "isolated"}
        context = {"id": 1, "uniqueId": f"U{frame_id}", "name": "kapture", "auxData": data}
        self.connection.deliver("Runtime.executionContextCreated", {"context": context}, None)

    def add_frame(self, url: str) -> None:
        """A frame in the document."""
        self.connection.deliver("Page.frameAttached", {"frameId": "F", "parentFrameId": "M"}, None)
        frame = {"id": "F", "parentId": "M", "url": url, "loaderId": "LF"}
        self.connection.deliver("Page.frameNavigated", {"frame": frame}, None)
        self.load("F")

    def submit(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        if _LETS_IN.fullmatch(params.get("expression", "")):
            let_in = PendingReply()
            let_in.resolve({"result": {}})
            return let_in
        self.alone.append(method)
        return self._reply(method, params, session_id)

    def submit_all(self, commands: Sequence[CdpCommand]) -> None:
        self.batches.append([(command.method, command.wait_for_previous) for command in commands])
        run_program(self._reply, commands)

    def _reply(self, method: str, params: Mapping[str, Any], session_id: str | None) -> PendingReply:
        reply = PendingReply()
        self.run.append(method)
        if method in self.refuses:
            reply.fail(CdpError(method, "no"))
        elif params.get("expression") == "document":
            reply.resolve({"result": {"objectId": "D"}})
        elif params.get("expression") == agent_source():
            self.missing = False
            reply.resolve({"result": {}})
        elif method == "Runtime.evaluate" and self.missing:
            thrown = {"description": "ReferenceError: kapture is not defined"}
            reply.resolve({"result": {}, "exceptionDetails": {"exception": thrown}})
        elif method == "Runtime.evaluate":
            self.evaluated.append(params["expression"])
            functions = re.findall(r'kapture\.run\("(\w+)"', params["expression"])
            self.called += functions
            function = functions[-1]
            failed = self.errors.get(function)
            if function == "ready" and self.errors_in_turn:
                failed = self.errors_in_turn.pop(0)
            answer = {"error": failed} if failed else {"value": self.answers.get(function)}
            if function in self.ask and "kapture.adoptListeners(" not in params["expression"]:
                answer = {"ask": "listeners", "roots": 0}
            reply.resolve({"result": {"value": json.dumps({"top": 0, **answer})}})
        else:
            if method == "Page.createIsolatedWorld":
                self.load()
            if method.startswith("Input."):
                self.input.append(params)
            if method not in self.silent:
                reply.resolve(_RESULTS.get(method, {}))
        return reply
