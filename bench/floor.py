"""The floor: the same operations by the fewest CDP commands possible, in the same browser and tab."""

from __future__ import annotations

import json
from typing import Any

import trio

from bench.raw_cdp import Target


class Floor:
    """One tab over raw CDP. What an operation needs to know of the page is determined once, in `prepare`."""

    def __init__(self, tab: Target) -> None:
        self.tab = tab
        self._points: dict[str, tuple[float, float]] = {}

    async def prepare(self, *selectors: str) -> None:
        """Find the centers of these elements."""
        for selector in selectors:
            quoted = json.dumps(selector)
            x, y = await self.tab.evaluate(
                f"(() => {{ const b = document.querySelector({quoted}).getBoundingClientRect();"
                "return [b.x + b.width / 2, b.y + b.height / 2] })()"
            )
            self._points[selector] = (x, y)

    async def evaluate(self, expression: str = "1+1", *, wait: bool = False) -> bytes:
        """Run a script; `wait`: until its promise is settled."""
        return await self.tab.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=wait)

    async def evaluate_in_turn(self, count: int) -> None:
        """Run this many scripts, one after the other."""
        for _ in range(count):
            await self.evaluate()

    async def click(self, selector: str) -> None:
        """Move the pointer there, press and release, without waiting in between."""
        x, y = self._points[selector]
        button = {"x": x, "y": y, "button": "left", "clickCount": 1}
        await self.tab.pipeline(
            [
                ("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y}),
                ("Input.dispatchMouseEvent", {"type": "mousePressed", **button}),
                ("Input.dispatchMouseEvent", {"type": "mouseReleased", **button}),
            ]
        )

    async def hover(self, selector: str) -> None:
        """Move the pointer there."""
        x, y = self._points[selector]
        await self.tab.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    async def fill(self, *selectors: str, text: str) -> None:
        """Fill fields, waiting for the focus: scripts and input are not ordered, so text could go elsewhere."""
        for selector in selectors:
            quoted = json.dumps(selector)
            expression = f"{{ const e = document.querySelector({quoted}); e.focus(); e.select() }}"
            await self.tab.send("Runtime.evaluate", expression=expression)
            await self.tab.send("Input.insertText", text=text)

    async def type(self, selector: str, text: str) -> None:
        """Press a key for each character, once the field has the focus."""
        await self.evaluate(f"{{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.value = '' }}")
        await self.keys(text)

    async def keys(self, text: str) -> None:
        """Press keys in the focused element."""
        down, up = {"type": "keyDown"}, {"type": "keyUp"}
        await self.tab.pipeline(
            [
                ("Input.dispatchKeyEvent", {**event, "key": key, **({"text": key} if event is down else {})})
                for key in text
                for event in (down, up)
            ]
        )

    async def select(self, selector: str, value: str) -> None:
        """Choose an option by a script, because no input event does that."""
        await self.evaluate(
            f"{{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
            "e.dispatchEvent(new Event('input', {bubbles: true}));"
            "e.dispatchEvent(new Event('change', {bubbles: true})) }"
        )

    async def tree(self) -> bytes:
        """Get the browser's own accessibility tree."""
        return await self.tab.send("Accessibility.getFullAXTree")

    async def screenshot(self) -> bytes:
        """Take a PNG of the viewport."""
        return await self.tab.send("Page.captureScreenshot", format="png")

    async def loaded(self) -> None:
        """Wait until the page has loaded: its `load` event is not taken for that of the next one."""
        await self.evaluate(
            "document.readyState === 'complete' || new Promise((done) => addEventListener('load', done))", wait=True
        )

    async def navigate(self, url: str) -> None:
        """Navigate, and wait for the `load` event."""
        loaded = trio.Event()
        with self.tab.listening("Page.loadEventFired", lambda _: loaded.set()):
            await self.tab.pipeline([("Page.enable", {}), ("Page.navigate", {"url": url})])
            await loaded.wait()

    async def logs(self) -> None:
        """Get all messages that the page has kept, which `Runtime.enable` sends."""
        seen = trio.Event()
        count = 0

        def on_console(_: bytes) -> None:
            nonlocal count
            count += 1
            if count == 1_000:
                seen.set()

        with self.tab.listening("Runtime.consoleAPICalled", on_console):
            await self.tab.send("Runtime.enable")
            await seen.wait()
        await self.tab.send("Runtime.disable")

    async def value(self, expression: str) -> Any:
        """Evaluate an expression, to check the effect of an operation."""
        return await self.tab.evaluate(expression)
