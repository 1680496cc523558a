"""The two parameters by which commands name an element, and the JSON Schema of "one of them is required"."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import attrs
from msgspec import Meta

from kapture.errors import ErrorCode, KaptureError
from kapture.page.target import Target

OptionalTarget: TypeAlias = Target | None

ELEMENT_REQUIRED = {"anyOf": [{"required": ["target"]}, {"required": ["selector"]}]}
"""Keywords of the schema of `ElementRequired` and its subclasses: which names they require cannot say otherwise."""


@attrs.frozen(kw_only=True)
class Targeted:
    """Parameters of a command that may work on an element: a target, or a CSS selector instead."""

    target: OptionalTarget = None
    selector: Annotated[str | None, Meta(description="CSS selector, in place of target.")] = None

    @property
    def element(self) -> OptionalTarget:
        """The given one, or None; `INVALID_PARAMS` for both."""
        if self.target is not None and self.selector is not None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "Give either target or selector, not both.",
                data={"parameters": ["target", "selector"]},
            )
        return self.selector if self.target is None else self.target

    @property
    def required_element(self) -> Target:
        """The given one; `INVALID_PARAMS` for both or neither."""
        found = self.element
        if found is None:
            raise KaptureError(
                ErrorCode.INVALID_PARAMS,
                "An element is required: give target or selector.",
                hint="A plain string is a ref from a snapshot (e12) or a CSS selector.",
                data={"missing": "target"},
            )
        return found


@attrs.frozen(kw_only=True)
class ElementRequired(Targeted):
    """Parameters of a command that always works on an element: their schema says so."""
