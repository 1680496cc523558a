"""Facts of a document that only the browser knows: click listeners, closed shadow roots, semantics of custom
elements."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import attrs
import trio

from kapture.cdp import CdpError, EarlierResult
from kapture.errors import KaptureError
from kapture.page.documents.frame import ExecutionContext, Frame, Renderer
from kapture.page.object_group import object_group

# Finds the elements on which the page listens for clicks.
#
# The agent's world sees only its own listeners. The browser knows all of them; which elements frameworks delegate for
# is
# visible only in the page's world, where a read-only script that the extension knows asks for it. What the page's own
# code delegates for is not known: such elements show that they can be clicked by their role or cursor.

CLICKS = frozenset({"click", "dblclick", "mousedown", "pointerdown"})


def pressed_nodes(listeners: Iterable[Mapping[str, Any]]) -> list[int]:
    """Backend node ids of elements that listen for clicks and presses. `listeners`: as
    `DOMDebugger.getEventListeners` returns them."""
    return list({one["backendNodeId"]: None for one in listeners if one["type"] in CLICKS})


@cache
def listeners_script() -> str:
    """The script made from kapture/page/agent/dom/listeners.main.js."""
    return files("kapture.page").joinpath("listeners.bundle.js").read_text("utf-8").strip()


_MOST_NEW = 500
"""Elements passed to the agent at once; on a page with more, the others follow the next time."""
_MOST_ROOTS = 100
"""Shadow roots that are asked about."""
_TIMEOUT_MS = 1_000
"""Time limit for asking the page: one that is slow is shown without what its frameworks delegate for."""

Command: TypeAlias = tuple[str, Mapping[str, Any]]
"""A CDP command and its parameters."""

Ask: TypeAlias = Callable[[Sequence[Command]], Awaitable[list[dict[str, Any] | CdpError]]]
"""Sends CDP commands at once; returns each one's result, or the browser's refusal. They may use earlier results."""


@attrs.frozen
class Worlds:
    """The two worlds of a document. `agent` and `main` identify their contexts for `Runtime.evaluate`; `main` is None
    if the page's own is not known. `number` is the agent's `executionContextId`."""

    agent: Mapping[str, Any]
    number: int
    main: Mapping[str, Any] | None


@attrs.frozen
class Questions:
    """The first commands to the browser: `document` commands find the document, and `trees` ask for its listeners."""

    commands: Sequence[Command]
    document: int
    trees: int


@attrs.define
class _Known:
    """The findings in one document: handles of it in the agent's world and in the page's; handles of its
    shadow roots in the page's world, by backend node id; and ids of elements that the agent knows, and of nodes that it
    cannot be given because they are in other documents."""

    document: str
    page: str
    version: int = 0
    roots: dict[int, str] = attrs.field(factory=dict)
    given: set[int] = attrs.field(factory=set)
    refused: set[int] = attrs.field(factory=set)


class ClickListeners:
    """Finds click listeners for the agents of a tab."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Any, _Known] = WeakKeyDictionary()

    def questions(self, context: object, worlds: Worlds) -> Questions:
        """Return the first questions. `context` identifies the agent's context for as long as it exists."""
        known = self._known.get(context)
        first = [] if known else _document(worlds)
        page = known.page if known else EarlierResult(len(first) - 1, "/object/objectId")
        trees = [page, *(known.roots.values() if known else ())]
        commands = [*first, *map(_listeners_of, trees)]
        if worlds.main is not None:
            script = {"expression": listeners_script(), "returnByValue": True, "timeout": _TIMEOUT_MS}
            commands.append(("Runtime.evaluate", {**script, **worlds.main}))
        return Questions(commands, len(first), len(trees))

    async def find_out(
        self,
        ask: Ask,
        context: object,
        worlds: Worlds,
        roots: int = 0,
    ) -> str:
        """The expression that passes the findings to the agent. `roots` changes whenever the document has other shadow
        roots, and is 0 without any."""
        known = self._known.get(context)
        if known is not None and roots != known.version:
            known.roots = await _shadow_roots(ask, known.roots, worlds)
            known.version = roots
        questions = self.questions(context, worlds)
        answers = await ask(questions.commands)
        first, rest = answers[: questions.document], answers[questions.document :]
        known = known or _known(first)
        if known is None:
            return _adopt([], None)
        self._known[context] = known
        found, frameworks = rest[: questions.trees], rest[questions.trees :]
        if roots != known.version:
            known.roots = await _shadow_roots(ask, known.roots, worlds)
            known.version = roots
            found = [*found[:1], *await ask([*map(_listeners_of, known.roots.values())])]
        listeners = [one for tree in found if not isinstance(tree, CdpError) for one in tree["listeners"]]
        nodes = pressed_nodes(listeners)
        known.given.intersection_update(nodes)
        known.refused.intersection_update(nodes)
        fresh = [node for node in nodes if node not in known.given and node not in known.refused]
        await _give(ask, known, fresh[:_MOST_NEW], worlds.number)
        return _adopt(sorted(known.given), _text(frameworks))


