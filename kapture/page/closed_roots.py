"""Handing closed shadow roots to the agent.

Scripts cannot see them, the browser can: the agent names elements that may have one, and for those that do it is
given the root itself, once a document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from kapture.cdp import CdpError, CdpSession

if TYPE_CHECKING:
    from kapture.page.frames import Document


class Asking(Protocol):
    """What asks the browser without ever waiting in vain (`AgentCalls`)."""

    async def guarded_all(
        self, session: CdpSession, calls: list[tuple[str, Mapping[str, Any]]], document: Document | None = None
    ) -> list[dict[str, Any] | CdpError]:
        """Send all at once; each one's result, or the browser's refusal."""


async def adopt_closed_roots(calls: Asking, document: Document) -> int:
    """Ask about the elements that the agent names; how many roots it has been given."""

    async def ask(*requests: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
        answers = await calls.guarded_all(document.session, list(requests), document)
        return [answer for answer in answers if not isinstance(answer, CdpError)]

    expression = {"expression": "kapture.takeHosts()", "uniqueContextId": document.unique_id, "objectGroup": _GROUP}
    (listing,) = await ask(("Runtime.evaluate", expression))
    entries = await ask(("Runtime.getProperties", {"objectId": listing["result"]["objectId"], "ownProperties": True}))
    hosts = [entry["value"]["objectId"] for entry in entries[0]["result"] if entry["name"].isdigit()]
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
                {"backendNodeId": root, "executionContextId": document.number, "objectGroup": _GROUP},
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


_GROUP = "kapture-hosts"
