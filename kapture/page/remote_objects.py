"""Elements across the worlds of a document: from a ref to a remote object, and from a remote object to a ref."""

from __future__ import annotations

import json
from typing import Any

from kapture.errors import ErrorCode, KaptureError, Wording
from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import ExecutionContext, Frame
from kapture.page.element import Element
from kapture.page.object_group import object_group, release_group

GROUP = "kapture-handles"
"""The CDP object group of the handles that `handle_in` makes, for `Runtime.releaseObjectGroup`."""


async def backend_node_id(element: Element) -> int:
    """The element's `backendNodeId`, accepted by all CDP domains. `REF_EXPIRED` if it is gone."""
    frame = element.frame
    agent = await frame.context()
    frame.check_granted()
    group = object_group("node")
    evaluate = {
        "expression": f"kapture.element({element.number})",
        "uniqueContextId": agent.context_id,
        "objectGroup": group,
    }
    try:
        answer = await frame.renderer.send(agent.session, "Runtime.evaluate", evaluate, agent)
        if "objectId" not in answer["result"]:
            raise KaptureError(
                ErrorCode.REF_EXPIRED,
                f"{element.describe()} has gone from the document.",
                hint=Wording("{Look}."),
                data={"ref": element.ref},
                quotes_page=True,
            )
        handle = {"objectId": answer["result"]["objectId"]}
        described = await frame.renderer.send(agent.session, "DOM.describeNode", handle, agent)
    finally:
        release_group(agent.session, group)
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
    """The element with this `backendNodeId`; assigns it a ref."""
    return Element.of(frame, await call_on(frame, node_id, "identify"))


async def call_on(frame: Frame, node_id: int, function: FunctionName) -> Any:
    """Call a function of the agent with `element` set to the element with this `backendNodeId`."""
    agent = await frame.context()
    frame.check_granted()
    answer = await frame.renderer.send(
        agent.session,
        "Runtime.callFunctionOn",
        {
            "objectId": await handle_in(agent, frame, node_id),
            "functionDeclaration": f"function (base) {{ return kapture.run('{function}', {{element: this}}, base) }}",
            "arguments": [{"value": frame.top_ref}],
            "returnByValue": True,
        },
        agent,
    )
    outcome: dict[str, Any] = json.loads(answer["result"]["value"])
    frame.top_ref = max(frame.top_ref, outcome["top"])
    if error := outcome.get("error"):
        raise KaptureError(ErrorCode(error["code"]), error["message"])
    return outcome["value"]


def release(context: ExecutionContext) -> None:
    """Release the handles in `GROUP` of a document's session."""
    release_group(context.session, GROUP)