def _document(worlds: Worlds) -> list[Command]:
    """Commands that resolve the document, in the agent's world and in the page's."""
    return [
        ("Runtime.evaluate", {"expression": "document", **worlds.agent}),
        ("DOM.describeNode", {"objectId": EarlierResult(0, "/result/objectId")}),
        ("DOM.resolveNode", {"backendNodeId": EarlierResult(1, "/node/backendNodeId")}),
    ]


def _known(answers: Sequence[dict[str, Any] | CdpError]) -> _Known | None:
    """Handles of a document that was asked about for the first time; None if it is gone."""
    document, _, page = answers
    if isinstance(document, CdpError) or isinstance(page, CdpError):
        return None
    return _Known(document["result"]["objectId"], page["object"]["objectId"])


def _listeners_of(tree: str | EarlierResult) -> Command:
    # From the page's world, because any other sees only its own listeners. `pierce` would show all of them, but
    # Chromium crashes the page after some sixty such calls (seen in 150 on Linux).
    return "DOMDebugger.getEventListeners", {"objectId": tree, "depth": -1}


async def _shadow_roots(ask: Ask, known: Mapping[int, str], worlds: Worlds) -> dict[int, str]:
    """Handles in the page's world of the shadow roots that the agent knows, by backend node id. Those of roots that it
    knows no more are released: they would keep what the page has removed in its memory."""
    group = object_group("roots")
    _, entries = await ask(
        [
            ("Runtime.evaluate", {"expression": "kapture.shadowRoots()", "objectGroup": group, **worlds.agent}),
            ("Runtime.getProperties", {"objectId": EarlierResult(0, "/result/objectId"), "ownProperties": True}),
        ]
    )
    if isinstance(entries, CdpError):
        return {}
    handles = [entry["value"]["objectId"] for entry in entries["result"] if entry["name"].isdecimal()][:_MOST_ROOTS]
    described = await ask([("DOM.describeNode", {"objectId": handle}) for handle in handles])
    ids = [one["node"]["backendNodeId"] for one in described if not isinstance(one, CdpError)]
    fresh = [root for root in ids if root not in known]
    resolved = await ask(
        [
            *(("DOM.resolveNode", {"backendNodeId": root}) for root in fresh),
            *(("Runtime.releaseObject", {"objectId": known[root]}) for root in known.keys() - set(ids)),
            ("Runtime.releaseObjectGroup", {"objectGroup": group}),
        ]
    )
    answers = zip(fresh, resolved, strict=False)
    new = {root: answer["object"]["objectId"] for root, answer in answers if not isinstance(answer, CdpError)}
    return {root: known[root] for root in ids if root in known} | new


async def _give(ask: Ask, known: _Known, nodes: Sequence[int], number: int) -> None:
    """Pass elements to the agent, by backend node id."""
    if not nodes:
        return
    group = object_group("listeners")
    resolved = await ask(
        [
            ("DOM.resolveNode", {"backendNodeId": node, "executionContextId": number, "objectGroup": group})
            for node in nodes
        ]
    )
    handles = {
        node: answer["object"]["objectId"]
        for node, answer in zip(nodes, resolved, strict=True)
        if not isinstance(answer, CdpError)
    }
    known.refused.update(set(nodes) - handles.keys())
    known.given.update(handles)
    give = {
        "objectId": known.document,
        "functionDeclaration": "function(ids, ...nodes) { kapture.rememberNodes(ids, nodes) }",
        "arguments": [{"value": list(handles)}, *({"objectId": handle} for handle in handles.values())],
    }
    await ask([("Runtime.callFunctionOn", give), ("Runtime.releaseObjectGroup", {"objectGroup": group})])


def _text(answers: Sequence[dict[str, Any] | CdpError]) -> str | None:
    """The answer of the page's world, if it has answered."""
    for answer in answers:
        if not isinstance(answer, CdpError) and isinstance(text := answer["result"].get("value"), str):
            return text
    return None


def _adopt(ids: Sequence[int], frameworks: str | None) -> str:
    return f"kapture.adoptListeners({json.dumps(ids)},{json.dumps(frameworks)});"


# Passing closed shadow roots to the agent.
#
# Scripts cannot see them, but the browser can: the agent lists elements that may have one, and gets the roots of those
# that do, once per document.

ROOTS_WANTED = "roots"
"""The message of the agent's recorder when elements may have closed roots, inside which it would hear nothing."""

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


# Semantics that custom elements declare through ElementInternals.
#
# No script but the element's own can read them. The browser's accessibility tree has them, and is asked about the
# elements that the agent lists (kapture/page/agent/accessibility/internals.js).


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
