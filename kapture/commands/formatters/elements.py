"""Elements as a table."""

from __future__ import annotations

from typing import Any

import attrs
import toons

from kapture.commands.core.answer import Answer
from kapture.snapshot.quoting import quote

_LONGEST = 1_000
"""Of attributes and texts, in characters; the page's agent cuts them before."""


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
                given = [f"{key}={quote(value, _LONGEST)}" for key, value in one.attributes.items()]
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
