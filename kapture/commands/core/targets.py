"""The two parameters by which reading commands name an element."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from kapture.errors import ErrorCode, KaptureError
from kapture.page.target import Target

OptionalTarget: TypeAlias = Target | None

Selector: TypeAlias = Annotated[str | None, Meta(description="CSS selector; same as target with css.")]


def chosen(target: OptionalTarget, selector: str | None) -> OptionalTarget:
    """The one that was given, or None; `INVALID_PARAMS` for both."""
    if target is not None and selector is not None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS, "Give target or selector, not both.", data={"parameters": ["target", "selector"]}
        )
    return selector if target is None else target


def required(target: OptionalTarget, selector: str | None) -> Target:
    """The one that was given; `INVALID_PARAMS` for both or neither."""
    found = chosen(target, selector)
    if found is None:
        raise KaptureError(
            ErrorCode.INVALID_PARAMS,
            "Name an element by target or selector.",
            hint='A plain string is a CSS selector; a ref from a snapshot is {"ref": "e12"}.',
            data={"missing": "target"},
        )
    return found
