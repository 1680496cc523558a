"""The Console in a real browser, as `kapture console` opens it, with queries through its shadow roots."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from kapture.cdp import CdpConnection
from kapture.cli.console import write_console_page
from kapture.pairing import key_file
from tests.support.direct import private_page
from tests.support.patience import evaluate, until
from tests.support.stack import HubProcess

# Every element that matches, inside shadow roots too.
_DEEP = """
(() => {
  const walk = (root, found = []) => {
    for (const element of root.querySelectorAll('*')) {
      found.push(element);
      if (element.shadowRoot) walk(element.shadowRoot, found);
    }
    return found;
  };
  window.all = (selector) => walk(document).filter((element) => element.matches(selector));
  window.one = (selector) => all(selector)[0];
  window.textOf = (element) => {
    if (!element) return '';
    const root = element.shadowRoot ?? element;
    return [...root.childNodes].map((node) => {
      if (node.nodeType === Node.TEXT_NODE) return node.data;
      if (node.nodeType !== Node.ELEMENT_NODE || ['STYLE', 'SCRIPT'].includes(node.tagName)) return '';
      return node.tagName === 'SLOT' ? node.assignedNodes({ flatten: true }).map(textOfNode).join('') : textOf(node);
    }).join(' ');
  };
  window.textOfNode = (node) => (node.nodeType === Node.TEXT_NODE ? node.data : textOf(node));
})()
"""

# What is beside each other is put one below the other in the frame after the one that has the new size.
_LAID_OUT = """
new Promise((done) => {
  const look = () => requestAnimationFrame(innerWidth === WIDTH && innerHeight === HEIGHT ? next : look);
  const next = () => requestAnimationFrame(() => done(true));
  look();
})
"""


class ConsolePage:
    """The Console. `problems` are errors and CSP violations of its page."""

    def __init__(self, connection: CdpConnection) -> None:
        self._connection = connection
        self.problems: list[str] = []
        root = connection.root
        root.on("Runtime.exceptionThrown", lambda event: self.problems.append(_exception(event)))
        root.on("Log.entryAdded", self._logged)

    def _logged(self, event: dict[str, Any]) -> None:
        if event["entry"]["level"] == "error":
            self.problems.append(event["entry"]["text"])

    async def open(self, url: str) -> None:
        """Load it, with the query functions defined."""
        root = self._connection.root
        for domain in ("Page", "Runtime", "Log"):
            await root.send(f"{domain}.enable")
        await root.send("Page.addScriptToEvaluateOnNewDocument", {"source": _DEEP})
        await root.send("Page.bringToFront")
        await self.size(1440, 900)
        await root.send("Page.navigate", {"url": url})

    async def js(self, expression: str) -> Any:
        """The value of an expression; `all(selector)`, `one(selector)` and `textOf(element)` see shadow roots."""
        return await evaluate(self._connection, expression)

    async def until(self, expression: str, what: str) -> Any:
        """Wait until an expression is true."""

        async def look() -> Any:
            return await self.js(f"(async () => typeof one === 'function' && Boolean({expression}))()")

        try:
            return await until(look, what)
        except AssertionError as error:
            shown = " ".join((await self.text()).split())
            raise AssertionError(f"{error}; problems: {self.problems}; shown: {shown}") from error

    async def text(self) -> str:
        """All visible text."""
        shown: str = await self.js("textOf(document.body)")
        return shown

    async def press(self, element: str) -> None:
        """Click what an expression gives, once it is there and enabled: what comes over a connection is drawn later."""
        ready = "found && !found.disabled && !found.busy && found.ariaDisabled !== 'true'"
        await self.until(f"((found) => {ready} && (found.click(), true))({element})", element)

    async def show(self, view: str) -> None:
        """Select a view by its tab."""
        await self.press(f"one('#tab-{view}')")
        await self.until(f"one('#tab-{view}').ariaSelected === 'true'", f"the view {view}, selected")

    async def choose(self, tool: str) -> None:
        """Choose a command in the list of the Commands view."""
        script = f"all('kc-command-list .item, .item').find((item) => item.textContent.trim() === {json.dumps(tool)})"
        await self.until(f"((item) => (item?.click(), item))({script})", f"the command {tool}")
        await self.until(f"{script}?.ariaCurrent === 'true'", f"the command {tool}, chosen")

    async def run(self) -> str:
        """Press Run and wait for the outcome: `ok`, `failed` or `cancelled`."""
        await self.js("window.before = one('kc-app').app.history.runs[0]?.id")
        await self.press_run()
        await self.until("one('kc-app').app.history.runs[0]?.id !== window.before", "the run's end")
        await self.until("one('kc-answer') && textOf(one('kc-answer k-badge, k-response')) !== ''", "the answer")
        state: str = await self.js("one('kc-app').app.history.runs[0].state")
        return state

    async def press_run(self) -> None:
        """Press Run, once it can be: the commands come over one connection, the tabs after them over another."""
        await self.press("one('.run')")

    async def key(self, key: str) -> None:
        """Press Tab, or another key that types nothing."""
        code = {"Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}[key]
        for kind in ("rawKeyDown", "keyUp"):
            press = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            await self._connection.root.send("Input.dispatchKeyEvent", press)

    async def tab_loads(self) -> None:
        """Wait until the selected tab has loaded its page. It is connected, and shown, before."""
        await self.until("one('kc-app')?.app.tab", "a tab")
        loaded = "app.command('evaluate', { tabId: app.tabId, code: 'document.readyState' })"
        await self.until(
            f"(await (({{ app }}) => {loaded})(one('kc-app'))).data.value === 'complete'", "the tab's page"
        )

    async def size(self, width: int, height: int, *, dark: bool = False, forced: bool = False) -> None:
        """Set viewport, theme and high contrast, and wait until the page is laid out for them; colours change at once,
        so that axe sees none on its way."""
        root = self._connection.root
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await root.send("Emulation.setDeviceMetricsOverride", metrics)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        contrast = {"name": "forced-colors", "value": "active" if forced else "none"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        await root.send("Emulation.setEmulatedMedia", {"features": [theme, still, contrast]})
        await self.js(_LAID_OUT.replace("WIDTH", str(width)).replace("HEIGHT", str(height)))

    async def cpu_seconds(self) -> float:
        """The CPU time of the page's process so far."""
        root = self._connection.root
        await root.send("Performance.enable")
        metrics = (await root.send("Performance.getMetrics"))["metrics"]
        return float(next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime"))

    async def picture(self, path: Path) -> None:
        """Save a screenshot."""
        taken = await self._connection.root.send("Page.captureScreenshot", {"format": "png"})
        await trio.Path(path.parent).mkdir(parents=True, exist_ok=True)
        await trio.Path(path).write_bytes(base64.b64decode(taken["data"]))


def _exception(event: dict[str, Any]) -> str:
    details = event["exceptionDetails"]
    return str(details.get("exception", {}).get("description") or details["text"])


@asynccontextmanager
async def console_page(hub: HubProcess, browser: int, url: str | None = None) -> AsyncIterator[ConsolePage]:
    """The Console of this hub, signed in with a ticket; or the page at a URL.

    `browser` is a debugging port; the page finds nothing in it that another test has left.
    """
    async with private_page(browser) as connection:
        console = ConsolePage(connection)
        await console.open(url or write_console_page(hub.home, key_file.read(hub.home)).as_uri())
        yield console
