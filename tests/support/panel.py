"""A person's real input in a page of the extension, and its contents: the panel in DevTools foremost."""

from __future__ import annotations

import base64
from pathlib import Path

import attrs
import trio

from kapture.cdp import CdpConnection, CdpError
from tests.support.deep_page import (
    CLICK_HIT,
    PRESS_HIT,
    button_script,
    element_script,
    guard_script,
    middle_script,
    text_script,
)
from tests.support.patience import evaluate, until

_FRAME = """
(() => {
  const all = function* (root) {
    for (const element of root.querySelectorAll('*')) {
      yield element;
      if (element.shadowRoot) yield* all(element.shadowRoot);
    }
  };
  return [...all(document)].find((one) => one.localName === 'iframe' && one.src.includes('/ui/panel.html'));
})()
"""
_BOX = f"{_FRAME}.getBoundingClientRect()"

_SHOW_PANEL = """
(async () => {
  if (!document.querySelector('.root-view')) return false;  // DevTools is still being set up
  const UI = await import('./ui/legacy/legacy.js');
  const manager = UI.ViewManager.ViewManager.instance();
  const id = [...manager.views.keys()].find((key) => key.includes('Kapture'));
  if (!id) return false;
  await manager.showView(id);
  return true;
})()
"""

_SHOW_CONSOLE = """
(async () => {
  const UI = await import('./ui/legacy/legacy.js');
  await UI.ViewManager.ViewManager.instance().showView('console');
})()
"""


async def show_panel(frontend: CdpConnection) -> None:
    """Show the Kapture panel in these DevTools."""

    async def show() -> bool:
        return bool(await evaluate(frontend, _SHOW_PANEL))

    await until(show, "the Kapture panel")


@attrs.frozen
class Panel:
    """The panel's own document, and the DevTools around it."""

    page: CdpConnection
    frontend: CdpConnection

    async def leave(self) -> None:
        """Show DevTools' console in its place."""
        await evaluate(self.frontend, _SHOW_CONSOLE)

    async def show(self) -> None:
        """Show it in DevTools, whatever they showed."""
        await show_panel(self.frontend)

    async def text(self) -> str:
        """Return its text."""
        return str(await evaluate(self.page, text_script()))

    async def press(self, label: str) -> None:
        """A real click on the button with this label, once it can be pressed."""
        await self._click(button_script(label), f"the button {label!r}")

    async def click(self, selector: str) -> None:
        """A real click on the first element that is shown and matches."""
        await self._click(element_script(selector), selector)

    async def fill(self, selector: str, text: str) -> None:
        """Type into a field, replacing its value."""
        await self.click(selector)
        await self.key("a", ctrl=True)
        await self.page.root.send("Input.insertText", {"text": text})

    async def key(self, key: str, *, ctrl: bool = False, alt: bool = False) -> None:
        """Press a key."""
        modifiers = (
            (2 if ctrl else 0) | (1 if alt else 0) | (8 if key == "?" else 0)
        )  # with Shift, as on most keyboards
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowRight": 39, "ArrowDown": 40, "?": 191}
        code = codes.get(key, ord(key[0].upper()))
        commands = ["selectAll"] if ctrl and key == "a" else []
        press = {"key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code, "commands": commands}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not (ctrl or alt) else "")
        for kind in ("keyDown", "keyUp"):
            await self.page.root.send(
                "Input.dispatchKeyEvent", {"type": kind, **press, **({"text": text} if kind == "keyDown" else {})}
            )

    async def _click(self, element: str, what: str) -> None:
        last: list[float] | None = None

        async def at_rest() -> list[float] | None:
            nonlocal last
            before, last = last, await evaluate(self.page, middle_script(element))
            return last if last == before else None

        async def hit() -> bool:
            await until(at_rest, what)
            if not (middle := await evaluate(self.page, guard_script(element))):
                return False
            await self._mouse("mouseMoved", middle)
            await self._mouse("mousePressed", middle)
            try:
                pressed = bool(await evaluate(self.page, PRESS_HIT))
                await self._mouse("mouseReleased", middle)
                return pressed and await evaluate(self.page, CLICK_HIT) is not False
            except CdpError:  # the press has ended the page
                return True

        await until(hit, f"a press on {what}")

    async def _mouse(self, kind: str, at: list[float]) -> None:
        event = {"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}
        await self.page.root.send("Input.dispatchMouseEvent", event)

    async def says(self, words: str) -> str:
        """Wait until the panel shows this text. Returns all its text."""

        text = ""

        async def look() -> bool:
            nonlocal text
            text = await self.text()
            return words in text

        try:
            await until(look, f"{words!r} in the panel")
        except AssertionError as error:
            raise AssertionError(f"{error}; it says:\n{text}") from None
        return text

    async def resize(self, width: int, height: int = 640) -> None:
        """Make the panel this large, in a DevTools window of sufficient size."""
        window = {"width": 1700, "height": height + 60, "deviceScaleFactor": 1, "mobile": False}
        await self.frontend.root.send("Emulation.setDeviceMetricsOverride", window)
        await evaluate(self.frontend, f"{_FRAME}.style = 'flex: none; width: {width}px; height: {height}px'; 1")

        async def fits() -> bool:
            return bool(await evaluate(self.page, "[innerWidth, innerHeight].join()") == f"{width},{height}")

        await until(fits, f"a panel of {width} by {height} px")

    async def fit(self) -> None:
        """Let DevTools give it its size again, after `resize`."""
        await evaluate(self.frontend, f"{_FRAME}.removeAttribute('style')")

    async def picture(self, path: Path) -> None:
        """A screenshot of the panel."""
        box = f"(({{x, y, width, height}}) => ({{x, y, width, height, scale: 1}}))({_BOX})"
        clip = await evaluate(self.frontend, box)
        send = self.frontend.root.send
        await send("Page.startScreencast", {"format": "jpeg"})  # DevTools is drawn, even if another tab is in front
        shot = await send("Page.captureScreenshot", {"format": "png", "clip": clip})
        await send("Page.stopScreencast")
        await trio.Path(path).write_bytes(base64.b64decode(shot["data"]))
