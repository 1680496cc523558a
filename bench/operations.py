"""The measured operations: each with raw CDP, by a plain client, and by an agent that gets the page's changes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import attrs
import trio

from bench.build import Tab

Work = Callable[[Tab], Awaitable[Any]]


class NoEffectError(AssertionError):
    """A timed call had no effect."""


@attrs.frozen(kw_only=True)
class Operation:
    """One or two rows of the table. Targets are ratios to `raw`; `plain` and `agent` are called with the tab.

    `effect` is evaluated in the page after each block and must equal `expected()`. `drawn`: the browser answers
    after it has drawn a frame. Such calls are started at a random time within a frame, since back-to-back calls would
    run in step with the frames, unlike those of a real client.
    """

    what: str
    page: str
    raw: Work
    plain: Work
    agent: Work | None = None
    points: Sequence[str] = ()
    effect: str = "true"
    expected: Callable[[], Any] = lambda: True
    drawn: bool = False
    target: float | None = None
    agent_target: float | None = None


class _Words:
    """A different text each time, so that no fill is a no-op."""

    def __init__(self) -> None:
        self._count = itertools.count()
        self.last = ""

    def next(self) -> str:
        self.last = f"text {next(self._count)}"
        return self.last


class _Turns:
    """Returns the given values in turn."""

    def __init__(self, *values: str) -> None:
        self._cycle = itertools.cycle(values)
        self.last = ""

    def next(self) -> str:
        self.last = next(self._cycle)
        return self.last


words, countries, hovered = _Words(), _Turns("Spain", "Peru"), _Turns("go", "name")
keyed = _Turns("green", "blue")


class _Clicks:
    """The number of clicks since the last query, to compare with the page's own count."""

    def __init__(self) -> None:
        self.made = 0

    def taken(self) -> int:
        made, self.made = self.made, 0
        return made


clicks = _Clicks()


async def _clicked(work: Awaitable[Any]) -> None:
    await work
    clicks.made += 1


def _fields() -> list[dict[str, str]]:
    word = words.next()
    return [{"selector": f"#f{i}", "value": word} for i in range(10)]


async def expect(call: Awaitable[bytes], *parts: bytes) -> None:
    """Wait for an answer and check that it contains `parts`. Raises `NoEffectError`."""
    answer = await call
    for part in parts:
        if part not in answer:
            raise NoEffectError(f"{part!r} is not in {answer[:300]!r}")


TEN_EVALUATES = [{"command": "evaluate", "arguments": {"code": "1+1"}}] * 10

