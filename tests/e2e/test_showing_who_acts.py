"""A page shows its person which client acts, and Stop: the page cannot press it or read it, and the client never sees it."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest

from kapture.page.shown import Actor
from tests.support.context import Tab, open_tab
from tests.support.patience import until
from tests.support.site import Site, serving

pytestmark = pytest.mark.e2e

CLIENT = "Zq client"
PAGE = """<!doctype html><title>Shop</title>
<style>* { margin: 0 } div { display: none !important } #corner { position: fixed; right: 0; bottom: 0; width: 300px; height: 60px }
  @font-face { font-family: "system-ui"; src: url(/leak?system); unicode-range: U+5A }
  @font-face { font-family: system-ui; src: url(/leak?plain); unicode-range: U+5A }
  @font-face { font-family: sans-serif; src: url(/leak?sans); unicode-range: U+5A }</style>
<label>Your name <input id=name></label><button id=save onclick="name.value = 'saved'">Save</button>
<button id=corner onclick="corner.textContent = 'pressed'">Corner</button><dialog>Sure?</dialog>
<script>
  heard = []; hosts = [];
  for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
    addEventListener(kind, (event) => { if (hosts.includes(event.target)) { heard.push(kind); event.stopImmediatePropagation(); } }, true);
  new MutationObserver((all) => hosts.push(...all.flatMap((one) => [...one.addedNodes]).filter((one) => one.localName === 'div')))
    .observe(document, {subtree: true, childList: true});
