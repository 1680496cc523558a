"""Every page of the extension in every state, light and dark: no scrollbar, no violation of WCAG AA, a picture each.

The pages are the real ones; what the worker would send comes from `tests.support.states`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from kapture.cdp import CdpConnection
from tests.support import states
from tests.support.axe import violations
from tests.support.direct import direct_page
from tests.support.own_loop import on_own_loop
from tests.support.patience import evaluate, until
from tests.support.person import EXTENSION, Person, person_at_browser

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "artifacts" / "extension"
MAX_POPUP_HEIGHT = 600  # of Chrome

_FAKE_WORKER = """
(() => {
  if (location.protocol !== 'chrome-extension:') return;
  const ports = {};
  globalThis.fakeWorker = (name, message) => {
    ports[name]?.forEach((listener) => listener(message));
    return name in ports;
  };
  const connect = ({ name }) => ({
    onMessage: { addListener: (listener) => (ports[name.split(':')[0]] ??= []).push(listener) },
    onDisconnect: { addListener() {} },
    postMessage() {},
  });
  Object.defineProperty(chrome.runtime, 'connect', { value: connect });
})()
"""

_ANSWERABLE = """
[...document.querySelectorAll('k-questions, k-requests')]
  .every((one) => one.hidden || one.renderRoot.querySelector('button.danger')?.disabled === false)
"""

# What there is no room for is left out before the first frame.
_SIZE = """
new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
  done([document.documentElement.scrollWidth, document.body.scrollHeight]))))
"""

_LAST_BUTTON_IS_SHOWN = """
(() => {
  const asking = document.querySelector('k-questions').renderRoot.querySelectorAll('button');
  const { left, right, top, bottom } = [...asking].at(-1).getBoundingClientRect();
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
})()
"""

_UNPAIRED = """
[...document.querySelectorAll('k-pairing, k-first-run')]
  .some((one) => one.renderRoot?.textContent.includes('not paired'))
"""


@pytest.fixture(scope="module")
def unpaired(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """A browser whose extension knows no hub. Each test opens pages of its own in it."""
    folder = tmp_path_factory.mktemp("unpaired")
    with on_own_loop(person_at_browser(folder, folder / "profile", paired=False)) as person:
        yield person


@asynccontextmanager
async def opened(person: Person, page: str, size: tuple[int, int]) -> AsyncIterator[CdpConnection]:
    """A page of the extension, as wide and high as it is for a person."""
    async with direct_page(person.port) as connection:
        send = connection.root.send
        await send("Page.enable", {})
        await send("Page.addScriptToEvaluateOnNewDocument", {"source": _FAKE_WORKER})
        width, height = size
        await resize(connection, width, height)
        await send("Page.navigate", {"url": f"{EXTENSION}/ui/{page}"})
        ready = "document.readyState === 'complete' && !!document.querySelector('main')?.children.length"
        await until(lambda: evaluate(connection, ready), page)
        yield connection


async def resize(connection: CdpConnection, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    await connection.root.send("Emulation.setDeviceMetricsOverride", metrics)


async def show(connection: CdpConnection, port: str, message: dict[str, Any]) -> None:
    """Send a worker's message once the page listens."""
    sent = f"fakeWorker({json.dumps(port)}, {json.dumps(message)})"
    await until(lambda: evaluate(connection, sent), f"a page that listens to {port!r}")


