"""Which listeners are handed to the agent, and that no element is handed over twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.cdp import CdpError, EarlierResult
from kapture.cdp.program import look_up
from kapture.page.introspection import ClickListeners, Worlds

WORLDS = Worlds({"uniqueContextId": "agent"}, 7, {"uniqueContextId": "page"})


def used(value: Any, answers: Sequence[Any]) -> Any:
    return look_up(answers[value.at], value.path) if isinstance(value, EarlierResult) else value


class Browser:
    """Answers as a browser with these listeners (node → type) would; nodes in `elsewhere` are in other documents."""

    def __init__(self, listeners: Mapping[int, str], elsewhere: frozenset[int] = frozenset()) -> None:
        self.listeners = listeners
        self.elsewhere = elsewhere
        self.page_answers = True
        self.roots: list[int] = []
        self.messages = 0
        self.sent: list[tuple[str, Mapping[str, Any]]] = []

    async def __call__(self, commands: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any] | CdpError]:
        self.messages += 1
        answers: list[dict[str, Any] | CdpError] = []
        for method, params in commands:
            if self.ended(params, answers):
                answers += [CdpError(one, "skipped") for one, _ in commands[len(answers) :]]
                break
            known = {name: used(value, answers) for name, value in params.items()}
            self.sent.append((method, known))
            answers.append(self._answer(method, known))
        return answers

    @staticmethod
    def ended(params: Mapping[str, Any], answers: Sequence[dict[str, Any] | CdpError]) -> bool:
        earlier = [value for value in params.values() if isinstance(value, EarlierResult)]
        return any(isinstance(answers[one.at], CdpError) for one in earlier)

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | CdpError:
        if method == "DOMDebugger.getEventListeners":
            return {"listeners": [{"backendNodeId": node, "type": kind} for node, kind in self.listeners.items()]}
        if method == "DOM.describeNode":
            return {"node": {"backendNodeId": int(params["objectId"].removeprefix("root "))}}
        if method == "Runtime.getProperties":
            handles = [f"root {root}" for root in self.roots]
            return {"result": [{"name": str(at), "value": {"objectId": one}} for at, one in enumerate(handles)]}
        if method == "DOM.resolveNode":
            node = params["backendNodeId"]
            refused = CdpError(method, "Node does not belong to the document")
            return refused if node in self.elsewhere else {"object": {"objectId": f"object {node}"}}
        if params.get("expression") in ("document", "kapture.shadowRoots()"):
            return {"result": {"objectId": "root 1"}}
        if method == "Runtime.evaluate":
            return {"result": {"value": "9;4;"}} if self.page_answers else CdpError(method, "denied")
        return {}

    def resolved(self) -> list[int]:
        resolving = [params for method, params in self.sent if method == "DOM.resolveNode"]
        return [params["backendNodeId"] for params in resolving if "executionContextId" in params]


class Context:
    """Stands for an execution context."""


async def test_listeners_for_clicks_are_handed_over_with_what_the_page_answers() -> None:
    browser = Browser({4: "click", 5: "scroll", 6: "pointerdown"})
    expression = await ClickListeners().find_out(browser, Context(), WORLDS)
    assert expression == 'kapture.adoptListeners([4, 6],"9;4;");'
    given = next(params for method, params in browser.sent if method == "Runtime.callFunctionOn")
    assert given["arguments"] == [{"value": [4, 6]}, {"objectId": "object 4"}, {"objectId": "object 6"}]


async def test_a_page_that_cannot_be_asked_still_shows_its_own_listeners() -> None:
    browser = Browser({4: "click"})
    browser.page_answers = False
    assert await ClickListeners().find_out(browser, Context(), WORLDS) == "kapture.adoptListeners([4],null);"
    unknown = Worlds(WORLDS.agent, 7, None)
    assert await ClickListeners().find_out(browser, Context(), unknown) == "kapture.adoptListeners([4],null);"


async def test_request_that_would_crash_page_is_not_sent() -> None:
    """With `pierce`, Chromium's renderer crashed after some sixty snapshots of a form."""
    browser = Browser({4: "click"})
    await ClickListeners().find_out(browser, Context(), WORLDS)
    asked = [params for method, params in browser.sent if method == "DOMDebugger.getEventListeners"]
    assert asked[0] == {"objectId": "object 1", "depth": -1}
    assert not any("pierce" in params for params in asked)


async def test_no_document_releases_handles_of_another() -> None:
    """The frames of a process share the groups of their session, and ask at the same time."""
    groups = []
    for _ in range(2):
        browser = Browser({4: "click"})
        await ClickListeners().find_out(browser, Context(), WORLDS)
        groups.append({params["objectGroup"] for _, params in browser.sent if "objectGroup" in params})
    assert groups[0].isdisjoint(groups[1])
