"""A person records on a tab from the Console, and runs what was recorded there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.test_recording_a_shop import EMAIL, SECRET, scene
from tests.support.console import ConsolePage, console_page
from tests.support.recorded_shop import shop
from tests.support.site import Site

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with shop() as site:
        yield site


async def _press(console: ConsolePage, label: str) -> None:
    await console.press(f"all('button').find((one) => one.textContent.trim() === {json.dumps(label)} && !one.disabled)")


async def _shows(console: ConsolePage, words: str) -> str:
    await console.until(f"textOf(one('k-scenarios')).replace(/\\s+/g, ' ').includes({json.dumps(words)})", words)
    return str(await console.js("textOf(one('k-scenarios'))"))


async def _put(console: ConsolePage, selector: str, value: str) -> None:
    await console.until(f"one({json.dumps(selector)})", selector)
    await console.js(f"one({json.dumps(selector)}).value = {json.dumps(value)}")


async def test_recording_is_listed_saved_and_run_from_console(browser: int, site: Site, tmp_path: Path) -> None:
    async with scene(browser, site, tmp_path) as at, console_page(at.hub, browser) as console:
        await console.show("scenarios")
        await _press(console, "Record")
        await _shows(console, "Use the page: each step is listed here.")
        await at.person.fill("#e", EMAIL)
        await at.person.fill("#p", SECRET)
        await at.person.key("Enter")
        await at.shows("Products")
        said = await _shows(console, "wait for")
        assert SECRET not in said
        await _press(console, "Save…")
        await _put(console, "[name=name]", "sign_in")
        await _press(console, "Save scenario")
        await _put(console, ".secrets [name=email]", EMAIL)
        await _put(console, ".secrets [name=password]", SECRET)
        await _press(console, "Run scenario")
        said = await _shows(console, "Passed")
        assert SECRET not in said
        await at.shows("Products")
        for size, dark in (((1440, 900), False), ((760, 700), True)):
            await console.size(*size, dark=dark)
            await console.picture(Path("artifacts/console") / f"scenarios-{size[0]}.png")
        assert console.problems == []
