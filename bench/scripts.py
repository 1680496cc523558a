"""The overhead of the CDP endpoint for scripts: commands through `/cdp` and over the browser's own port, in one tab."""

from __future__ import annotations

import json
from functools import partial

from bench.build import Stack
from bench.floor import Floor
from bench.launched_browser import launched_browser
from bench.raw_cdp import attached, connected_to, targets
from bench.timing import Side, Times, in_turn

_BUTTON = "<button onclick='globalThis.clicks = (globalThis.clicks || 0) + 1'>Go</button>"


async def through_the_endpoint(stack: Stack, runs: int) -> dict[str, tuple[Times, Times]]:
    """Times by operation: over the browser's port, and through the endpoint."""
    hub = stack.hub
    with launched_browser(hub) as browser:
        page = next(target for target in await targets(browser.port) if target["type"] == "page")
        async with (
            attached(browser.port, page["id"]) as direct,
            connected_to(hub.port, "/cdp", {"Authorization": f"Bearer {hub.token}"}) as endpoint,
        ):
            answer = await endpoint.send("Target.attachToTarget", targetId=page["id"], flatten=True)
            endpoint.session_id = json.loads(answer)["result"]["sessionId"]
            await direct.evaluate(f"document.body.innerHTML = {json.dumps(_BUTTON)}")
            floors = {"port": Floor(direct), "endpoint": Floor(endpoint)}
            for floor in floors.values():
                await floor.prepare("button")
            evaluates = await in_turn([Side(name, floor.evaluate) for name, floor in floors.items()], runs)
            clicks = [Side(name, partial(floor.click, "button")) for name, floor in floors.items()]
            pressed = await in_turn(clicks, runs)
            done, seen = (
                sum(len(times.all_ms) for times in pressed.values()),
                await direct.evaluate("globalThis.clicks"),
            )
            if seen < done:
                raise RuntimeError(f"Of {done} clicks the page saw {seen}.")
    return {
        "evaluate": (evaluates["port"], evaluates["endpoint"]),
        "click": (pressed["port"], pressed["endpoint"]),
    }
