"""Where the time of a call goes: client → bridge → hub → worker → browser → page, and back.

The product is not instrumented. The browser reports when the worker's WebSocket received and sent messages; the other
stages are differences to the time of the whole call, over stdio and over the hub's own WebSocket.
"""

from __future__ import annotations

import statistics
from collections.abc import Awaitable, Callable
from typing import Any

import attrs
import msgspec
import trio

from bench.build import Stack, Tab
from bench.operations import OPERATIONS
from bench.raw_cdp import attached, targets
from bench.timing import Side, in_turn

SHOWN = (
    *("evaluate 1+1", "click", "fill one field", "fill ten fields", "type a word", "press a key", "select", "hover"),
    "snapshot, small form",
)


class _Frame(msgspec.Struct):
    payloadData: str = ""  # noqa: N815  as CDP spells it


class _Params(msgspec.Struct):
    timestamp: float
    response: _Frame


class _Event(msgspec.Struct):
    params: _Params


_EVENT = msgspec.json.Decoder(_Event)


@attrs.define
class _Call:
    """One call's messages at the worker, as (time in seconds, whether the hub sent it)."""

    frames: list[tuple[float, bool]] = attrs.field(factory=list)
    sent_bytes: int = 0

    def beyond_worker_ms(self) -> float:
        """The time during which a message of the hub was unanswered."""
        total, open_since, unanswered = 0.0, 0.0, False
        for at, from_hub in self.frames:
            if from_hub and not unanswered:
                open_since, unanswered = at, True
            elif not from_hub and unanswered:
                total, unanswered = total + at - open_since, False
        return total * 1000

    def span_ms(self) -> float:
        return (self.frames[-1][0] - self.frames[0][0]) * 1000 if self.frames else 0.0

    def round_trips(self) -> int:
        """The number of times that the hub sent a message after one from the worker."""
        return sum(
            from_hub and (index == 0 or not self.frames[index - 1][1])
            for index, (_, from_hub) in enumerate(self.frames)
        )


@attrs.frozen
class Stages:
    """Medians of one operation, in milliseconds."""

    what: str
    whole: float
    bridge: float
    hub_outside: float
    hub_between: float
    beyond_worker: float
    round_trips: float
    sent_bytes: float


async def stages(stack: Stack, site: Callable[[str], str], runs: int, only: str) -> list[Stages]:
    """Stages of the operations of `SHOWN` whose names contain `only`, plain and as an agent."""
    worker = next(t for t in await targets(stack.browser_port) if t["type"] == "service_worker")
    found = []
    async with attached(stack.browser_port, worker["id"]) as inside:
        await inside.send("Network.enable")
        for operation in OPERATIONS:
            if operation.what not in SHOWN or only not in operation.what:
                continue
            await stack.tab.show(site(operation.page))
            for kind, work in (("", operation.plain), (", agent", operation.agent)):
                if work is None:
                    continue
                await stack.tab.as_agent("snapshot")
                found.append(await _measure(stack, inside, operation.what + kind, work, runs))
    return found


async def _measure(stack: Stack, inside: Any, what: str, work: Callable[[Tab], Awaitable[Any]], runs: int) -> Stages:
    direct = Tab(stack.tab.tab_id, stack.tab.floor, stack.direct, stack.direct)
    if what.endswith("agent") or what.startswith("snapshot"):
        await direct("snapshot")
    times = await in_turn([Side("stdio", lambda: work(stack.tab)), Side("direct", lambda: work(direct))], runs)
    calls = []
    for _ in range(runs):
        call = _Call()

        def came(message: bytes, call: _Call = call) -> None:
            call.frames.append((_EVENT.decode(message).params.timestamp, True))

        def went(message: bytes, call: _Call = call) -> None:
            params = _EVENT.decode(message).params
            call.frames.append((params.timestamp, False))
            call.sent_bytes += len(params.response.payloadData)

        with (
            inside.listening("Network.webSocketFrameReceived", came),
            inside.listening("Network.webSocketFrameSent", went),
        ):
            await work(stack.tab)
            await trio.sleep(0.02)  # the browser reports the messages with a delay
        call.frames.sort()
        calls.append(_without_activity(call))
    whole, over_socket = times["stdio"].median, times["direct"].median
    span = statistics.median(call.span_ms() for call in calls)
    beyond = statistics.median(call.beyond_worker_ms() for call in calls)
    return Stages(
        what=what,
        whole=whole,
        bridge=whole - over_socket,
        hub_outside=over_socket - span,
        hub_between=span - beyond,
        beyond_worker=beyond,
        round_trips=statistics.median(call.round_trips() for call in calls),
        sent_bytes=statistics.median(call.sent_bytes for call in calls),
    )


def _without_activity(call: _Call) -> _Call:
    """Drop the hub's last messages, which the worker does not answer: `activity` for the panel."""
    while call.frames and call.frames[-1][1]:
        call.frames.pop()
    return call
