"""Grants and addresses of tests that make calls."""

from __future__ import annotations

from typing import Any

from tests.unit.hub.simulated import World

READ = {"sites": ["example.com"], "level": "read"}


INSIDE = "https://shop.example.com/cart"


async def reaches_the_tab(there: World, tab: Any, name: str) -> None:
    call = there.start(there.call(name))
    await tab.answer(await tab.receive("command"))
    assert await call.wait() == "ok"
