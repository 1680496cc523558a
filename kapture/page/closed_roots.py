"""Passing closed shadow roots to the agent.

Scripts cannot see them, but the browser can: the agent lists elements that may have one, and gets the roots of those
that do, once per document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kapture.cdp import CdpError, EarlierResult
from kapture.page.execution_context import ExecutionContext
from kapture.page.renderer import Renderer

_GROUP = "kapture-hosts"


async def adopt_closed_roots(renderer: Renderer, context: ExecutionContext) -> int:
    """Ask the browser about the elements that the agent lists; returns how many roots were passed to the agent."""

    async def ask(*requests: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        answers = await renderer.send_all(context.session, requests, context)
        return [answer for answer in answers if not isinstance(answer, CdpError)]

    expression = {"expression": "kapture.takeHosts()", "uniqueContextId": context.context_id, "objectGroup": _GROUP}
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
                {"backendNodeId": root, "executionContextId": context.number, "objectGroup": _GROUP},
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
        ("Runtime.releaseObjectGroup", {"objectGroup": _GROUP}),
    )
    return len(resolved)
