"""The time of commands on one tab while another tab of the browser floods its console."""

from __future__ import annotations

import json

import trio

from bench.build import Stack
from bench.launched_browser import launched_browser
from bench.timing import Side, Times, in_turn

FLOOD = """globalThis.flood = setInterval(() => {
    const text = 'x'.repeat(2000);
    for (let i = 0; i < 2000; i++) console.log(i, text);
}, 10), 'flooding'"""
_BEGINS_S = 3  # until the flood has been noticed
_APART_S = 0.2
_BLOCK = 2


async def through_the_extension(stack: Stack, runs: int) -> tuple[Times, Times]:
    """Times of `evaluate` in one tab: while the other tab is quiet, and while it floods."""
    return await _beside_a_flood(stack, stack.tab.tab_id, runs)


async def launched(stack: Stack, runs: int) -> tuple[Times, Times]:
    """The same in a browser connected over its debugging pipe."""
    with launched_browser(stack.hub) as browser:
        return await _beside_a_flood(stack, browser.tab_id, runs)


async def _beside_a_flood(stack: Stack, tab_id: str, runs: int) -> tuple[Times, Times]:
    opened = await stack.plain.call("tab_new", {"tabId": tab_id, "url": "about:blank"})
    neighbour = json.loads(opened)["structuredContent"]["tabId"]
    quiet = await _evaluates(stack, tab_id, runs)
    assert b"flooding" in await stack.plain.call("evaluate", {"tabId": neighbour, "code": FLOOD})
    await trio.sleep(_BEGINS_S)
    try:
        return quiet, await _evaluates(stack, tab_id, runs)
    finally:
        await stack.plain.call("tab_close", {"tabId": neighbour})


async def _evaluates(stack: Stack, tab_id: str, runs: int) -> Times:
    async def evaluate() -> None:
        await stack.plain.call("evaluate", {"tabId": tab_id, "code": "1+1"})

    async def pause() -> None:
        await trio.sleep(_APART_S)  # a flood comes in waves

    side = Side("evaluate", evaluate, before=pause)
    return (await in_turn([side], runs, block=_BLOCK))["evaluate"]
