"""A tab with the agent injected, and helpers to read the agent's trees."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from kapture.cdp import CdpConnection, CdpError
from kapture.page.agent_calls import agent_source
from kapture.page.introspection import ClickListeners, Worlds, adopt_internals, element_internals
from kapture.snapshot.node import Node
from kapture.snapshot.tree import SentTree

Json = dict[str, Any]


class AgentPage:
    """A tab with the agent in its main frame, without the page engine."""

    def __init__(self, connection: CdpConnection, frame_id: str) -> None:
        self.session = connection.root
        self._frame_id = frame_id
        self._context = 0

    @classmethod
    async def attach(cls, connection: CdpConnection) -> AgentPage:
        for domain in ("Page", "Runtime", "DOM", "Accessibility"):
            await connection.root.send(f"{domain}.enable")
        tree = await connection.root.send("Page.getFrameTree")
        return cls(connection, tree["frameTree"]["frame"]["id"])

    async def show(self, html: str) -> None:
        """Put a document into the tab; scripts in it run. It has a new agent when this returns."""
        await self.session.send("Page.setDocumentContent", {"frameId": self._frame_id, "html": html})
        world = {"frameId": self._frame_id, "worldName": f"kapture{self._context}"}
        answer = await self.session.send("Page.createIsolatedWorld", world)
        self._context = answer["executionContextId"]
        await self.evaluate(agent_source())
        await self._adopt_closed_roots()

    async def _adopt_closed_roots(self) -> None:
        document = await self.session.send("DOM.getDocument", {"depth": -1, "pierce": True})
        for node in walk(document["root"]):
            for root in node.get("shadowRoots", ()):
                if root["shadowRootType"] != "closed":
                    continue
                target = {"backendNodeId": root["backendNodeId"], "executionContextId": self._context}
                handle = (await self.session.send("DOM.resolveNode", target))["object"]["objectId"]
                call = "function() { kapture.adoptShadowRoot(this); }"
                await self.session.send("Runtime.callFunctionOn", {"functionDeclaration": call, "objectId": handle})

    async def evaluate(self, expression: str, *, by_value: bool = True) -> Any:
        """In the agent's world: the value, or with `by_value=False` the remote object."""
        answer = await self.session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": self._context,
                "returnByValue": by_value,
                "awaitPromise": True,
            },
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value") if by_value else answer["result"]

    async def run(self, function: str, /, **arguments: Any) -> Any:
        """Call an agent function. Raises `AssertionError` with the answer when it fails."""
        call = f"kapture.run({json.dumps(function)}, {json.dumps(arguments)}, 0)"
        first = ""
        while True:
            answer = json.loads(await self.evaluate(first + call))
            if "ask" not in answer:
                break
            first += await self._find_out(answer["ask"], answer["roots"])
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    async def snapshot(self, **arguments: Any) -> Json:
        """The agent's tree with its nodes as objects; `children` only if there are any."""
        return _described(msgspec.convert(await self.run("snapshot", **arguments), SentTree).root)

    async def _find_out(self, what: str, roots: int) -> str:
        async def ask(commands: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any] | CdpError]:
            return [await reply.wait() for reply in self.session.submit_all(commands)]

        agent = {"contextId": self._context}
        if what == "internals":
            return adopt_internals(await element_internals(ask, agent))
        return await ClickListeners().find_out(ask, self, Worlds(agent, self._context, {}), roots)

    async def backend_ids(self, refs: list[int]) -> list[int]:
        """The backend node ids of the elements with these refs."""
        listing = await self.evaluate(f"{json.dumps(refs)}.map(kapture.element)", by_value=False)
        properties = await self.session.send(
            "Runtime.getProperties", {"objectId": listing["objectId"], "ownProperties": True}
        )
        handles = [entry["value"]["objectId"] for entry in properties["result"] if entry["name"].isdecimal()]
        described = await self.session.send_all([("DOM.describeNode", {"objectId": handle}) for handle in handles])
        return [answer["node"]["backendNodeId"] for answer in described]

    async def full_tree(self) -> list[Json]:
        """The nodes of `Accessibility.getFullAXTree`."""
        nodes: list[Json] = (await self.session.send("Accessibility.getFullAXTree"))["nodes"]
        return nodes

    async def browser_made(self) -> tuple[set[int], set[int]]:
        """Ids of nodes that no script can reach: those in user agent shadow trees, and pseudo-elements."""
        document = await self.session.send("DOM.getDocument", {"depth": -1, "pierce": True})
        shadow: set[int] = set()
        pseudo: set[int] = set()
        for node in walk(document["root"]):
            for root in node.get("shadowRoots", ()):
                if root["shadowRootType"] == "user-agent":
                    shadow.update(inner["backendNodeId"] for inner in walk(root))
            pseudo.update(one["backendNodeId"] for one in node.get("pseudoElements", ()))
        return shadow, pseudo


def _described(node: Node) -> Json:
    described: Json = json.loads(msgspec.json.encode({"name": "", "ref": node.ref, **node.facts()}))
    if node.children:
        described["children"] = [child if isinstance(child, str) else _described(child) for child in node.children]
    return described


def walk(node: Json) -> Iterator[Json]:
    """A CDP DOM node and its descendants within the document."""
    yield node
    for key in ("children", "shadowRoots", "pseudoElements"):
        for child in node.get(key, ()):
            yield from walk(child)


def nodes_of(tree: Json) -> Iterator[Json]:
    """The nodes of the agent's tree, in tree order."""
    yield tree
    for child in tree.get("children", ()):
        if isinstance(child, dict):
            yield from nodes_of(child)


def text_of(tree: Json, atomic: frozenset[str]) -> str:
    """All text of the agent's tree without white space, except inside nodes with a role in `atomic`."""
    if tree["role"] in atomic:
        return ""
    parts = [
        re.sub(r"\s", "", child) if isinstance(child, str) else text_of(child, atomic)
        for child in tree.get("children", ())
    ]
    return "".join(parts)
