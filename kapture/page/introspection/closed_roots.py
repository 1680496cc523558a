"""Passing closed shadow roots to the agent.

Scripts cannot see them, but the browser can: the agent lists elements that may have one, and gets the roots of those
that do, once per document.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import attrs
import trio

from kapture.cdp import CdpError, EarlierResult
from kapture.errors import KaptureError
from kapture.page.documents.frame import ExecutionContext, Frame, Renderer
from kapture.page.object_group import object_group

ROOTS_WANTED = "roots"
"""What the agent's recorder sends when elements may have closed roots, inside which it would hear nothing."""

_MOST_ROUNDS = 100
"""How deep closed roots may be nested; a page that attaches one after another would be searched for ever."""


class ClosedRoots:
    """Passes closed roots to agents at other times than calls, in tasks of the page's nursery."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self._nursery = nursery
        self._searches: dict[ExecutionContext, _Search] = {}

    def look_for(self, frame: Frame) -> trio.Event:
        """Pass the closed roots of the frame's document, also those within others; the event is set once it has all
        that there are now."""
        context = frame.current_context()
        if context is None:
            search = _Search()
            search.over.set()
        elif context in self._searches:
            search = self._searches[context]
            search.again = True
        else:
            search = self._searches[context] = _Search()
            self._nursery.start_soon(self._pass_all, frame, context, search)
        return search.over

    async def _pass_all(self, frame: Frame, context: ExecutionContext, search: _Search) -> None:
        try:
            with suppress(KaptureError):  # the document is gone, or a dialog is open: the agent asks again
                for _ in range(_MOST_ROUNDS):
                    if not search.again or not frame.granted:
                        break
                    search.again = False
                    if await adopt_closed_roots(frame.renderer, context):
                        search.again = True
        finally:
            del self._searches[context]
            search.over.set()


@attrs.define(eq=False)
class _Search:
    """A search in one document. `again`: it may have more by now than was found."""

    again: bool = True
    over: trio.Event = attrs.field(factory=trio.Event)


async def adopt_closed_roots(renderer: Renderer, context: ExecutionContext) -> int:
    """Ask the browser about the elements that the agent lists; returns how many roots were passed to the agent."""

    async def ask(*requests: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        answers = await renderer.send_all(context.session, requests, context)
        return [answer for answer in answers if not isinstance(answer, CdpError)]

    group = object_group("closed-roots")
    expression = {"expression": "kapture.takeHosts()", "uniqueContextId": context.context_id, "objectGroup": group}
    of_list = {"objectId": EarlierResult(0, "/result/objectId"), "ownProperties": True}
    _, entries = await renderer.send_all(
        context.session, [("Runtime.evaluate", expression), ("Runtime.getProperties", of_list)], context
    )
    if isinstance(entries, CdpError):
        return 0
    hosts = [entry["value"]["objectId"] for entry in entries["result"] if entry["name"].isdigit()]
    nodes = await ask(*(("DOM.describeNode", {"objectId": host}) for host in hosts))
    roots = [
        root["backendNodeId"]
        for node in nodes
        for root in node["node"].get("shadowRoots", ())
        if root["shadowRootType"] == "closed"
    ]
    resolved = await ask(
        *(
            (
                "DOM.resolveNode",
                {"backendNodeId": root, "executionContextId": context.number, "objectGroup": group},
            )
            for root in roots
        )
    )
    await ask(
        *(
            (
                "Runtime.callFunctionOn",
                {
                    "objectId": handle["object"]["objectId"],
                    "functionDeclaration": "function(){kapture.adoptShadowRoot(this)}",
                },
            )
            for handle in resolved
        ),
        ("Runtime.releaseObjectGroup", {"objectGroup": group}),
    )
    return len(resolved)
