"""The operations that `python -m bench.peers` measures: how raw CDP does each, and how its effect is checked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence

import attrs

from bench.floor import Floor
from bench.pages import FIELDS, FORM, elements
from bench.peers.reporting_site import Report

PAGES: Mapping[str, str] = {"/form": FORM, "/fields": FIELDS, "/long": elements(5_000)}
SCRIPT = "globalThis.evaluated = (globalThis.evaluated ?? 0) + 1"
_IMAGE = re.compile(rb'"(?:iVBORw0KGgo|/9j/|UklGR)')  # PNG, JPEG, WebP in base64


@attrs.frozen
class Element:
    """An element: its id in the page, and its accessible role and name, as snapshots show them."""

    id: str
    role: str
    name: str

    @property
    def selector(self) -> str:
        """A CSS selector."""
        return f"#{self.id}"


@attrs.frozen(kw_only=True)
class Call:
    """The input of one call. `elements`: the element to act on, or all fields of a form. `url`: where to navigate."""

    elements: Sequence[Element] = ()
    text: str = ""
    url: str = ""


@attrs.frozen(kw_only=True)
class Block:
    """A block of calls, the answer to the last one, and the page's report. `word`: a text that the page shows."""

    calls: int
    last: Call
    answer: bytes
    word: str
    report: Report


@attrs.frozen(kw_only=True)
class Operation:
    """One operation. `call` makes the input of the n-th call; `problem` describes a missing effect of a block.

    `drawn`: the browser answers after drawing a frame, so calls start at random moments between two frames. `pointed`:
    raw CDP needs the elements' positions. `reads`: the answer shows the page. `opens`: each call needs a new address.
    """

    name: str
    label: str
    path: str
    call: Callable[[int], Call]
    raw: Callable[[Floor, Call], Awaitable[bytes | None]]
    problem: Callable[[Block], str | None]
    drawn: bool = False
    pointed: bool = False
    reads: bool = False
    opens: bool = False


_GO = Element("go", "button", "Create account")
_NAME = Element("name", "textbox", "Name")
_COUNTRY = Element("country", "combobox", "Country")
_FIELDS = tuple(Element(f"f{number}", "textbox", f"Field {number}") for number in range(10))


def _counted(found: int, calls: int, what: str) -> str | None:
    return None if found == calls else f"the page saw {found} {what} of {calls} calls"


def _equal(found: str, wanted: str) -> str | None:
    return None if found == wanted else f"the page has {found!r}, not {wanted!r}"


def _filled(block: Block) -> str | None:
    return next(filter(None, (_equal(block.report.values.get(f.id, ""), block.last.text) for f in _FIELDS)), None)


def _shown(block: Block) -> str | None:
    return None if block.word.encode() in block.answer else "the answer does not show what the page shows now"


async def _fill(raw: Floor, call: Call) -> None:
    await raw.fill(*(element.selector for element in call.elements), text=call.text)


async def _snapshot(raw: Floor, _: Call) -> bytes:
    return await raw.tree()


OPERATIONS: Sequence[Operation] = (
    Operation(
        name="evaluate",
        label="evaluate a script",
        path="/form",
        call=lambda _: Call(),
        raw=lambda raw, _: raw.evaluate(SCRIPT),
        problem=lambda block: _counted(block.report.evaluated, block.calls, "scripts"),
    ),
    Operation(
        name="click",
        label="click",
        path="/form",
        call=lambda _: Call(elements=[_GO]),
        raw=lambda raw, call: raw.click(call.elements[0].selector),
        problem=lambda block: _counted(block.report.clicks, block.calls, "clicks"),
        pointed=True,
    ),
    Operation(
        name="fill",
        label="fill a field",
        path="/form",
        call=lambda number: Call(elements=[_NAME], text=f"text {number}"),
        raw=_fill,
        problem=lambda block: _equal(block.report.values.get("name", ""), block.last.text),
    ),
    Operation(
        name="select",
        label="select an option",
        path="/form",
        call=lambda number: Call(elements=[_COUNTRY], text=("Spain", "Peru")[number % 2]),
        raw=lambda raw, call: raw.select(call.elements[0].selector, call.text),
        problem=lambda block: _equal(block.report.values.get("country", ""), block.last.text),
    ),
    Operation(
        name="hover",
        label="hover",
        path="/form",
        call=lambda number: Call(elements=[(_GO, _NAME)[number % 2]]),
        raw=lambda raw, call: raw.hover(call.elements[0].selector),
        problem=lambda block: _equal(block.report.over, block.last.elements[0].id),
        pointed=True,
    ),
    Operation(
        name="form",
        label="fill a form of ten fields",
        path="/fields",
        call=lambda number: Call(elements=_FIELDS, text=f"text {number}"),
        raw=_fill,
        problem=_filled,
    ),
    Operation(
        name="snapshot",
        label="snapshot of a form",
        path="/form",
        call=lambda _: Call(),
        raw=_snapshot,
        problem=_shown,
        reads=True,
    ),
    Operation(
        name="snapshot",
        label="snapshot of 5,000 elements",
        path="/long",
        call=lambda _: Call(),
        raw=_snapshot,
        problem=_shown,
        reads=True,
    ),
    Operation(
        name="screenshot",
        label="screenshot",
        path="/form",
        call=lambda _: Call(),
        raw=lambda raw, _: raw.screenshot(),
        problem=lambda block: None if _IMAGE.search(block.answer) else "the answer has no image",
        drawn=True,
    ),
    Operation(
        name="navigate",
        label="navigate",
        path="/form",
        call=lambda _: Call(),
        raw=lambda raw, call: raw.navigate(call.url),
        problem=lambda block: _counted(block.report.visits, block.calls, "visits"),
        opens=True,
    ),
)
