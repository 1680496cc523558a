"""A person records, runs and edits scenarios in the panel inside DevTools, without any client."""

from __future__ import annotations

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


async def test_recording_of_person_is_saved_and_run_with_other_values(tmp_path: Path, site: Site) -> None:
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
