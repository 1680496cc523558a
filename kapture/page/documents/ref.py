"""Refs as clients write them: `e12` in the main frame, `f2e12` in the frame with the key `f2`."""

from __future__ import annotations

import re
from typing import TypeAlias

from kapture.errors import ErrorCode, KaptureError, Wording

Key: TypeAlias = tuple[str, int]
"""A frame's key ("" for the main frame) and the number of an element in it."""

_REF = re.compile(r"(?:@|ref=)?(f[0-9]{1,15})?e([0-9]{1,15})")
"""The numbers are exact in JavaScript, which has 53 bits for them; Python refuses to convert very long ones."""


def ref_text(frame: str, number: int) -> str:
    """The ref of an element: `e12`, `f2e12`."""
    return f"{frame}e{number}"


def parse_ref(text: str) -> Key | None:
    """`f2e12` → `("f2", 12)`; `@e12` and `ref=e12` are accepted too. None if it is not a ref."""
    match = _REF.fullmatch(text.strip())
    return (match[1] or "", int(match[2])) if match else None


def expect_ref(text: str) -> Key:
    """As `parse_ref`, but raises `INVALID_PARAMS` if it is not a ref."""
    if key := parse_ref(text):
        return key
    raise KaptureError(
        ErrorCode.INVALID_PARAMS,
        f"{text!r} is not a ref.",
        hint=Wording("Refs look like e12 or f2e12.", "For a CSS selector, use {css}."),
        data={"ref": text},
    )
