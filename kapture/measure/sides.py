"""What does the operations: a browser's own protocol, and MCP servers through the tools that they have."""

from __future__ import annotations

import re
import secrets
from typing import Protocol

import attrs

from kapture.measure.adapter import Names, NoToolError, Plan, find_refs, plan
from kapture.measure.floor import Floor
from kapture.measure.operations import Block, Call, Operation
from kapture.measure.peer import Peer, text_of
from kapture.measure.reporting_site import ReportingSite
from kapture.measure.timing import Side, SideFailedError

_NOTHING = Call()


class Competitor(Protocol):
    """One of those that are compared. `tab` is the site's name for the tab that it works in."""

    name: str
    tab: str

    async def show(self, operation: Operation, url: str) -> None:
        """Get ready for the operation, and open this page; `NoToolError` if the operation is not for it."""

    async def prepare(self) -> None:
        """Look at the page before a block of calls."""

    async def do(self, call: Call) -> bytes:
        """One call: what is timed. The answer."""


class RawCdp:
    """The fewest CDP messages that do it."""

    name = "raw"

    def __init__(self, raw: Floor, tab: str) -> None:
        self.tab = tab
        self._raw = raw
        self._operation: Operation | None = None

    async def show(self, operation: Operation, url: str) -> None:
        """Open the page."""
        self._operation = operation
        await self._raw.navigate(url)

    async def prepare(self) -> None:
        """Find the points to click and to hover."""
        assert self._operation is not None  # noqa: S101  shown before
        await self._raw.loaded()
        if self._operation.pointed:
            calls = (self._operation.call(number) for number in range(2))
            await self._raw.prepare(*(element.selector for call in calls for element in call.elements))

    async def do(self, call: Call) -> bytes:
        """The operation as CDP."""
        assert self._operation is not None  # noqa: S101  shown before
        return await self._operation.raw(self._raw, call) or b""


class McpServer:
    """An MCP server, by the tools that it lists."""

    def __init__(self, name: str, peer: Peer, tab: str, timeout_s: float) -> None:
        self.name = name
        self.tab = tab
        self._peer = peer
        self._timeout_s = timeout_s
        self._operation: Operation | None = None
        self._plan: Plan | None = None
        self._names = Names()

    async def show(self, operation: Operation, url: str) -> None:
        """Choose the tool, and open the page by the server's own."""
        self._plan = plan(operation.name, self._peer.tools)
        self._operation = operation
        opening = plan("navigate", self._peer.tools)
        if opening.needs_page or self._plan.needs_page:
            self._names = attrs.evolve(self._names, page=await self._page())
        await self._call(opening, Call(url=url))
        self._peer.remember_processes()

    async def prepare(self) -> None:
        """Take a snapshot, where elements are named by it."""
        assert self._plan is not None  # noqa: S101  shown before
        assert self._operation is not None  # noqa: S101
        if not self._plan.needs_refs:
            return
        elements = {element.id: element for n in range(2) for element in self._operation.call(n).elements}
        shown = text_of(await self._call(plan("snapshot", self._peer.tools), _NOTHING))
        self._names = attrs.evolve(self._names, refs=find_refs(shown, list(elements.values())))

    async def do(self, call: Call) -> bytes:
        """The operation as a call of a tool."""
        assert self._plan is not None  # noqa: S101  shown before
        return await self._call(self._plan, call)

    async def _call(self, how: Plan, call: Call) -> bytes:
        return await self._peer.call(how.tool, how.arguments(call, self._names), self._timeout_s)

    async def _page(self) -> int:
        """The first page of the server's list."""
        listed = text_of(await self._call(plan("pages", self._peer.tools), _NOTHING))
        found = re.search(r"^\s*(\d+):", listed, re.MULTILINE)
        if found is None:
            raise NoToolError("its list of pages shows no page")
        return int(found[1])


class Measured:
    """One competitor at one operation: the calls of a block, and what came of them."""

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
        """For timing."""
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
        """Whether the block had its effect."""
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
