"""The floor: the same work done by the fewest CDP commands that do it, over the browser's own socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from kapture.cdp import CdpConnection
from tests.support.direct import direct_page


class Floor:
    """One tab, raw."""

    def __init__(self, connection: CdpConnection) -> None:
        self._session = connection.root
        self._points: dict[str, tuple[float, float]] = {}
        self._turn = 0

    async def show(self, url: str) -> None:
        """Navigate and wait for the load event."""
        loaded = trio.Event()
        with self._session.listening({"Page.loadEventFired": lambda _: loaded.set()}):
            await self._session.send("Page.navigate", {"url": url})
            await loaded.wait()
        self._points.clear()

    async def evaluate(self, expression: str = "1+1") -> Any:
        answer = await self._session.send("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        return answer["result"].get("value")

    async def wait_for(self, expression: str) -> None:
        """Evaluate, and wait for the promise if it is one."""
        await self._session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True})

    async def click(self, selector: str) -> None:
        x, y = await self._point(selector)
        button = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await self._session.send_all(
            [
                ("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}),
                ("Input.dispatchMouseEvent", {"type": "mousePressed", **button}),
                ("Input.dispatchMouseEvent", {"type": "mouseReleased", **button}),
            ]
        )

    async def hover(self, *selectors: str) -> None:
        self._turn += 1
        x, y = await self._point(selectors[self._turn % len(selectors)])
        await self._session.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})

    async def fill(self, *selectors: str, text: str) -> None:
        for selector in selectors:
            quoted = json.dumps(selector)
            expression = f"{{ const e = document.querySelector({quoted}); e.focus(); e.select() }}"
            await self._session.send_all(
                [("Runtime.evaluate", {"expression": expression}), ("Input.insertText", {"text": text})]
            )

    async def select(self, selector: str, value: str) -> None:
        await self.evaluate(
            f"{{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
            "e.dispatchEvent(new Event('input', {bubbles: true}));"
            "e.dispatchEvent(new Event('change', {bubbles: true})) }"
        )

    async def tree(self) -> int:
        """The browser's own accessibility tree; its size in characters."""
        answer = await self._session.send("Accessibility.getFullAXTree")
        return len(json.dumps(answer))

    async def screenshot(self) -> None:
        await self._session.send("Page.captureScreenshot", {"format": "png"})

    async def logs(self) -> None:
        """`Runtime.enable` tells all messages that the page has kept."""
        seen = trio.Event()
        count = 0

        def told(_: Any) -> None:
            nonlocal count
            count += 1
            if count == 1_000:
                seen.set()

        with self._session.listening({"Runtime.consoleAPICalled": told}):
            await self._session.send("Runtime.enable")
            await seen.wait()
        await self._session.send("Runtime.disable")

    async def _point(self, selector: str) -> tuple[float, float]:
        """Where it is, looked up once a page: the floor pays for input alone."""
        if selector not in self._points:
            box = await self.evaluate(
                f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                "return [b.x + b.width / 2, b.y + b.height / 2] })()"
            )
            self._points[selector] = (box[0], box[1])
        return self._points[selector]


@asynccontextmanager
async def floor_tab(port: int) -> AsyncIterator[Floor]:
    """A new tab of the browser at this debugging port."""
    async with direct_page(port) as connection:
        await connection.root.send("Page.enable")
        await connection.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
        yield Floor(connection)
