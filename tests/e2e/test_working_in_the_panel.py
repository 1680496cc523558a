"""Work in the panel inside DevTools, done as a person does it: keys, clicks, and a look at what it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio
from mcp import Client

from kapture.cdp import CdpConnection
from kapture.cli.demo import demo_shop
from tests.support.axe import violations
from tests.support.direct import attached
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import Person, person_at_browser
from tests.support.shared_panel import SharedPanel
from tests.support.site import serving
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

PICTURES = Path(__file__).parents[2] / "artifacts" / "extension" / "panel"
FIELD = (
    "document.querySelector('k-commands').shadowRoot.querySelector('k-form')"
    ".shadowRoot.querySelector('#in-target').value"
)
COMBOBOX = """
(() => {
  const { shadowRoot } = document.querySelector('k-commands').shadowRoot.querySelector('k-combobox');
  const input = shadowRoot.querySelector('input');
  return {
    value: input.value,
    open: input.ariaExpanded === 'true',
    focused: shadowRoot.activeElement === input,
    active: shadowRoot.querySelector('.active .label')?.textContent ?? '',
  };
})()
"""
HEADING = "(({x, y}) => [x + 20, y + 10])(document.querySelector('h1').getBoundingClientRect())"


@attrs.frozen
class Scene:
    """A connected tab with the shop, its panel, and a client."""

    panel: Panel
    client: Client
    tab_id: str
    page: CdpConnection

    async def choose(self, command: str) -> None:
        """Find a command, or a template, with the keyboard."""

        async def found() -> bool:
            box = await evaluate(self.panel.page, COMBOBOX)
            if box["active"] != command:
                await self.panel.key("k", ctrl=True)
                if box["open"] and box["focused"]:
                    await self.panel.key("a", ctrl=True)
                    await self.panel.page.root.send("Input.insertText", {"text": command})
            return bool(box["active"] == command)

        await until(found, f"{command} among the commands")
        await self.panel.key("Enter")

        async def chosen() -> bool:
            box = await evaluate(self.panel.page, COMBOBOX)
            return not box["open"] and box["value"] == command

        await until(chosen, f"{command} chosen")


@pytest.fixture
async def scene(hub: HubProcess, person: Person, shared_panel: SharedPanel) -> AsyncIterator[Scene]:
    with demo_shop() as shop:
        async with mcp_client(hub) as client, shared_panel.on(shop) as panel:
            await panel.says("Corner Shop")
            await panel.press("Connect")
            tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
            async with attached(await person.target(shop)) as page:
                yield Scene(panel, client, tab_id, page)


async def test_a_command_is_found_filled_in_and_run_with_the_keyboard(scene: Scene) -> None:
    panel = scene.panel
    await scene.choose("get_text")
    await panel.key("k", ctrl=True)

    async def listed() -> bool:
        return bool((await evaluate(panel.page, COMBOBOX))["open"])

    await until(listed, "the list of commands")
    await panel.key("Tab")
    await panel.page.root.send("Input.insertText", {"text": "h1"})
    assert await evaluate(panel.page, FIELD) == "h1"
    await panel.key("Enter", ctrl=True)
    assert "Corner Shop" in (await panel.says("Done\nget_text")).partition("Done\nget_text")[2]
    await panel.fill("#in-target", "#nowhere")
    await panel.key("Enter", ctrl=True)
    await panel.says("ELEMENT_NOT_FOUND")


async def test_a_target_is_picked_in_the_page_and_the_page_gets_no_click(scene: Scene) -> None:
    panel, page = scene.panel, scene.page
    await evaluate(page, "window.presses = 0; addEventListener('mousedown', () => presses += 1, true)")
    await scene.choose("get_text")
    await panel.press("Pick: target")

    await panel.says("Click an element in the page")
    x, y = await evaluate(page, HEADING)
    for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
        at = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        await page.root.send("Input.dispatchMouseEvent", at)

    async def picked() -> bool:
        return bool(await evaluate(panel.page, FIELD) == "h1")

    await until(picked, "the picked element in the form")
    assert await evaluate(page, "presses") == 0
    await panel.press("Run")
    await panel.says("Done\nget_text")


async def test_a_running_command_is_cancelled(scene: Scene) -> None:
    panel = scene.panel
    await scene.choose("wait_for")
    await panel.fill("#in-text", "words that never come")
    await panel.press("Run")
    await panel.says("Running\nwait_for")
    await panel.press("Cancel")
    await panel.says("Cancelled\nwait_for")
    assert "Corner Shop" in await call(scene.client, "snapshot", tabId=scene.tab_id)


async def test_console_and_network_of_the_page_are_shown_as_they_come(scene: Scene) -> None:
    panel = scene.panel
    await panel.press("Console")
    await panel.says("Corner Shop is open")  # logged before it is followed: no object's content
    await evaluate(scene.page, "console.warn('%s left', '<b>Three</b>', {tea: 1}); 1")
    await panel.says("<b>Three</b> left {tea: 1}")
    # The browser repeats to a new session what the page has written; what was cleared is not shown again.
    for label, words in (("Disconnect", "Not connected"), ("Connect", "Connected\nDisconnect")):
        await panel.press(label)
        await panel.says(words)
    await evaluate(scene.page, "console.warn('Four left'); 1")
    text = await panel.says("Four left")
    assert [text.count(line) for line in ("Corner Shop is open", "Three</b> left", "Four left")] == [1, 1, 1]
    await panel.press("Clear")
    await panel.says("Nothing logged")
    for label, words in (("Disconnect", "Not connected"), ("Connect", "Connected\nDisconnect")):
        await panel.press(label)
        await panel.says(words)
    await evaluate(scene.page, "console.warn('Five left'); 1")
    assert "Four left" not in await panel.says("Five left")
    await panel.press("Network")
    await evaluate(scene.page, "fetch('/nowhere?page=2').then(() => 1)")
    await panel.says("404\nGET\nnowhere?page=2")
    await panel.click("k-network [role=option], [role=option]")
    await panel.press("Show response body")
    await panel.says("Response headers")


async def test_activity_reads_as_what_a_person_would_say_they_did_and_hides_passwords(
    hub: HubProcess, person: Person, shared_panel: SharedPanel
) -> None:
    page = """<title>Order</title><label>Your name <input></label><label>Password <input id=p type=password></label>
        <label>Card number <input id=c></label><label><input type=checkbox> Gift</label>
        <button onclick="setTimeout(() => document.body.append('Thank you'), 3000)">Place order</button>"""
    with serving({"/": page}) as site:
        async with mcp_client(hub) as client, shared_panel.on(site.url("/")) as panel:
            await panel.press("Connect")
            tab_id = (await panel.says("Connected\nDisconnect")).partition("Tab id\n")[2][:8]
            await panel.press("Activity")
            await call(client, "fill", tabId=tab_id, target={"label": "Your name"}, value="Ann")
            await call(client, "fill", tabId=tab_id, target="#p", value="hunter2hunter2")
            await call(client, "type", tabId=tab_id, target="#c", text="4242 4242")
            fields = [{"target": {"label": "Gift"}, "value": True}, {"target": "#c", "value": "5555 5555"}]
            await call(client, "fill_form", tabId=tab_id, fields=fields)
            await call(client, "click", tabId=tab_id, target={"text": "Place order"})
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(call, client, "wait_for", tabId=tab_id, text="Thank you"))
                badge = (
                    "chrome.tabs.query({url: 'http://*/*'}).then(([{id}]) => chrome.action.getBadgeText({tabId: id}))"
                )

                async def working() -> bool:
                    return bool(await person.in_worker(badge) == "▶")

                await until(working, "the badge of a tab that a command runs on")
            text = await panel.says('Clicked "Place order"')
            assert 'Filled "Your name" with "Ann"' in text
            assert 'Filled "Password"' in text
            assert 'Typed 9 characters into "Card number"' in text
            assert 'Filled "Gift" with "on", "Card number"' in text
            stored = await person.in_worker("chrome.storage.local.get(null).then(JSON.stringify)")
            for secret in ("hunter2", "4242", "5555"):
                assert secret not in text + stored


async def test_activity_survives_restarts_of_worker_and_hub(tmp_path: Path) -> None:
    with demo_shop() as shop, hub_process(tmp_path / "home") as hub:
        async with person_at_browser(hub.home, tmp_path / "profile", shop) as person, person.panel() as panel:
            await panel.says("Corner Shop")
            await panel.press("Connect")
            await panel.says("Connected\nDisconnect")
            async with mcp_client(hub) as client:
                await call(client, "find", text="Green tea")
                await refusal(client, "click", target="#nowhere")
            await panel.press("Activity")
            await panel.says("ELEMENT_NOT_FOUND")
            await panel.click("[role=option]:nth-of-type(3)")
            await panel.press("Show answer")
            await panel.says("Green tea")
            await person.stop_worker()
            hub.kill()
            with hub_process(tmp_path / "home", hub.port):
                await panel.says("Connected\nDisconnect")
                text = await panel.says("ELEMENT_NOT_FOUND")
                assert "find" in text
                await panel.press("Clear")
                await panel.says("Nothing has run here yet")


@pytest.mark.long
async def test_every_part_of_the_panel_has_its_picture_and_is_accessible_in_both_themes_and_at_every_width(
    scene: Scene,
) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    panel = scene.panel
    await evaluate(scene.page, "console.error(new Error('no such article')); fetch('/nowhere').then(() => 1)")
    await call(scene.client, "find", tabId=scene.tab_id, text="tea")
    await refusal(scene.client, "click", tabId=scene.tab_id, target="#nowhere")
    await scene.choose("screenshot")
    await panel.press("Run")
    await panel.says("Done\nscreenshot")
    still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}  # else colours are on their way
    await panel.page.root.send("Emulation.setEmulatedMedia", still)
    problems = []
    for width in (280, 500, 900):
        await panel.resize(width)
        for number, name in enumerate(("commands", "scenarios", "console", "network", "activity"), 1):
            await panel.key(str(number), alt=True)
            for theme in ("light", "dark"):
                await evaluate(panel.page, f"document.documentElement.dataset.theme = '{theme}'")
                what = f"{name}-{width}.{theme}"
                if width <= 500:  # beyond, DevTools beside it covers a part
                    await panel.picture(PICTURES / f"{what}.png")
                found = await violations(partial(evaluate, panel.page), colours_only=theme == "dark")
                problems += [f"{what}: {line}" for line in found]
                if await evaluate(panel.page, "document.documentElement.scrollWidth > innerWidth"):
                    problems.append(f"{what}: scrolls sideways")
    assert not problems, "\n".join(problems)