async def picture(connection: CdpConnection, name: str) -> None:
    """Light and dark: a picture, and what axe-core finds."""
    for theme in ("light", "dark"):
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # else axe may see colours on their way
        features = [{"name": "prefers-color-scheme", "value": theme}, still]
        await connection.root.send("Emulation.setEmulatedMedia", {"features": features})
        await evaluate(connection, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        shot = await connection.root.send("Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True})
        path = trio.Path(PICTURES / f"{name}.{theme}.png")
        await path.parent.mkdir(parents=True, exist_ok=True)
        await path.write_bytes(base64.b64decode(shot["data"]))
        look = partial(evaluate, connection)
        assert await violations(look, wcag_only=True, colours_only=theme == "dark") == [], (name, theme)


@pytest.mark.long
async def test_no_state_of_the_popup_scrolls_or_violates_wcag_aa(unpaired: Person) -> None:
    async with opened(unpaired, "popup.html", (360, MAX_POPUP_HEIGHT)) as popup:
        for name, view in states.POPUP.items():
            await show(popup, "requests", {"type": "requests", "requests": [], "tabs": []})
            await show(popup, "tab", {"type": "view", "view": view})
            await until(lambda: evaluate(popup, _ANSWERABLE), "buttons that can be pressed")
            size = await evaluate(popup, _SIZE)
            assert size[0] <= 360, name
            assert size[1] <= MAX_POPUP_HEIGHT, (name, size)
            await resize(popup, 360, size[1])  # Chrome makes the bubble as high as its page
            await picture(popup, f"popup/{name}")
            await resize(popup, 360, MAX_POPUP_HEIGHT)


async def test_every_answer_can_be_reached_in_the_popup_however_much_is_asked(unpaired: Person) -> None:
    async with opened(unpaired, "popup.html", (360, MAX_POPUP_HEIGHT)) as popup:
        view = states.connected(questions=[states.question(id=f"q{number}") for number in range(3)])
        await show(popup, "requests", {"type": "requests", "requests": [states.request()], "tabs": []})
        await show(popup, "tab", {"type": "view", "view": view})
        await until(lambda: evaluate(popup, _ANSWERABLE), "buttons that can be pressed")
        assert not await evaluate(popup, _LAST_BUTTON_IS_SHOWN)
        down = {"type": "mouseWheel", "x": 180, "y": 20, "deltaX": 0, "deltaY": 5_000}
        await popup.root.send("Input.dispatchMouseEvent", down)
        await until(lambda: evaluate(popup, _LAST_BUTTON_IS_SHOWN), "the last answer")


async def test_no_question_window_violates_wcag_aa(unpaired: Person) -> None:
    async with opened(unpaired, "question.html?tab=1", (440, 560)) as window:
        for name, view in states.QUESTIONS.items():
            await show(window, "tab", {"type": "view", "view": view})
            await until(lambda: evaluate(window, _ANSWERABLE), "buttons that can be pressed")
            assert await evaluate(window, "document.documentElement.scrollWidth") <= 440, name
            await picture(window, f"question/{name}")
    async with opened(unpaired, "request.html", (440, 560)) as asking:
        shop = {"title": "Corner Shop", "url": "https://shop.example/", "site": "shop.example"}
        tabs = [{"chromeTabId": 5, "active": True, **shop}]
        await show(asking, "requests", {"type": "requests", "requests": [states.request()], "tabs": tabs})
        await until(lambda: evaluate(asking, _ANSWERABLE), "buttons that can be pressed")
        assert await evaluate(asking, "document.documentElement.scrollHeight") <= 560
        await picture(asking, "request/with_address")


@pytest.mark.parametrize("width", [800, 280])
@pytest.mark.parametrize("page", ["options", "first_run"])
async def test_options_and_first_run_page_violate_nothing_wide_or_narrow(
    unpaired: Person, page: str, width: int
) -> None:
    read, everything = {"sites": ["shop.example"], "level": "read"}, {"sites": ["*"], "level": "full"}
    remembered = json.dumps({"shop.example": read, "mail.example": everything})
    await unpaired.in_worker(f"chrome.storage.local.set({{ remembered: {remembered} }})")
    async with opened(unpaired, f"{page}.html", (width, 900)) as connection:
        await until(lambda: evaluate(connection, _UNPAIRED), "the state of the pairing")
        assert await evaluate(connection, "document.documentElement.scrollWidth") <= width
        await picture(connection, f"{page}/{width}")
