"""Reading back what an input has done: a field took what was asked for, something else, or nothing of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs

from kapture.cdp import is_gone
from kapture.errors import DialogOpen, ErrorCode, KaptureError, RefExpired, Wording
from kapture.page.element import Element, quoted

RECORDED_CHARS = 60
"""The longest value in a line of the activity list."""


@attrs.frozen
class Entered:
    """An element that was given a value. `note`: what the page made of it, for the answer; "" if the element holds what
    was asked for. `typed`: the text came as if typed, so that the page may reply with suggestions. `labels`: of the
    options that are chosen now. `value`: what it holds, None if that is a secret or not known. `again` reads it back
    once more."""

    element: Element
    note: str = ""
    typed: bool = False
    labels: Sequence[str] = ()
    value: str | None = None
    is_field: bool = True
    again: Callable[[bool], Awaitable[Entered]] | None = None

    @property
    def in_record(self) -> str:
        """The element with its value, for the list of what ran that its person reads."""
        element = self.element.describe()
        return element if self.value is None else f"{element} with {quoted(self.value, RECORDED_CHARS)}"

    async def confirmed(self, *, later: bool = False) -> Entered:
        """Read it back again. `VALUE_REFUSED` if the page has taken the value back by then. `later`: wait for what the
        page may have put off by a moment."""
        if self.again is None:
            return self
        try:
            return attrs.evolve(await self.again(later), typed=self.typed, labels=self.labels, again=None)
        except KaptureError as error:
            if is_gone(error) or isinstance(error, DialogOpen | RefExpired):
                return self  # as a consequence of the action
            raise


def entered(
    element: Element, now: Mapping[str, Any], text: str, *, handle: int | None, clear: bool = True, typed: bool = False
) -> Entered:
    """Judge what the agent has read back (`ReadBack` in kapture/page/agent/act/filling/read_back.js). `VALUE_REFUSED`
    if the element holds nothing of the text; `clear`: which was to replace what it held."""
    verdict, secret = now["verdict"], now.get("secret")
    again = None
    if handle is not None and verdict != "gone":
        asked = {
            "handle": handle,
            "text": text,
            "clear": clear,
            "arrived": now["arrived"],
        }

        async def again(later: bool) -> Entered:
            now = await element.frame.call("readBack", {**asked, "later": later})
            return entered(element, now, text, handle=None, clear=clear)

    if verdict == "nothing":
        raise refused(element, now)
    note = ""
    if now.get("rest"):
        note = "the page passed the rest on to the fields after it"
    elif verdict == "gone":
        note = "the page has removed it since"
    elif verdict == "other":
        value = "…" if secret else now["value"]
        held = quoted(value, 200) if value else "nothing"
        note = f"the page made it {held}" if clear else f"the field now holds {held}"
    is_field = now.get("field", True)
    known = is_field and verdict != "gone" and not (now.get("rest") or now.get("personal", True))
    return Entered(element, note, typed, now.get("labels", ()), now["value"] if known else None, is_field, again)


def refused(element: Element, now: Mapping[str, Any]) -> KaptureError:
    """The error of an element that took nothing, with what it holds."""
    value, astray = now["value"], now.get("astray")
    holds = (
        "holds something else"
        if now.get("secret")
        else f"still holds {quoted(value, 200)}"
        if value
        else "is empty now"
    )
    stopped = ""
    if astray:
        stopped = f" The text was stopped on its way into {Element.of(element.frame, astray).describe()}."
    return KaptureError(
        ErrorCode.VALUE_REFUSED,
        f"{element.describe()} did not take the value: it {holds}.{stopped}",
        hint=Wording(
            "It may take only certain values, or only keys ({type} with {key_events} true), or the page may have put"
            " the text elsewhere: {look}."
        ),
        data={"element": element.as_json(), "value": value},
    )
