"""The functions of the page agent, and what the hub must know of each.

Made from kapture/page/agent/functions.js by `npm run build`. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs


@attrs.frozen(kw_only=True)
class AgentFunction:
    """`gated`: the grant is asked before the call. `needs_frames`: the agent must know which element shows which
    frame. `retry_unless`: when the document goes away meanwhile the next one may be asked, unless one of these
    arguments is given (`"target.ref"`: `ref` in the argument `target`); None: it may not."""

    gated: bool = True
    needs_frames: bool = True
    retry_unless: tuple[str, ...] | None = None

    def may_retry(self, args: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments may be made again in the document that comes next."""
        return self.retry_unless is not None and not any(_is_given(path, args) for path in self.retry_unless)


def _is_given(path: str, args: Mapping[str, Any]) -> bool:
    value: Any = args
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value is not None


FunctionName = Literal[
    "snapshot",
    "find",
    "locate",
    "inspect",
    "see",
    "seeChange",
    "readText",
    "readHtml",
    "readLinks",
    "listTables",
    "tableRows",
    "identify",
    "box",
    "intoFrame",
    "outOfFrame",
    "state",
    "documentState",
    "viewportSize",
    "viewportChange",
    "platform",
    "userAgent",
    "knowsLocale",
    "permissionStates",
    "storage",
    "ready",
    "framePoint",
    "expectNoPress",
    "refuseInput",
    "acceptInput",
    "afterPress",
    "finishFill",
    "readBack",
    "toggleState",
    "rangeState",
    "findOption",
    "optionTaken",
    "choiceDiffers",
    "unwanted",
    "scrollList",
    "scrollState",
    "scrollToPosition",
    "scrollEnd",
    "notePositions",
    "scrollAllBack",
    "scrollToElement",
    "focused",
    "probed",
    "focusedFrame",
    "submitButton",
    "submitForm",
    "fileInput",
    "givenFiles",
    "watchDrop",
    "takesDrop",
    "droppedFiles",
    "offerPaste",
    "insertHtml",
    "watchDrag",
    "dragPosition",
    "dragStarted",
    "endDrag",
    "watch",
    "effects",
    "startRecording",
    "stopRecording",
    "recordedElements",
    "metrics",
    "draw",
    "erase",
    "veil",
    "unveil",
    "endTransitions",
    "scrollBack",
    "awaitPaint",
]

FUNCTIONS: Mapping[FunctionName, AgentFunction] = {
    "snapshot": AgentFunction(retry_unless=()),
    "find": AgentFunction(retry_unless=()),
    "locate": AgentFunction(retry_unless=()),
    "inspect": AgentFunction(retry_unless=()),
    "see": AgentFunction(retry_unless=()),
    "seeChange": AgentFunction(),
    "readText": AgentFunction(retry_unless=("ref",)),
    "readHtml": AgentFunction(retry_unless=("ref",)),
    "readLinks": AgentFunction(retry_unless=("ref",)),
    "listTables": AgentFunction(retry_unless=()),
    "tableRows": AgentFunction(),
    "identify": AgentFunction(),
    "box": AgentFunction(),
    "intoFrame": AgentFunction(),
    "outOfFrame": AgentFunction(gated=False),
    "state": AgentFunction(),
    "documentState": AgentFunction(retry_unless=()),
    "viewportSize": AgentFunction(gated=False, needs_frames=False),
    "viewportChange": AgentFunction(retry_unless=()),
    "platform": AgentFunction(gated=False, needs_frames=False, retry_unless=()),
    "userAgent": AgentFunction(retry_unless=()),
    "knowsLocale": AgentFunction(retry_unless=()),
    "permissionStates": AgentFunction(retry_unless=()),
    "storage": AgentFunction(),
    "ready": AgentFunction(retry_unless=("target.ref", "prepare")),
    "framePoint": AgentFunction(gated=False),
    "expectNoPress": AgentFunction(gated=False),
    "refuseInput": AgentFunction(gated=False, needs_frames=False),
    "acceptInput": AgentFunction(gated=False, needs_frames=False),
    "afterPress": AgentFunction(gated=False, needs_frames=False),
    "finishFill": AgentFunction(needs_frames=False),
    "readBack": AgentFunction(needs_frames=False),
    "toggleState": AgentFunction(needs_frames=False),
    "rangeState": AgentFunction(needs_frames=False),
    "findOption": AgentFunction(),
    "optionTaken": AgentFunction(),
    "choiceDiffers": AgentFunction(),
    "unwanted": AgentFunction(),
    "scrollList": AgentFunction(),
    "scrollState": AgentFunction(),
    "scrollToPosition": AgentFunction(),
    "scrollEnd": AgentFunction(),
    "notePositions": AgentFunction(),
    "scrollAllBack": AgentFunction(),
    "scrollToElement": AgentFunction(),
    "focused": AgentFunction(),
    "probed": AgentFunction(gated=False, needs_frames=False),
    "focusedFrame": AgentFunction(gated=False),
    "submitButton": AgentFunction(),
    "submitForm": AgentFunction(),
    "fileInput": AgentFunction(needs_frames=False),
    "givenFiles": AgentFunction(needs_frames=False),
    "watchDrop": AgentFunction(needs_frames=False),
    "takesDrop": AgentFunction(needs_frames=False),
    "droppedFiles": AgentFunction(needs_frames=False),
    "offerPaste": AgentFunction(),
    "insertHtml": AgentFunction(),
    "watchDrag": AgentFunction(gated=False),
    "dragPosition": AgentFunction(),
    "dragStarted": AgentFunction(gated=False),
    "endDrag": AgentFunction(gated=False),
    "watch": AgentFunction(gated=False),
    "effects": AgentFunction(),
    "startRecording": AgentFunction(needs_frames=False, retry_unless=()),
    "stopRecording": AgentFunction(gated=False, needs_frames=False),
    "recordedElements": AgentFunction(),
    "metrics": AgentFunction(),
    "draw": AgentFunction(),
    "erase": AgentFunction(),
    "veil": AgentFunction(gated=False, needs_frames=False),
    "unveil": AgentFunction(gated=False, needs_frames=False),
    "endTransitions": AgentFunction(needs_frames=False),
    "scrollBack": AgentFunction(),
    "awaitPaint": AgentFunction(gated=False, needs_frames=False),
}
