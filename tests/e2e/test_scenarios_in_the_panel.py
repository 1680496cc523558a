"""A person records, runs and edits scenarios in the panel inside DevTools, without any client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

from kapture.scenarios.files.decode import convert
from kapture.scenarios.files.storage import ScenarioFolder
from tests.support.direct import attached
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.person import person_at_browser
from tests.support.recorded_shop import shop
from tests.support.site import Site
from tests.support.stack import hub_process

pytestmark = pytest.mark.e2e

SECRET = "hunter2-secret"
EMAIL = "ada@lovelace.example"
IMAGES = """
() => {
  const view = document.querySelector('k-scenarios').renderRoot.querySelector('k-scenario-run').renderRoot;
  return [...view.querySelector('k-scenario-result').renderRoot.querySelectorAll('img')];
}
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with shop() as site:
        yield site


@attrs.frozen
class Scene:
    """A connected tab, its panel with the scenarios shown, and the person's own hand in the page."""

    panel: Panel
    page: Panel
    home: Path

    async def shows(self, expression: str, what: str) -> None:
        """Wait until this holds in the page."""

        async def look() -> bool:
            return bool(await evaluate(self.page.page, expression))

        await until(look, what)


@asynccontextmanager
async def scene(folder: Path, site: Site, *files: dict[str, Any]) -> AsyncIterator[Scene]:
    for file in files:
        ScenarioFolder(folder / "home").save(convert(file))
    with hub_process(folder / "home") as hub:
        async with (
            person_at_browser(hub.home, folder / "profile", site.url("/login")) as person,
            person.panel() as panel,
        ):
            await panel.says("Sign in")
            await panel.press("Connect")
            await panel.says("Connected\nDisconnect")
            await panel.press("Scenarios")
            async with attached(await person.target("/login")) as connection:
                await connection.root.send("Emulation.setFocusEmulationEnabled", {"enabled": True})
                yield Scene(panel, Panel(connection, connection), hub.home)


async def test_what_a_person_does_is_recorded_saved_and_run_with_other_values(tmp_path: Path, site: Site) -> None:
    async with scene(tmp_path, site) as at:
        panel, page = at.panel, at.page
        await panel.says("No scenarios yet")
        await panel.press("Record")
        await panel.says("Recording")
        await page.fill("#e", EMAIL)
        await page.fill("#p", SECRET)
        await page.key("Enter")
        await at.shows("document.title === 'Products' && document.readyState === 'complete'", "the products")
        await page.fill("#q", "green")
        await page.key("Enter")
        await panel.says('press Enter searchbox "Search products"')
        await page.click("h1")
        await panel.press('Delete: click heading "Products"')
        await page.click("li:not([hidden]) button")
        text = await panel.says('click button "Add to cart"')
        assert "{{password}}" in text
        assert SECRET not in text

        await panel.press("Save…")
        await panel.fill("[name=name]", "buy_tea")
        await panel.press("Save scenario")
        await panel.says("What you do on the tab becomes a scenario.")  # the list of steps above the form has gone
        await panel.fill("#in-query", "coffee")
        await panel.fill("[name=email]", EMAIL)
        await panel.fill("[name=password]", SECRET)
        await panel.press("Run scenario")
        await panel.says("Passed")
        await at.shows("cart.textContent === 'Cart: Coffee'", "the coffee in the cart")
        assert SECRET not in await panel.text()
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert any(path.name == "buy_tea.json" for path in files)
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


ORDER = {
    "version": 1,
    "name": "order",
    "description": "Order one article and have it sent.",
    "tags": ["shop"],
    "metadata": {"title": "Order an article"},
    "parameters": {
        "street": {"description": "Where it is sent to.", "min_length": 3},
        "country": {"enum": ["France", "Spain"], "default": "Spain"},
        "pieces": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "gift": {"type": "boolean", "required": False},
    },
    "chain": [
        {"command": "navigate", "title": "open the checkout", "arguments": {"url": "{{site}}/checkout"}},
        {"command": "fill", "targets": [{"label": "Street"}], "arguments": {"value": "{{street}}"}},
        {"check": {"kind": "text", "expected": "Delivered on Sunday"}, "timeout": 100},
    ],
}


async def test_a_failed_run_says_which_step_and_shows_the_page_and_its_steps_can_be_changed(
    tmp_path: Path, site: Site
) -> None:
    order = json.loads(json.dumps(ORDER).replace("{{site}}", site.url("")))
    async with scene(tmp_path, site, order) as at:
        panel = at.panel
        await panel.click(".rows button")
        await panel.fill("#in-street", "1 Main Street")
        await panel.press("Run scenario")
        text = await panel.says("Failed")
        assert "Expected: text 'Delivered on Sunday'" in text
        await at.shows("street.value === '1 Main Street'", "the filled field")
        assert await evaluate(panel.page, f"({IMAGES})().length") == 1

        await panel.press("Steps")
        await panel.press("Edit step 3: check text Delivered on Sunday")
        await panel.fill("#in-timeout", "30000")
        await panel.fill("#in-expected", "Checkout")
        await panel.press("Add parameter")
        await panel.fill("#in-name", "floor")
        await panel.fill("#in-default", "2nd")
        await panel.press("Add scenario")
        await panel.fill("#in-scenario", "sign_up")
        await panel.press("Save changes")
        await panel.says("There is no scenario 'sign_up'.")
        assert json.loads((at.home / "scenarios" / "order.json").read_text())["chain"] == order["chain"]
        await panel.press("Delete scenario sign_up")
        await panel.press("Save changes")
        await panel.says("Saved.")
        await panel.press("Run")
        await panel.press("Run scenario")
        await panel.says("Passed")
        saved = json.loads((at.home / "scenarios" / "order.json").read_text())
        assert saved["chain"][2] == {"check": {"kind": "text", "expected": "Checkout"}, "timeout": 30_000}
        assert saved["parameters"] == {**order["parameters"], "floor": {"default": "2nd"}}

        await panel.press("Delete")
        await panel.press("Delete for good")
        await panel.says("No scenarios yet")
        assert not (at.home / "scenarios" / "order.json").exists()