OPERATIONS: Sequence[Operation] = (
    Operation(
        what="evaluate 1+1",
        page="/form",
        raw=lambda t: t.floor.evaluate(),
        plain=lambda t: expect(t("evaluate", code="1+1"), b"2"),
        target=8,
    ),
    Operation(
        what="evaluate with await",
        page="/form",
        raw=lambda t: t.floor.evaluate("(async () => await 2)()", wait=True),
        plain=lambda t: expect(t("evaluate", code="await 2"), b"2"),
    ),
    Operation(
        what="click",
        page="/form",
        points=("#go",),
        raw=lambda t: _clicked(t.floor.click("#go")),
        plain=lambda t: _clicked(t("click", selector="#go", snapshot="none")),
        agent=lambda t: _clicked(t.as_agent("click", selector="#go")),
        effect="[clicks, clicks = 0][0]",
        expected=clicks.taken,
        target=5,
        agent_target=16,
    ),
    Operation(
        what="hover",
        page="/form",
        points=("#go", "#name"),
        raw=lambda t: t.floor.hover(f"#{hovered.next()}"),
        plain=lambda t: t("hover", selector=f"#{hovered.next()}", snapshot="none"),
        agent=lambda t: t.as_agent("hover", selector=f"#{hovered.next()}"),
        effect="over",
        expected=lambda: hovered.last,
        target=2,
    ),
    Operation(
        what="fill one field",
        page="/form",
        raw=lambda t: t.floor.fill("#name", text=words.next()),
        plain=lambda t: t("fill", selector="#name", value=words.next(), snapshot="none"),
        agent=lambda t: t.as_agent("fill", selector="#name", value=words.next()),
        effect="document.querySelector('#name').value",
        expected=lambda: words.last,
        target=6,
    ),
    Operation(
        what="fill ten fields",
        page="/fields",
        raw=lambda t: t.floor.fill(*(f"#f{i}" for i in range(10)), text=words.next()),
        plain=lambda t: t("fill_form", fields=_fields(), snapshot="none"),
        agent=lambda t: t.as_agent("fill_form", fields=_fields()),
        effect="[...new Set([...document.querySelectorAll('input')].map(e => e.value))].join()",
        expected=lambda: words.last,
        target=2.5,
    ),
    Operation(
        what="type a word",
        page="/form",
        raw=lambda t: t.floor.type("#name", keyed.next()),
        plain=lambda t: t("type", selector="#name", text=keyed.next(), clear=True, snapshot="none"),
        agent=lambda t: t.as_agent("type", selector="#name", text=keyed.next(), clear=True),
        effect="document.querySelector('#name').value",
        expected=lambda: keyed.last,
    ),
    Operation(
        what="press a key",
        page="/form",
        raw=lambda t: t.floor.keys("a"),
        plain=lambda t: t("press", key="a", snapshot="none"),
        agent=lambda t: t.as_agent("press", key="a"),
    ),
    Operation(
        what="select",
        page="/form",
        raw=lambda t: t.floor.select("#country", countries.next()),
        plain=lambda t: t("select", selector="#country", value=countries.next(), snapshot="none"),
        agent=lambda t: t.as_agent("select", selector="#country", value=countries.next()),
        effect="document.querySelector('#country').value",
        expected=lambda: countries.last,
        target=12,
    ),
    Operation(
        what="snapshot, small form",
        page="/form",
        raw=lambda t: t.floor.tree(),
        plain=lambda t: expect(t.as_agent("snapshot"), b"Create account"),
        target=2.5,
    ),
    Operation(
        what="snapshot, 500-row table",
        page="/table",
        raw=lambda t: t.floor.tree(),
        plain=lambda t: expect(t.as_agent("snapshot"), b"Customer 1"),
    ),
    Operation(
        what="snapshot, 5,000 elements",
        page="/elements",
        raw=lambda t: t.floor.tree(),
        plain=lambda t: expect(t.as_agent("snapshot"), b"Do 1"),
        target=0.4,
    ),
    Operation(
        what="what changed, 5,000 elements",
        page="/elements",
        raw=lambda t: t.floor.tree(),
        plain=lambda t: t.as_agent("snapshot", since="last"),
    ),
    Operation(
        what="screenshot, PNG",
        page="/form",
        raw=lambda t: t.floor.screenshot(),
        plain=lambda t: expect(t("screenshot", format="png"), b"image/png"),
        drawn=True,
        target=1.5,
    ),
    Operation(
        what="screenshot, default (raw: PNG)",
        page="/form",
        raw=lambda t: t.floor.screenshot(),
        plain=lambda t: expect(t("screenshot"), b"image/"),
        drawn=True,
    ),
    Operation(
        what="batch of ten evaluates",
        page="/form",
        raw=lambda t: t.floor.evaluate_in_turn(10),
        plain=lambda t: t("batch", steps=TEN_EVALUATES),
        target=6,
    ),
    Operation(
        what="1,000 console entries (6 ms)",
        page="/logs",
        raw=lambda t: t.floor.logs(),
        plain=lambda t: expect(t("logs", max=1_000), b"entry 999"),
    ),
)


async def all_at_once(calls: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    """Run all calls concurrently and wait for them."""
    async with trio.open_nursery() as nursery:
        for call in calls:
            nursery.start_soon(call)


async def check(operation: Operation, tab: Tab, side: str) -> None:
    """Check the effect of a block in the page. Raises `NoEffectError`."""
    found, wanted = await tab.floor.value(operation.effect), operation.expected()
    if found != wanted:
        raise NoEffectError(f"{operation.what}, {side}: the page has {json.dumps(found)}, not {json.dumps(wanted)}")
