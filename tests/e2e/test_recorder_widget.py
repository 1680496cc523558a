"""The recorder's widget in a page: the page cannot read or press it, Kapture does not see it, a person records with it."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from tests.support.axe import violations
from tests.support.context import Tab, open_tab
from tests.support.direct import attached
from tests.support.patience import evaluate, until
from tests.support.person import person_at_browser
from tests.support.recorded import Recorded, recording
from tests.support.recorded_shop import shop
from tests.support.recorder_widget import SeenWidget
from tests.support.site import Site, serving
from tests.support.stack import hub_process
from tests.support.widget_scene import STEPS, VIEW, widget_at

pytestmark = pytest.mark.e2e

SECRET = "hunter2-secret"

WATCHING = """<!doctype html><title>Watching</title>
<style>* { margin: 0 } div { display: none !important } #all { position: fixed; inset: 0 }</style>
<button id=all onclick="pressed = (window.pressed ?? 0) + 1">All of it</button>
<script>
  records = []; heard = [];
  new MutationObserver((all) => records.push(...all)).observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true });
  for (const kind of ['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'input']) addEventListener(kind, (event) => heard.push(event.key ?? event.data), true);
</script>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/watching": WATCHING}) as site:
        yield site


async def test_the_page_can_neither_read_it_nor_press_it(browser: int, site: Site) -> None:
    async with widget_at(browser, site.url("/watching")) as at:
        await at.widget.press('Edit: fill textbox "City"')
        await at.widget.type("Oslo")
        await at.widget.key("Enter", text="\r")
        assert await at.message() == {"command": "record_edit", "params": {"step": "1", "value": "Oslo"}}
        await at.tab.page.widget.show({**VIEW, "steps": STEPS[:1], "problem": {"message": "No.", "hint": ""}})
        found = await at.tab.page.evaluate(
            """(async () => {
              const added = records.flatMap((record) => [...record.addedNodes]);
              const [host] = added;
              for (const kind of ['mousedown', 'mouseup', 'click', 'keydown', 'submit'])
                host.dispatchEvent(new MouseEvent(kind, {bubbles: true, composed: true}));
              host.click();
              host.style.display = 'none';
              await new Promise((done) => setTimeout(done));
              const globals = Object.getOwnPropertyNames(window).filter((name) => /kapture/i.test(name));
              return {added: added.length, records: records.length, root: host.shadowRoot, attributes: host.getAttributeNames(),
                text: document.documentElement.textContent + host.outerHTML + host.innerText, heard, globals,
                shown: getComputedStyle(host).display, found: ['City', 'Rome'].filter((words) => window.find(words))};
            })()"""
        )
        assert (found["added"], found["records"]) == (1, 2)  # it came, and the page itself gave it a style
        assert found["root"] is None
        assert (found["heard"], found["globals"], found["found"]) == ([], [], [])
        assert "City" not in found["text"]
        assert found["shown"] == "block"
        await at.tab.page.widget.remove()
        assert await at.tab.page.evaluate("document.querySelectorAll('div').length") == 0
        with pytest.raises(trio.WouldBlock):
            at.sent.receive_nowait()


@pytest.mark.parametrize("how", ["document.open(); document.write('<p>New'); document.close()", "moved()"])
async def test_it_works_after_the_page_has_taken_it_out(browser: int, site: Site, how: str) -> None:
    async with widget_at(browser, site.url("/watching")) as at:
        await at.tab.page.evaluate(
            f"""(() => {{
              const moved = () => {{
                const host = document.documentElement.lastElementChild;
                host.remove();
                document.documentElement.append(host);
              }};
              {how};
            }})()"""
        )
        await at.tab.page.widget.show(VIEW)
        await at.widget.press("Stop")
        assert await at.message() == {"command": "record_stop", "params": {}}


async def test_kapture_sees_nothing_of_it_and_acts_past_it(browser: int, site: Site) -> None:
    async with widget_at(browser, site.url("/watching")) as at:
        tab = at.tab
        x, y = await at.widget.point("Stop")
        texts = [
            await tab.text("snapshot"),
            await tab.text("get_html"),
            await tab.text("get_html", clean=False),
            await tab.text("element_at", x=x, y=y),
        ]
        assert not [text for text in texts if "recorder" in text or "<div" in text]
        assert (await tab.data("elements", target={"css": "html > *"}))["total"] == 2
        assert (await tab.page.frames.main.call("locate", {"target": {"css": "div"}, "limit": 1}))["matches"] == []
        async with recording(tab.page) as recorded:
            await tab("click", target={"x": x, "y": y})
            assert await tab.page.evaluate("window.pressed") == 1
            await at.widget.press("Stop")
            assert await at.message() == {"command": "record_stop", "params": {}}
            await _click_the_page(tab, recorded)
            assert [action.element["name"] for action in recorded.actions() if action.element] == ["All of it"]
        await tab.page.frames.main.call("watch")
        await tab.page.widget.remove()
        await tab.page.widget.show(VIEW)
        assert not (await tab.page.frames.main.call("effects", {}))["changed"]


async def _click_the_page(tab: Tab, recorded: Recorded) -> None:
    point = {"x": 5, "y": 5, "button": "left", "clickCount": 1}
    for kind in ("mousePressed", "mouseReleased"):
        await tab.page.connection.root.send("Input.dispatchMouseEvent", {"type": kind, **point})
    await recorded.action("click")


async def test_pictures_leave_it_out(browser: int, site: Site) -> None:
    async with widget_at(browser, site.url("/watching")) as at:

        async def picture() -> str:
            result = await at.tab("screenshot", format="png")
            return result.parts[0].base64

        with_widget = [await picture(), await picture()]
        await at.tab.page.widget.show(VIEW)  # answered after it is to be seen again
        raw = (await at.tab.page.connection.root.send("Page.captureScreenshot", {}))["data"]
        await at.tab.page.widget.remove()
        assert with_widget == [await picture()] * 2
        assert raw != (await at.tab.page.connection.root.send("Page.captureScreenshot", {}))["data"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_everybody_can_use_it(browser: int, site: Site, scheme: str) -> None:
    async with open_tab(browser, site.url("/watching")) as tab:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await tab.page.connection.root.send("Emulation.setEmulatedMedia", {"features": features})
        source = files("kapture.page").joinpath("widget.bundle.js").read_text("utf-8")
        problem = {"message": "There is a scenario flow already.", "hint": "Replace it.", "code": "SCENARIO_INVALID"}
        await tab.page.evaluate(
            f"""(() => {{
              document.body.replaceChildren();
              document.documentElement.lang = 'en';
              const attach = Element.prototype.attachShadow;
              Element.prototype.attachShadow = function (init) {{ return attach.call(this, {{...init, mode: 'open'}}); }};
              globalThis.kapture = {{adoptOwnElement() {{}}}};
              Animation.prototype.play = () => {{}};  // nobody renews its lease here
              {source}
              ;kaptureWidget.show({json.dumps({**VIEW, "problem": problem})}, {{aside: false, unseen: false}});
            }})()"""
        )
        await SeenWidget(tab.page.connection).press("Save…")
        assert await violations(tab.page.evaluate, wcag_only=True) == []


async def test_a_person_records_changes_and_saves_in_the_page(tmp_path: Path) -> None:
    with shop() as site, hub_process(tmp_path / "home") as hub:
        async with (
            person_at_browser(hub.home, tmp_path / "profile", site.url("/login")) as person,
            person.panel() as panel,
        ):
            await panel.says("Sign in")
            await panel.press("Connect")
            await panel.says("Connected\nDisconnect")
            await panel.press("Scenarios")
            async with attached(await person.target("/login")) as connection:
                await connection.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
                page, widget = type(panel)(connection, connection), SeenWidget(connection)
                await panel.press("Record in the page")
                await widget.says("Not recording")
                await widget.press("Record")
                await widget.says("Use the page: each step is listed here.")
                await page.fill("#e", "ada@lovelace.example")
                await page.fill("#p", SECRET)
                await widget.says('fill textbox "Password"')
                x, y = await widget.point("Move the recorder")
                await widget.mouse("mousePressed", x, y)
                await widget.mouse("mouseMoved", x - 400, y - 80)
                await widget.mouse("mouseReleased", x - 400, y - 80)
                place = (await widget.box())[0]
                await widget.press_toggle()
                text = await widget.says("{{password}}")
                assert SECRET not in text
                await page.click("#p")
                await page.key("Enter")
                await _arrive(page, "Products")
                await page.fill("#q", "green")
                text = await widget.says('fill searchbox "Search products"')  # open still, in the next document
                assert (await widget.box())[0] == place
                await widget.press('Edit: fill searchbox "Search products"')
                await widget.type("black")
                await widget.key("Enter", text="\r")
                await widget.says("black")
                await panel.says("black")
                await widget.press('Keep as a secret: fill searchbox "Search products"')
                await widget.says("{{secret}}")
                await widget.press('Delete: fill searchbox "Search products"')
                await widget.says_no_more("{{secret}}")  # without this step it is lower, and so are its buttons
                await widget.press("Stop")
                await widget.says("not saved yet")
                await widget.press("Save…")
                await widget.type("sign_in")
                await widget.press("Save scenario")
                await widget.says("Saved as sign_in")
                saved = json.loads((hub.home / "scenarios" / "sign_in.json").read_text())
                assert [step["command"] for step in saved["chain"]][:3] == ["navigate", "fill", "fill"]
                assert "black" not in json.dumps(saved)
                await widget.press("Close the recorder")
                await widget.goes()

                await panel.press("Record")
                await widget.says("Recording")
                await panel.press("Disconnect")
                await widget.goes()


async def _arrive(page: Any, title: str) -> None:
    async def there() -> bool:
        return bool(await evaluate(page.page, f"document.title === {title!r} && document.readyState === 'complete'"))

    await until(there, title)
