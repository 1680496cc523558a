"""What an action caused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.page.dialogs import Dialog
from kapture.page.element import quoted
from kapture.page.network.kept_requests import Key

_LONGEST_MESSAGE = 200
"""Characters of a message about an invalid field: pages may set any."""


@attrs.frozen(kw_only=True)
class Restyled:
    """An element whose `attribute`, `class` or `style`, an action has changed. `element` describes it.

    `picture`: what a canvas draws, where `now` is "another", or "unknown" if that cannot be read. `markup`: the start
    tags by which the words of an editor are set; of both only what is different. `elsewhere`: it is neither what was
    acted on, nor in or around it; `more` elements elsewhere have changed, too."""

    element: str
    attribute: str
    now: str
    was: str
    elsewhere: bool = False
    more: int = 0


@attrs.frozen(kw_only=True)
class ScrolledPart:
    """What an action has scrolled: `what` describes it. The position, and the maximum, in CSS pixels, of the directions
    in which it has been; `shown` are texts of what has come into view."""

    what: str
    positions: tuple[str, ...]
    shown: tuple[str, ...] = ()


@attrs.frozen
class InvalidField:
    """A field for which the browser has not submitted a form: `field` describes it, `says` is the browser's message,
    "" if that is not known."""

    field: str
    says: str

    def describe(self) -> str:
        """`<input> "Years" ref=e7 "Value must be less than or equal to 60."`."""
        return f"{self.field} {quoted(self.says, _LONGEST_MESSAGE)}" if self.says else f"{self.field} is invalid"


@attrs.define(kw_only=True)
class Outcome:
    """What happened while a command acted, besides its own effect."""

    navigated_to: str | None = None
    same_document: bool = False
    new_document: bool = False
    """Whether the page is another document than before, and none that was restored from the back/forward cache."""
    http_status: int | None = None
    navigation_error: str | None = None
    still_loading: str | None = None
    dialog: Dialog | None = None
    opened_tabs: list[str] = attrs.field(factory=list)
    opened_urls: list[str] = attrs.field(factory=list)
    download: str | None = None
    requests: int = 0
    """How many requests whose answer the page may need have begun."""
    unanswered: frozenset[Key] = frozenset()
    """Those of them that had no answer when the time for it was up."""
    transients: list[str] = attrs.field(factory=list)
    restyled: list[Restyled] = attrs.field(factory=list)
    scrolled: list[ScrolledPart] = attrs.field(factory=list)
    timers: int = 0
    """How many timers the action's handlers have set."""
    shown: bool = False
    """Whether these are likely to bring nothing: the action has put the caret into an editor, which is what it is for,
    or those of such actions have brought nothing before."""
    draws: bool = False
    """Whether the action has begun to draw frame by frame, and has not come to an end."""
    heard: bool = False
    """Whether the page listens for what the action has pressed, which has not been pressed in vain before."""
    only_touches: bool = False
    """Whether the page listens only for touches where the action has pressed the mouse, and is not touched."""
    animates_ms: float = 0
    """For how long animations that the action has begun will still run."""
    animates_on: bool = False
    """Whether it has begun others that run for so long that they are not waited for."""
    file_input: str | None = None
    """The file input whose chooser the action has opened."""
    refused: list[InvalidField] = attrs.field(factory=list)
    """The fields for which the browser has not submitted the form that the action was to submit, the first few."""
    asks: bool = False
    """Whether the action has begun to load an image, or sent a message over a WebSocket: the page may go on with the
    answer, which is not waited for."""
    typed: bool = False
    """Whether the action ended with text typed into a field."""

    def add_left(self, report: Mapping[str, Any]) -> None:
        """Add what the action has left in one document, as its agent reports it."""
        self.timers += report.get("timers", 0)
        self.shown |= report.get("shown", False)
        self.draws |= report.get("draws", False)
        self.heard |= report.get("heard", False)
        self.animates_on |= report.get("animatesOn", False)
        self.only_touches |= report.get("touch") == "none"
        self.animates_ms = max(self.animates_ms, report.get("animates", 0))

    def lines(self, *, beside_route: bool = False) -> list[str]:
        """Lines for the answer, one per fact; none if nothing happened. `beside_route`: leave out a navigation within
        the same document."""
        lines = []
        if self.navigated_to is not None and not (beside_route and self.same_document):
            status = f" (HTTP {self.http_status})" if (self.http_status or 200) >= 400 else ""
            lines.append(f"navigated to {self.navigated_to}{status}")
        if self.navigation_error is not None:
            lines.append(f"navigation failed: {self.navigation_error}")
        if self.still_loading is not None:
            lines.append(f"still loading {self.still_loading}")
        if self.dialog is not None:
            lines.append(f"dialog {self.dialog.describe()} is open; answer it first")
        lines += [f"opened tab {tab_id}" for tab_id in self.opened_tabs]
        if not self.opened_tabs:
            lines += [f"opened a new tab at {url}" for url in self.opened_urls]
        if self.file_input is not None:
            lines.append(
                f"opened the file chooser of {self.file_input}: only a person can use it; give files with upload"
            )
        if self.refused:
            fields = "; ".join(one.describe() for one in self.refused)
            lines.append(f"the browser did not submit the form: {fields}")
        if self.download is not None:
            lines.append(f"download started: {self.download}")
        return lines

    def hints(self) -> list[str]:
        """Lines on what to do if the action has had no effect."""
        if not self.only_touches:
            return []
        return ["the page listens only for touches there, not for the mouse; emulate touch, then click again"]
