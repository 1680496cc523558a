"""Elements across the worlds of a document: from a ref to the page's own object, and from that to a ref."""

from __future__ import annotations

import json
from typing import Any

from kapture.errors import ErrorCode, KaptureError
from kapture.page.element import Element
from kapture.page.execution_context import ExecutionContext
from kapture.page.frame import Frame

GROUP = "kapture-handles"
"""CDP object group of all handles made here; `Runtime.releaseObjectGroup` lets go of them."""


async def backend_node_id(element: Element) -> int:
    """The browser's id of the element, by which any CDP domain can name it. `REF_EXPIRED` when it has gone."""
    frame = element.frame
    agent = await frame.context()
    frame.check_granted()
    answer = await frame.renderer.send(
        agent.session,
        "Runtime.evaluate",
        {
            "expression": f"kapture.element({element.number})",
            "uniqueContextId": agent.context_id,
            "objectGroup": GROUP,
        },
        agent,
    )
    if "objectId" not in answer["result"]:
        raise KaptureError(
            ErrorCode.REF_EXPIRED,
            f"{element.describe()} has gone from the document.",
            hint="Take a new snapshot.",
            data={"ref": element.ref},
        )
    handle = answer["result"]["objectId"]
    described = await frame.renderer.send(agent.session, "DOM.describeNode", {"objectId": handle}, agent)
    return int(described["node"]["backendNodeId"])


async def handle_in(context: ExecutionContext, frame: Frame, node_id: int) -> str:
    """The CDP object id of a node in one world of its document."""
    resolved = await frame.renderer.send(
        context.session,
        "DOM.resolveNode",
        {"backendNodeId": node_id, "executionContextId": context.number, "objectGroup": GROUP},
        context,
    )
    return str(resolved["object"]["objectId"])


async def element_of(frame: Frame, node_id: int) -> Element:
    """The element with the browser's id, given a ref."""
    agent = await frame.context()
    frame.check_granted()
    answer = await frame.renderer.send(
        agent.session,
        "Runtime.callFunctionOn",
        {
            "objectId": await handle_in(agent, frame, node_id),
            "functionDeclaration": "function (base) { return kapture.run('identify', {element: this}, base) }",
            "arguments": [{"value": frame.top_ref}],
            "returnByValue": True,
        },
        agent,
    )
    outcome: dict[str, Any] = json.loads(answer["result"]["value"])
    frame.top_ref = max(frame.top_ref, outcome["top"])
    if error := outcome.get("error"):
        raise KaptureError(ErrorCode(error["code"]), error["message"])
    return Element.of(frame, outcome["value"])


def release(context: ExecutionContext) -> None:
    """Let go of the handles made in a document's session. Nothing waits for it, and nothing is lost if it fails."""
    context.session.submit("Runtime.releaseObjectGroup", {"objectGroup": GROUP})