</script>"""
_STOP = """function() {
  const stop = this.querySelector('.stop');
  const {left, top, width, height} = stop.getBoundingClientRect();
  return {text: [...this.querySelectorAll('[data-text]')].map((one) => one.dataset.text), x: left + width / 2, y: top + height / 2};
}"""


@attrs.define
class Scene:
    """A page that a client acts on, and how often the person has pressed Stop."""

    tab: Tab
    stops: list[str]

    async def shown(self) -> Mapping[str, Any] | None:
        """What it shows, and where Stop is; None where it shows nothing. Only a debugger sees it."""
        send = self.tab.page.connection.root.send
        nodes = (await send("DOM.getFlattenedDocument", {"depth": -1, "pierce": True}))["nodes"]
        node = next((one["nodeId"] for one in nodes if "shown" in one.get("attributes", ())[1:2]), None)
        if node is None:
            return None
        handle = (await send("DOM.resolveNode", {"nodeId": node}))["object"]["objectId"]
        answer = await send(
            "Runtime.callFunctionOn", {"objectId": handle, "functionDeclaration": _STOP, "returnByValue": True}
        )
        value: Mapping[str, Any] | None = answer["result"].get("value")
        return value

    async def press_stop(self) -> None:
        """A real click on Stop."""
        shown = await until(self.shown, "Stop")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            event = {"type": kind, "x": shown["x"], "y": shown["y"], "button": "left", "clickCount": 1}
            await self.tab.page.connection.root.send("Input.dispatchMouseEvent", event)

    async def stopped(self, times: int) -> None:
        async def look() -> bool:
            return len(self.stops) >= times

        await until(look, "a press on Stop")
        assert len(self.stops) == times


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/": PAGE}) as site:
        yield site


@asynccontextmanager
async def acted_on(browser: int, site: Site) -> AsyncIterator[Scene]:
    """A page that shows that a client has clicked Save, for as long as the test takes."""
    async with open_tab(browser, site.url("/")) as tab:
        scene = Scene(tab, [])
        tab.actor = Actor(CLIENT, "red", lambda: scene.stops.append(CLIENT))
        async with tab.page.shown.acting(tab.actor, "click", at_point=False):
            await tab("click", target={"css": "#save"}, snapshot="none")
            yield scene


async def test_person_sees_who_does_what_and_presses_stop_also_beside_a_modal_dialog(browser: int, site: Site) -> None:
    async with acted_on(browser, site) as at:

        async def said() -> bool:
            return (await at.shown() or {}).get("text") == [CLIENT, "clicking Save", "Stop"]

        await until(said, "who acts and what that is")
        await at.press_stop()
        await at.stopped(1)
        await at.tab.page.evaluate("document.querySelector('dialog').showModal()")
        await at.tab("hover", target={"css": "dialog"}, snapshot="none")
        await at.press_stop()
        await at.stopped(2)
        assert await at.tab.page.evaluate("heard") == []


async def test_page_can_neither_press_stop_nor_learn_the_client_nor_keep_it_away(browser: int, site: Site) -> None:
    async with acted_on(browser, site) as at:
        await until(at.shown, "who acts")
        found = await at.tab.page.evaluate(
            """(async () => {
              const [host] = hosts;
              host.click();
              for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
                host.dispatchEvent(new MouseEvent(kind, {bubbles: true, composed: true}));
              host.style.setProperty('display', 'none', 'important');
              await document.fonts.ready;
              const {x, y} = document.elementFromPoint(innerWidth - 40, innerHeight - 20) === host ? {x: 1, y: 1} : {};
              return {root: host.shadowRoot, attributes: host.getAttributeNames(), text: document.documentElement.textContent + host.outerHTML + host.innerText,
                globals: Object.getOwnPropertyNames(window).filter((name) => /kapture/i.test(name)), found: window.find('client') || window.find('clicking'),
                animations: document.getAnimations().length, shown: getComputedStyle(host).display, hit: x, size: [host.offsetWidth, host.offsetHeight]};
            })()"""
        )
        assert found["root"] is None
        assert (found["globals"], found["found"], found["animations"], found["size"]) == ([], False, 0, [0, 0])
        assert "client" not in found["text"].replace("clientX", "")
        assert found["shown"] == "block"
        assert found["attributes"] == ["style"]
        assert at.stops == []
        assert not [path for path in site.requests if "leak" in path]
        await at.tab.page.evaluate("hosts[0].remove()")
        assert await at.shown() is None
        await until(at.shown, "who acts, again")


async def test_client_does_not_see_it(browser: int, site: Site) -> None:
    async def seen(tab: Tab) -> list[Any]:
        clicked = await tab("click", target={"css": "#save"})
        picture = await tab("screenshot", format="png")
        return [
            clicked.text,
            (await tab("snapshot")).text,
            (await tab("get_html")).text,
            (await tab("find", text="Stop")).text,
            (await tab("evaluate", code="document.documentElement.outerHTML")).text,
            picture.parts[0].base64,
        ]

    async with open_tab(browser, site.url("/")) as tab:
        without = await seen(tab)
    async with acted_on(browser, site) as at:
        await at.tab.page.evaluate("document.getElementById('name').value = ''")
        await until(at.shown, "who acts")
        assert await seen(at.tab) == without


async def test_click_reaches_what_is_under_stop(browser: int, site: Site) -> None:
    async with acted_on(browser, site) as at:
        shown = await until(at.shown, "who acts")
        x, y = shown["x"], shown["y"]
        await at.tab.page.evaluate(
            f"Object.assign(corner.style, {{left: '{x - 5}px', top: '{y - 5}px', width: '10px', height: '10px'}})"
        )
        await at.tab("click", target={"css": "#corner"}, snapshot="none")
        assert await at.tab.page.evaluate("corner.textContent") == "pressed"
        await at.tab.page.evaluate("corner.textContent = ''")
        await at.tab("click", target={"x": x, "y": y}, snapshot="none")
        assert await at.tab.page.evaluate("corner.textContent") == "pressed"
        assert at.stops == []


async def test_it_goes_when_nothing_runs_any_more(browser: int, site: Site) -> None:
    async with acted_on(browser, site) as at:
        await until(at.shown, "who acts")

    async with open_tab(browser, site.url("/")) as tab:
        tab.actor = Actor(CLIENT, "red", lambda: None)
        await tab("click", target={"css": "#save"}, snapshot="none")
        scene = Scene(tab, [])

        async def gone() -> bool:
            return await scene.shown() is None

        await until(gone, "the end of what shows who acts")
