"""The competitors that `python -m bench.peers` compares: raw CDP, and MCP servers through their tools."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import attrs
import trio

from bench.floor import Floor
from bench.peers.adapter import Names, NoToolError, Plan, find_refs, plan
from bench.peers.operations import Block, Call, Operation
from bench.peers.peer import Peer, text_of
from bench.peers.reporting_site import ReportingSite
from bench.timing import Side, SideFailedError

_NOTHING = Call()


class Competitor(Protocol):
    """One of the compared. `tab`: the name of its tab on the reporting site."""

    name: str
    tab: str

    async def show(self, operation: Operation, url: str) -> None:
        """Prepare for an operation and open this page; `NoToolError` if it cannot do the operation."""

    async def prepare(self) -> None:
        """Prepare for a block of calls; not timed."""

    async def do(self, call: Call) -> bytes:
        """Make one call, which is timed; returns the answer."""


class RawCdp:
    """The fewest CDP messages for each operation."""

    name = "raw"

    def __init__(self, raw: Floor, tab: str, timeout_s: float) -> None:
        self.tab = tab
        self._raw = raw
        self._timeout_s = timeout_s
        self._operation: Operation | None = None

    async def show(self, operation: Operation, url: str) -> None:
        """Open the page."""
        self._operation = operation
        with self._bounded("opening the page"):
            await self._raw.navigate(url)

    async def prepare(self) -> None:
        """Find the points to click and hover."""
        assert self._operation is not None
        with self._bounded("preparing"):
            await self._raw.loaded()
            if self._operation.pointed:
                calls = (self._operation.call(number) for number in range(2))
                await self._raw.prepare(*(element.selector for call in calls for element in call.elements))

    async def do(self, call: Call) -> bytes:
        """Send the CDP messages of the operation."""
        assert self._operation is not None
        with self._bounded(self._operation.label):
            return await self._operation.raw(self._raw, call) or b""

    @contextmanager
    def _bounded(self, what: str) -> Iterator[None]:
        with trio.move_on_after(self._timeout_s) as scope:
            try:
                yield
            except RuntimeError as error:  # a script that the page refused
                raise SideFailedError(f"{what}: {error}") from error
        if scope.cancelled_caught:
            raise SideFailedError(f"{what}: the browser did not answer within {self._timeout_s:g} s")


class McpServer:
    """An MCP server, used through the tools that it lists."""

    def __init__(self, name: str, peer: Peer, tab: str, timeout_s: float) -> None:
        self.name = name
        self.tab = tab
        self._peer = peer
        self._timeout_s = timeout_s
        self._operation: Operation | None = None
        self._plan: Plan | None = None
        self._names = Names()

    async def show(self, operation: Operation, url: str) -> None:
        """Choose the tool, and open the page with the server's navigation tool."""
        self._plan = plan(operation.name, self._peer.tools)
        self._operation = operation
        opening = plan("navigate", self._peer.tools)
        if opening.needs_page or self._plan.needs_page:
            self._names = attrs.evolve(self._names, page=await self._page())
        await self._call(opening, Call(url=url))
        self._peer.remember_processes()

    async def prepare(self) -> None:
        """Take a snapshot if elements are named by its refs."""
        assert self._plan is not None
        assert self._operation is not None
        if not self._plan.needs_refs:
            return
        elements = {element.id: element for n in range(2) for element in self._operation.call(n).elements}
        shown = text_of(await self._call(plan("snapshot", self._peer.tools), _NOTHING))
        self._names = attrs.evolve(self._names, refs=find_refs(shown, list(elements.values())))

    async def do(self, call: Call) -> bytes:
        """Call the tool of the operation."""
        assert self._plan is not None
        return await self._call(self._plan, call)

    async def _call(self, how: Plan, call: Call) -> bytes:
        return await self._peer.call(how.tool, how.arguments(call, self._names), self._timeout_s)

    async def _page(self) -> int:
        """The id of the first page that the server lists."""
        listed = text_of(await self._call(plan("pages", self._peer.tools), _NOTHING))
        found = re.search(r"^\s*(\d+):", listed, re.MULTILINE)
        if found is None:
            raise NoToolError("its list of pages shows no page")
        return int(found[1])


class Measured:
    """The calls of one competitor for one operation, and the checks of their effects."""

    def __init__(self, competitor: Competitor, operation: Operation, site: ReportingSite) -> None:
        self.partial = False
        self.answer_chars = 0
        self._competitor = competitor
        self._operation = operation
        self._site = site
        self._made = 0
        self._before_block = 0
        self._word = ""
        self._last = _NOTHING
        self._answer = b""

    @property
    def side(self) -> Side:
        """For `in_turn`."""
        return Side(self._competitor.name, self._call, self._check, self._before, out_of_step=self._operation.drawn)

    async def _before(self) -> None:
        self._word = f"w{secrets.token_hex(4)}"
        await self._site.ask(self._competitor.tab, self._word)
        try:
            await self._competitor.prepare()
        except NoToolError as error:
            raise SideFailedError(str(error)) from error
        self._before_block = self._made

    async def _call(self) -> None:
        call = self._operation.call(self._made)
        if self._operation.opens:
            call = attrs.evolve(call, url=self._site.address(self._operation.path, self._competitor.tab))
        self._last, self._made = call, self._made + 1
        self._answer = await self._competitor.do(call)

    async def _check(self) -> None:
        """Check the effect of the block."""
        block = Block(
            calls=self._made - self._before_block,
            last=self._last,
            answer=self._answer,
            word=self._word,
            report=await self._site.ask(self._competitor.tab),
        )
        if problem := self._operation.problem(block):
            raise SideFailedError(f"no effect: {problem}")
        self.answer_chars = len(self._answer)
        self.partial = self._operation.reads and self._answer.count(self._word.encode()) < 2
