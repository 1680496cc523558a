"""What is measured: each operation done by Kapture and by the floor, on the same page."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import attrs
import trio

from bench.floor import Floor
from bench.product import Product

_words = itertools.count()


@attrs.frozen(kw_only=True)
class Operation:
    """One line of the table. `goal_ms` is what the project wants of it; `sized`: the length of the answer counts."""

    what: str
    page: str
    ours: Callable[[Product], Awaitable[Any]]
    floor: Callable[[Floor], Awaitable[Any]]
    goal_ms: float | None = None
    sized: bool = False


def _word() -> str:
    """Another text each time, so that no fill finds its work done."""
    return f"text {next(_words)}"


async def _hover(product: Product) -> None:
    await product("hover", selector="#go" if next(_words) % 2 else "#name")


async def _fill_ten(product: Product) -> None:
    word = _word()
    await product("fill_form", fields=[{"selector": f"#f{i}", "value": word} for i in range(10)])


async def _select(product: Product) -> None:
    await product("select", selector="#country", value=("Spain", "Peru")[next(_words) % 2])


OPERATIONS: Sequence[Operation] = (
    Operation(
        what="evaluate 1+1", page="/form", ours=lambda p: p("evaluate", code="1+1"), floor=lambda f: f.evaluate()
    ),
    Operation(
        what="click",
        page="/form",
        ours=lambda p: p("click", selector="#go"),
        floor=lambda f: f.click("#go"),
        goal_ms=8,
    ),
    Operation(what="hover", page="/form", ours=_hover, floor=lambda f: f.hover("#go", "#name")),
    Operation(
        what="fill one field",
        page="/form",
        ours=lambda p: p("fill", selector="#name", value=_word()),
        floor=lambda f: f.fill("#name", text=_word()),
        goal_ms=5,
    ),
    Operation(
        what="fill ten fields",
        page="/fields",
        ours=_fill_ten,
        floor=lambda f: f.fill(*(f"#f{i}" for i in range(10)), text=_word()),
    ),
    Operation(
        what="select",
        page="/form",
        ours=_select,
        floor=lambda f: f.select("#country", ("Spain", "Peru")[next(_words) % 2]),
    ),
    Operation(
        what="snapshot, small form",
        page="/form",
        ours=lambda p: p("snapshot"),
        floor=lambda f: f.tree(),
        goal_ms=5,
        sized=True,
    ),
    Operation(
        what="snapshot, 500-row table",
        page="/table",
        ours=lambda p: p("snapshot"),
        floor=lambda f: f.tree(),
        sized=True,
    ),
    Operation(
        what="snapshot, 5,000 elements",
        page="/elements",
        ours=lambda p: p("snapshot"),
        floor=lambda f: f.tree(),
        goal_ms=60,
        sized=True,
    ),
    Operation(
        what="what changed, 5,000 elements",
        page="/elements",
        ours=lambda p: p("snapshot", since="last"),
        floor=lambda f: f.tree(),
        sized=True,
    ),
    Operation(
        what="screenshot, PNG of the viewport",
        page="/form",
        ours=lambda p: p("screenshot", format="png"),
        floor=lambda f: f.screenshot(),
    ),
    Operation(
        what="1,000 console entries",
        page="/logs",
        ours=lambda p: p("logs", max=1_000),
        floor=lambda f: f.logs(),
    ),
)


async def all_at_once(calls: Sequence[Callable[[], Awaitable[Any]]]) -> None:
    """Start every call, wait for all."""
    async with trio.open_nursery() as nursery:
        for call in calls:
            nursery.start_soon(call)
