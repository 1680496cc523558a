"""Inspecting elements: the matches of a query, and the element at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
import toons
from msgspec import Meta

from kapture.commands.core.answer import MOST_CHARS, Answer
from kapture.commands.core.context import TabContext
from kapture.commands.core.params import ElementRequired
from kapture.commands.core.registry import Access, command
from kapture.page.documents.frame import Frame
from kapture.page.element import Element
from kapture.page.input.mouse import in_the_tab
from kapture.page.locator import resolve
from kapture.page.target import TargetSpec
from kapture.snapshot.quoting import quote

_LONGEST = 1_000
"""The longest attribute or text, in characters; the page's agent cuts them before."""


@attrs.frozen(kw_only=True)
class Surroundings:
    """The texts beside an element, nearest first, and the sections it is in, innermost first: `form "Sign in"`."""

    neighbours: list[str]
    within: list[str]


@attrs.frozen(kw_only=True)
class ElementFacts:
    """One element. `box` is x, y, width, height in CSS pixels of the tab's viewport.

    `visible`: it is rendered and has a size; `in_viewport`: part of it is in its frame's viewport; `origin` is that of
    its document, empty if that is opaque.
    """

    ref: str
    tag: str
    role: str
    name: str
    text: str
    box: tuple[float, float, float, float]
    visible: bool
    in_viewport: bool
    states: dict[str, Any]
    origin: str
    attributes: dict[str, str] | None = None
    surroundings: Surroundings | None = None


@attrs.frozen(kw_only=True)
class Found(Answer):
    """The first matches, of `total`."""

    elements: list[ElementFacts]
    total: int

    def text(self) -> str:
        """A TOON table, followed by attributes."""
        if not self.elements:
            return "No element matches."
        rows = [
            {
                "ref": one.ref,
                "tag": one.tag,
                "role": one.role,
                "name": one.name,
                "text": "" if one.text == one.name else one.text,
                "x": one.box[0],
                "y": one.box[1],
                "width": one.box[2],
                "height": one.box[3],
                "state": _state(one),
            }
            for one in self.elements
        ]
        lines = [toons.dumps({"elements": rows})]
        for one in self.elements:
            if one.attributes:
                given = [f"{key}={quote(value, MOST_CHARS)}" for key, value in one.attributes.items()]
                lines.append(f"{one.ref}: {' '.join(given)}")
            if one.surroundings:
                lines.append(f"{one.ref}: {', '.join(_around(one.surroundings))}")
        left = self.total - len(self.elements)
        if left:
            lines.append(f"({left} more: raise max, or narrow the query)")
        return "\n".join(lines)


def _around(surroundings: Surroundings) -> list[str]:
    beside = " ".join(quote(text, _LONGEST) for text in surroundings.neighbours)
    return [f"beside {beside}", *surroundings.within] if beside else surroundings.within


def _state(one: ElementFacts) -> str:
    words = [key if value is True else f"{key}={value}" for key, value in one.states.items() if value is not False]
    if not one.visible:
        words.append("hidden")
    elif not one.in_viewport:
        words.append("offscreen")
    return " ".join(words)


@attrs.frozen(kw_only=True)
class Elements(ElementRequired):
    """List all elements that match, with text, box and attributes."""

    attributes: Annotated[bool, Meta(description="Include all attributes.")] = True
    surroundings: Annotated[bool, Meta(description="Include the texts beside each, and the sections it is in.")] = False
    plain_hosts: Annotated[
        bool, Meta(description="Look into closed shadow roots of plain elements with contents, too.")
    ] = False
    max: Annotated[int, Meta(ge=1, le=500, description="At most this many; default 50.")] | None = None


@command("elements", access=Access.READ, toolset="more", long=True)
async def elements(tab: TabContext, params: Elements) -> Found:
    """All matches of a query in all granted frames."""
    most = tab.arguments.most(params.max, 50, 500)
    locator = resolve(tab.page.frames, params.required_element)
    answers = await locator.ask(
        "inspect",
        limit=most,
        attributes=params.attributes,
        surroundings=params.surroundings,
        plain_hosts=params.plain_hosts,
        whole=tab.arguments.whole,
    )
    shown: list[ElementFacts] = []
    for frame, answer in answers:
        if matches := answer["matches"][: most - len(shown)]:
            shown += await _facts(frame, matches)
    return Found(elements=shown, total=sum(answer["total"] for _, answer in answers))


@attrs.frozen(kw_only=True)
class ElementAt:
    """Show which element is at a point of the viewport."""

    x: Annotated[float, Meta(description="CSS pixels.")]
    y: float


@command("element_at", access=Access.READ, toolset="more")
async def element_at(tab: TabContext, params: ElementAt) -> Found:
    """The topmost element at a point, in the frame that is shown there."""
    element = await tab.page.locate(TargetSpec(x=params.x, y=params.y))
    point = {"x": params.x, "y": params.y}
    while (inside := await element.call("intoFrame", **point)) is not None:
        frame = tab.page.frames.get(inside["frame"])
        if not frame.granted or frame.why_silent:
            break
        point = {"x": inside["x"], "y": inside["y"]}
        hits = await frame.call("locate", {"target": point, "limit": 1})
        if not hits["matches"]:
            break
        element = Element.of(frame, hits["matches"][0])
    args = {"target": {"ref": element.number}, "limit": 1, "attributes": True}
    answer = await element.frame.call("inspect", args)
    return Found(elements=await _facts(element.frame, answer["matches"]), total=1)


async def _facts(frame: Frame, matches: Sequence[Mapping[str, Any]]) -> list[ElementFacts]:
    boxes = await in_the_tab(frame, [one["box"] for one in matches])
    return [_one(frame, one, box) for one, box in zip(matches, boxes, strict=True)]


def _one(frame: Frame, answer: Mapping[str, Any], box: list[float]) -> ElementFacts:
    x, y, width, height = (round(value, 1) for value in box)
    return ElementFacts(
        ref=frame.ref(answer["ref"]),
        tag=answer["tag"],
        role=answer["role"],
        name=answer["name"],
        text=answer["text"],
        box=(x, y, width, height),
        visible=answer["visible"],
        in_viewport=answer["inViewport"],
        states=answer.get("states") or {},
        origin=frame.document_origin,
        attributes=answer.get("attributes"),
        surroundings=None if (around := answer.get("surroundings")) is None else Surroundings(**around),
    )
