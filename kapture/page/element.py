"""An element of a page, as the agent found it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.page.agent_functions import FunctionName
from kapture.page.documents.frame import Frame
from kapture.page.input.mouse import Point
from kapture.page.program import Aim
from kapture.page.target import TargetSpec


@attrs.frozen
class Element:
    """One element in one frame's current document. `number` is its ref number in that frame; `role` and `name` are
    those of the accessibility tree when it was found."""

    frame: Frame
    number: int
    role: str
    name: str
    tag: str
    context: str = ""
    """Its context, if there were similar elements: `row "Green tea"`."""

    @classmethod
    def of(cls, frame: Frame, described: Mapping[str, Any]) -> Element:
        """From the agent's description `{ref, role, name, tag, context?}`."""
        context = described.get("context", "")
        return cls(frame, described["ref"], described["role"], described["name"], described["tag"], context)

    @property
    def ref(self) -> str:
        """Its ref as clients write it: `e12`, `f2e12`."""
        return self.frame.ref(self.number)

    def describe(self) -> str:
        """One line for answers and errors: `<button> "Save" ref=e12`."""
        described = describe(self.tag, self.name, self.ref)
        return f"{described} {placed(' '.join(self.context.split()))}" if self.context else described

    def as_json(self) -> dict[str, Any]:
        """For the data of an error or a structured answer."""
        known = {"ref": self.ref, "role": self.role, "name": self.name, "tag": self.tag}
        return known | ({"context": self.context} if self.context else {})

    def target(self) -> TargetSpec:
        """A target that identifies exactly this element."""
        return TargetSpec(ref=self.ref)

    async def call(self, function: FunctionName, **args: Any) -> Any:
        """Call a function of the agent with `ref` set to this element. `REF_EXPIRED` if it is gone."""
        return await self.frame.call(function, {"ref": self.number, **args})


@attrs.frozen
class ReadyElement:
    """An element that can be acted on now. `point` is in the tab's viewport; `facts` is what else the agent reported
    (see `ready` in kapture/page/agent/act/readiness/ready.js)."""

    element: Element
    point: Point
    facts: Mapping[str, Any]

    @property
    def prepared(self) -> dict[str, Any]:
        """The result of the preparation; empty if there was none."""
        return dict(self.facts.get("prepared") or {})

    @property
    def handle(self) -> int | None:
        """The agent's number of the element, which identifies it even if its name changes; None if the target is a
        point, whatever is there."""
        return self.facts.get("handle")

    @property
    def aim(self) -> Aim:
        """Return the target of an action's steps."""
        return Aim(self.element.frame, self.point, self.handle)

    async def call(self, function: FunctionName, **args: Any) -> Any:
        """Call a function of the agent with this element, even if its name has changed meanwhile."""
        return await self.element.frame.call(function, {"handle": self.handle, **args})


def placed(context: str) -> str:
    """A context as the place that it is: `in row "Green tea"`, `under heading "Goods"`, `beside "Rice"`."""
    if context.startswith("beside "):
        return context
    return f"under {context}" if context.startswith("heading ") else f"in {context}"


def describe(tag: str, name: str, ref: str) -> str:
    """`<button> "Save" ref=e12`; long names are truncated, and line breaks in names removed."""
    shown = quoted(name, 80) if name.strip() else ""
    return f"<{tag}> {shown}{' ' * bool(shown)}ref={ref}"


def quoted(words: str, most: int) -> str:
    """Words of the page in quotation marks, on one line and cut after this many characters."""
    shown = " ".join(words.split())
    if len(shown) > most:
        shown = shown[: most - 1] + "…"
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'
