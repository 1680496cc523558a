"""Clients that call commands on simulated tabs, each one command at a time, as fast as answers come."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Sequence

import attrs
import trio

from kapture.measure.mcp_client import McpClient
from kapture.measure.simulated_tab import SimulatedTab


@attrs.define
class Load:
    """The results of a load. Times in milliseconds; `wrong` are errors, or answers to another call."""

    seconds: float = 0.0
    times_ms: list[float] = attrs.field(factory=list)
    by_client: list[int] = attrs.field(factory=list)
    by_tab_ms: dict[str, list[float]] = attrs.field(factory=lambda: defaultdict(list))
    wrong: list[str] = attrs.field(factory=list)

    @property
    def commands(self) -> int:
        """The number of answered commands."""
        return len(self.times_ms)

    @property
    def per_second(self) -> float:
        """Commands per second."""
        return self.commands / self.seconds if self.seconds else 0.0


async def run_load(clients: Sequence[McpClient], tabs: Sequence[SimulatedTab], seconds: float, seed: int = 0) -> Load:
    """Each client calls all tabs in an order of its own, repeatedly, for this many seconds."""
    load = Load(by_client=[0] * len(clients))
    began = time.perf_counter()

    async def work(number: int) -> None:
        chosen = random.Random(f"{seed} {number}")  # noqa: S311  an order, not a secret
        while True:
            for tab in chosen.sample(tabs, len(tabs)):
                if time.perf_counter() - began >= seconds:
                    return
                await call_once(load, clients[number], number, tab)

    async with trio.open_nursery() as nursery:
        for number in range(len(clients)):
            nursery.start_soon(work, number)
    load.seconds = time.perf_counter() - began
    return load


async def call_once(load: Load, client: McpClient, number: int, tab: SimulatedTab) -> None:
    """Run one command of the client with this number, and record its result."""
    selector = f"#c{number}-{load.by_client[number]}"
    began = time.perf_counter()
    try:
        answer = await client.call("click", {"tabId": tab.tab_id, "selector": selector})
    except RuntimeError as error:
        load.wrong.append(str(error))
        load.by_client[number] += 1
        return
    took_ms = (time.perf_counter() - began) * 1_000
    text = answer.decode()
    if f"{selector}\\" not in text or tab.tab_id not in text:
        load.wrong.append(f"{selector} on {tab.tab_id}: {text[:200]}")
    load.times_ms.append(took_ms)
    load.by_tab_ms[tab.tab_id].append(took_ms)
    load.by_client[number] += 1
