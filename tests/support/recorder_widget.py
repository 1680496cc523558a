"""The recorder's widget as the person in front of a page has it: its closed shadow root, which only a debugger sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from kapture.cdp import CdpConnection
from tests.support.patience import until

_BUTTON = """function(label, selector) {
  const named = (one) => label === null || [one.getAttribute('aria-label'), one.textContent.trim()].includes(label);
  const found = [...this.querySelectorAll(selector)].find((one) => named(one) && one.checkVisibility());
  if (!found) return null;
  const {left, top, width, height} = found.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""
_BOX = """function() {
  const {left, top, width, height} = this.getBoundingClientRect();
  return [left, top, width, height];
}"""
_TEXT = """function() {
  const recorded = [...this.querySelectorAll('[data-text]')].filter((one) => one.checkVisibility());
  return [this.innerText, ...recorded.map((one) => one.dataset.text)].join('\\n');
}"""


@attrs.frozen
class SeenWidget:
    """The widget in the page of this connection."""

    page: CdpConnection

    async def text(self) -> str | None:
        """Return its text; None where there is none."""
        text: str | None = await self._ask(_TEXT)
        return text

    async def says(self, words: str) -> str:
        """Wait until it says these words; its whole text."""

        async def look() -> str | None:
            text = await self.text()
            return text if text is not None and words in text else None

        return await until(look, f"{words!r} in the widget")

    async def says_no_more(self, words: str) -> None:
        """Wait until it is there without these words."""

        async def look() -> bool:
            text = await self.text()
            return text is not None and words not in text

        await until(look, f"the end of {words!r} in the widget")

    async def goes(self) -> None:
        """Wait until it is not there."""

        async def look() -> bool:
            return await self.text() is None

        await until(look, "the end of the widget")

    async def box(self) -> list[float]:
        """Where it is: left, top, width and height, in CSS pixels."""
        box: list[float] = await self._ask(_BOX)
        return box

    async def point(self, label: str | None, selector: str = "button") -> tuple[float, float]:
        """The middle of a button, once it is shown and at rest."""
        last: list[float] | None = None

        async def at_rest() -> list[float] | None:
            nonlocal last
            before, last = last, await self._ask(_BUTTON, label, selector)
            return last if last == before else None

        x, y = await until(at_rest, f"the button {label or selector!r} of the widget")
        return x, y

    async def press(self, label: str) -> None:
        """A real click on a button."""
        await self._click(*await self.point(label))

    async def press_toggle(self) -> None:
        """A real click on what lists the steps."""
        await self._click(*await self.point(None, "[aria-expanded]"))

    async def _click(self, x: float, y: float) -> None:
        await self.mouse("mouseMoved", x, y)
        await self.mouse("mousePressed", x, y)
        await self.mouse("mouseReleased", x, y)

    async def mouse(self, kind: str, x: float, y: float) -> None:
        held = 0 if kind == "mouseReleased" else 1
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1}
        await self.page.root.send("Input.dispatchMouseEvent", event)

    async def type(self, text: str) -> None:
        """Type, key by key, where the focus is."""
        for letter in text:
            await self.key(letter, text=letter)

    async def key(self, key: str, *, text: str = "") -> None:
        press: Mapping[str, Any] = {"key": key, "windowsVirtualKeyCode": _CODES.get(key, ord(key[0].upper()))}
        await self.page.root.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **press})
        await self.page.root.send("Input.dispatchKeyEvent", {"type": "keyUp", **press})

    async def _ask(self, function: str, *arguments: Any) -> Any:
        """Call a function of the widget's outermost element; None where there is no widget."""
        send = self.page.root.send
        document = (await send("DOM.getDocument", {"depth": -1, "pierce": True}))["root"]
        node = next((one for one in _nodes(document) if "Kapture recorder" in one.get("attributes", ())), None)
        if node is None:
            return None
        handle = (await send("DOM.resolveNode", {"backendNodeId": node["backendNodeId"]}))["object"]["objectId"]
        given = [{"value": argument} for argument in arguments]
        call = {"objectId": handle, "functionDeclaration": function, "arguments": given, "returnByValue": True}
        answer = await send("Runtime.callFunctionOn", call)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


def _nodes(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in (*node.get("shadowRoots", ()), *node.get("children", ())):
        yield from _nodes(child)
