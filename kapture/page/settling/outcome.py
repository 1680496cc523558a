"""The outcome of an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from kapture.page.dialogs import Dialog
from kapture.page.documents.frame import Frame
from kapture.page.element import Element, quoted

_LONGEST_MESSAGE = 200
"""Characters of a message about an invalid field: pages may set any."""


@attrs.frozen(kw_only=True)
class Restyled:
    """An element whose `attribute`, such as its class, an action has changed. `element` describes it.

    `picture`: what a canvas draws, where `now` is "another", or "unknown" if that cannot be read."""

    element: str
    attribute: str
    now: str
    was: str


@attrs.frozen(kw_only=True)
class ScrolledPart:
    """A scroll position that an action changed: `what` describes it. The position, and the maximum, in CSS pixels, of
    the directions in which it has been; `shown` are texts of what has come into view."""

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
    """Events during an action, besides its own effect."""

    navigated_to: str | None = None
    same_document: bool = False
    new_document: bool = False
    """Whether the page is another document than before, and none that was restored from the back/forward cache."""
    http_status: int | None = None
    navigation_error: str | None = None
    still_loading: str | None = None
    loading: bool = False
    """Whether the new document is shown, but has not loaded whole."""
    dialog: Dialog | None = None
    opened_tabs: list[str] = attrs.field(factory=list)
    opened_urls: list[str] = attrs.field(factory=list)
    download: str | None = None
    unanswered: int = 0
    """How many requests whose answer the page may need had none when the time for it was up."""
    changed: bool = False
    """Whether a document has changed, by more than what changes by itself."""
    transients: list[str] = attrs.field(factory=list)
    """Messages that have appeared and disappeared."""
    restyled: list[Restyled] = attrs.field(factory=list)
    scrolled: list[ScrolledPart] = attrs.field(factory=list)
    ticking: set[str] = attrs.field(factory=set)
    """Texts whose numbers change by themselves, without these (`kapture.snapshot.ticking`)."""
    file_input: str | None = None
    """The file input whose chooser the action has opened."""
    refused: list[InvalidField] = attrs.field(factory=list)
    """The fields for which the browser has not submitted the form that the action was to submit, the first few."""
    _parts: dict[Frame, tuple[list[str], list[Restyled], list[ScrolledPart]]] = attrs.field(factory=dict, init=False)

    def note(self, frame: Frame, report: Mapping[str, Any]) -> None:
        """Note what the agent of a frame reports of the action so far."""
        if (chooser := report.get("chooser")) is not None:
            self.file_input = Element.of(frame, chooser).describe()
        if (refused := report.get("refused")) is not None:
            self.refused = [InvalidField(Element.of(frame, one["field"]).describe(), one["says"]) for one in refused]
        restyled = [_restyled(frame, one) for one in report["restyled"]]
        self._parts[frame] = report["transients"], restyled, [_scrolled(frame, one) for one in report["scrolled"]]
        self.transients = [one for transients, _, _ in self._parts.values() for one in transients]
        self.restyled = [one for _, restyled, _ in self._parts.values() for one in restyled]
        self.scrolled = [one for _, _, scrolled in self._parts.values() for one in scrolled]
        self.ticking.update(report["ticking"])

    def lines(self) -> list[str]:
        """Lines for the answer, one per fact; none if nothing happened."""
        lines = []
        if self.navigated_to is not None:
            status = f" (HTTP {self.http_status})" if (self.http_status or 200) >= 400 else ""
            loading = ", still loading" if self.loading else ""
            lines.append(f"navigated to {self.navigated_to}{status}{loading}")
        if self.navigation_error is not None:
            lines.append(f"navigation failed: {self.navigation_error}")
        if self.still_loading is not None:
            lines.append(f"still loading {self.still_loading}")
        if self.dialog is not None:
            lines.append(self.dialog.sentence())
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
        if words := without_answer(self.unanswered):
            lines.append(words)
        return lines


def without_answer(requests: int) -> str | None:
    """In words, how many requests are open; None if none are."""
    return f"{requests} request{' has' if requests == 1 else 's have'} no answer yet" if requests else None


def _restyled(frame: Frame, found: Mapping[str, Any]) -> Restyled:
    described = Element.of(frame, found).describe()
    return Restyled(element=described, attribute=found["attribute"], now=found["now"], was=found["was"])


def _scrolled(frame: Frame, found: Mapping[str, Any]) -> ScrolledPart:
    page = f"frame {frame.key}" if frame.key else "the page"
    return ScrolledPart(
        what=Element.of(frame, found["element"]).describe() if "element" in found else page,
        positions=tuple(f"{way} {found[way]} of {found[f'max_{way}']}" for way in ("x", "y") if way in found),
        shown=tuple(found["shown"]),
    )
