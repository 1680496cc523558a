"""Semantics that custom elements declare through ElementInternals.

No script but the element's own can read them. The browser's accessibility tree has them, and is asked about the
elements that the agent lists (kapture/page/agent/accessibility/internals.js).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from kapture.cdp import CdpError, EarlierResult
from kapture.page.object_group import object_group

Ask: TypeAlias = Callable[[Sequence[tuple[str, Mapping[str, Any]]]], Awaitable[list[dict[str, Any] | CdpError]]]
"""Sends CDP commands at once; returns each one's result, or the browser's refusal."""


async def element_internals(ask: Ask, context: Mapping[str, Any]) -> list[dict[str, Any] | None]:
    """For each element that the agent lists, its semantics from the browser, or None. `context` identifies the agent's
    context for `Runtime.evaluate`."""
    group = object_group("internals")
    evaluate = {"expression": "kapture.takeInternals()", "objectGroup": group, **context}
    of_list = {"objectId": EarlierResult(0, "/result/objectId"), "ownProperties": True}
    _, entries = await ask([("Runtime.evaluate", evaluate), ("Runtime.getProperties", of_list)])
    if isinstance(entries, CdpError):
        return []
    handles = [entry["value"]["objectId"] for entry in entries["result"] if entry["name"].isdecimal()]
    questions = [
        ("Accessibility.getPartialAXTree", {"objectId": handle, "fetchRelatives": False}) for handle in handles
    ]
    *answers, _ = await ask([*questions, ("Runtime.releaseObjectGroup", {"objectGroup": group})])
    return [None if isinstance(answer, CdpError) else _semantics(answer["nodes"]) for answer in answers]


def _semantics(nodes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """An AXNode of CDP in the form that the agent reads (kapture/page/agent/accessibility/adopt_internals.js)."""
    if not nodes or nodes[0].get("ignored"):
        return None
    node = nodes[0]

    def text(field: str) -> str:
        return str(node.get(field, {}).get("value") or "")

    properties = {one["name"]: one["value"]["value"] for one in node.get("properties", ()) if "value" in one["value"]}
    semantics = {name: text(name) for name in ("role", "name", "description")} | {"properties": properties}
    if "value" in node.get("value", {}):
        semantics["value"] = node["value"]["value"]
    return semantics


def adopt_internals(found: list[dict[str, Any] | None]) -> str:
    """The expression that passes the answers to the agent."""
    return f"kapture.adoptInternals({json.dumps(found)});"
