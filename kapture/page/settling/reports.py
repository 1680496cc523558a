"""What the agent reports after an action, as parts of its outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kapture.page.documents.frame import Frame
from kapture.page.element import Element
from kapture.page.settling.outcome import InvalidField, Restyled, ScrolledPart


def restyled_of(frame: Frame, found: Mapping[str, Any]) -> Restyled:
    """An element that only looks different."""
    element = Element.of(frame, found)
    return Restyled(
        element=element.describe(),
        attribute=found["attribute"],
        now=found["now"],
        was=found["was"],
        elsewhere=found.get("elsewhere", False),
        more=found.get("more", 0),
    )


def scrolled_of(frame: Frame, found: Mapping[str, Any]) -> ScrolledPart:
    """A part of the page, or all of it, that is scrolled to somewhere else."""
    page = f"frame {frame.key}" if frame.key else "the page"
    return ScrolledPart(
        what=Element.of(frame, found["element"]).describe() if "element" in found else page,
        positions=tuple(f"{way} {found[way]} of {found[f'max_{way}']}" for way in ("x", "y") if way in found),
        shown=tuple(found["shown"]),
    )


def file_input_of(frame: Frame, found: Mapping[str, Any] | None) -> str | None:
    """The file input whose chooser has opened."""
    return Element.of(frame, found).describe() if found else None


def refused_of(frame: Frame, found: Sequence[Mapping[str, Any]] | None) -> list[InvalidField]:
    """The fields for which the browser has not submitted a form."""
    return [InvalidField(Element.of(frame, one["field"]).describe(), one["says"]) for one in found or ()]
