"""Replay on changed versions of a shop: it finds what was meant, and refuses where that is gone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
import trio

from kapture.commands.core.answer import CallResult
from kapture.commands.core.context import HubContext, ScenarioWish, TabWish
from kapture.commands.core.recorder import SaveWish
from kapture.commands.scenarios import ScenarioRun
from kapture.page.actions.click import click
from kapture.scenarios.library import Library
from kapture.scenarios.model import Check, Parameter, Scenario, Step
from kapture.scenarios.record.recorded_scenario import scenario_of
from kapture.scenarios.record.recording import Recording
from kapture.scenarios.secrets.secret_key import FileKeys
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret
from tests.support.changing_shop import CHANGED, GONE, shop_pages
from tests.support.context import ProgressLog, Tab, View, open_tab
from tests.support.long import few
from tests.support.recorded import recording
from tests.support.site import Site

pytestmark = pytest.mark.e2e

EMAIL = "ada@lovelace.example"
PASSWORD = "correct-horse-battery"

Recorded = tuple[Scenario, Mapping[str, StoredSecret]]


@pytest.fixture
async def tab(browser: int) -> AsyncIterator[Tab]:
    async with open_tab(browser) as opened:
        yield opened


@pytest.fixture(scope="module")
def checkout(browser: int, site: Site) -> Recorded:
    """A purchase, recorded as a person made it with keys and mouse, and its secrets. The street is a parameter."""
    site.pages = shop_pages()
    return trio.run(_record, browser, site)


async def _record(browser: int, site: Site) -> Recorded:
    start = site.url("/sign-in")
    async with open_tab(browser, start) as tab, recording(tab.page) as recorded:

        async def enter(selector: str, text: str) -> None:
            await click(tab.page, selector)
            await tab.page.keyboard.type(text)

        async def press(selector: str, shows: str) -> None:
            await click(tab.page, selector)
            await tab("wait_for", **({"url": f"*{shows}*"} if shows.startswith("/") else {"text": shows}))

        await enter("#email", EMAIL)
        await enter("#password", PASSWORD)
        await press("#sign-in", "/articles")
        await press("#add-lamp", "In the cart: Lamp")
        await press("#go", "/checkout")
        await enter("#street", "Side Street 2")
        await enter("#zip", "12345")
        await press("#place", "Thank you for the Lamp to Side Street 2")
        await recorded.until(lambda: '"Place order"' in str(recorded.actions()[-1].targets).replace("'", '"'))
        taken = Recording(start, "2026-01-01T00:00:00Z")
        for event in recorded.events:
            taken.take(event)
    scenario, values = scenario_of(taken.captured, SaveWish(name="checkout"), url=start, recorded_at=taken.recorded_at)
    assert [step.command for step in scenario.chain] == [
        *("navigate", "fill", "fill", "click", "wait_for", "click", "click", "wait_for", "fill", "fill", "click"),
    ]
    assert {secret.value for secret in values.values()} == {EMAIL, PASSWORD}
    chain = list(scenario.chain)
    chain[8] = msgspec.structs.replace(chain[8], arguments={"value": "{{street}}"})
    chain.append(Step(check=Check(kind="text", expected="Thank you for the Lamp to {{street}}"), timeout=30_000))
    return msgspec.structs.replace(scenario, chain=chain, parameters={"street": Parameter()}), values


async def replay(tab: Tab, home: Path, recorded: Recorded, *, heal: bool = False, gone: int = 0) -> ScenarioRun:
    """`gone`: the step, counted from 1, whose element is not there: it is looked for only briefly."""

    async def call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
        return await tab(name, **arguments)

    async def nobody(wish: TabWish) -> Mapping[str, Any]:
        raise NotImplementedError

    library = Library(home, SecretStore(home, FileKeys(home)))
    if not library.folder.names():
        chain = [
            msgspec.structs.replace(step, timeout=1_500) if number == gone else step
            for number, step in enumerate(recorded[0].chain, 1)
        ]
        library.folder.save(msgspec.structs.replace(recorded[0], chain=chain))
        library.secrets.put("checkout", recorded[1])
    wish = ScenarioWish(
        name="checkout",
        parameters={"street": "Main Street 1"},
        override_secrets={},
        tab_id=tab.page.tab_id,
        dry_run=False,
        heal=heal,
        screenshots="none",
    )
    context = HubContext(hub=View(), client_id="test", progress=ProgressLog(), request_tab=nobody, call=call)
    return await library.run(wish, context)


async def test_recorded_scenario_runs_by_first_targets(
    tab: Tab, tmp_path: Path, site: Site, checkout: Recorded
) -> None:
    site.pages = shop_pages()
    run = await replay(tab, tmp_path / "home", checkout)
    assert run.status == "passed", run.text()
    assert [step.used for step in run.steps] == [None] * 12


@pytest.mark.parametrize("change", few(CHANGED, "a label reworded", "articles in another order, ids renamed"))
async def test_changed_shop_is_healed(tab: Tab, tmp_path: Path, site: Site, checkout: Recorded, change: str) -> None:
    site.pages = shop_pages(change)
    run = await replay(tab, tmp_path / "home", checkout)
    assert run.status == "passed", run.text()


@pytest.mark.parametrize(
    "change",
    few(
        GONE,
        "the order button deletes",
        "a button reworded",
        "only another article is left",
        "the password field is gone",
    ),
)
async def test_missing_element_is_refused_and_nothing_else_pressed(
    tab: Tab, tmp_path: Path, site: Site, checkout: Recorded, change: str
) -> None:
    site.pages = shop_pages(change)
    run = await replay(tab, tmp_path / "home", checkout, gone=GONE[change])
    assert run.status == "failed", run.text()
    last = run.steps[-1]
    assert last.error is not None
    assert last.error["code"] == "ELEMENT_NOT_FOUND", run.text()
    assert last.number == GONE[change], run.text()


async def test_healed_target_is_written_back_and_found_at_once_next_time(
    tab: Tab, tmp_path: Path, site: Site, checkout: Recorded
) -> None:
    site.pages = shop_pages("a label reworded")
    first = await replay(tab, tmp_path / "home", checkout, heal=True)
    assert first.healed == ["checkout, step 9: textbox 'Street and number'"]
    second = await replay(tab, tmp_path / "home", checkout)
    assert second.status == "passed"
    assert [step.used for step in second.steps] == [None] * 12


async def test_the_secret_stands_in_no_file_and_no_answer(
    tab: Tab, tmp_path: Path, site: Site, checkout: Recorded
) -> None:
    site.pages = shop_pages(change := "the order button is gone")
    run = await replay(tab, tmp_path / "home", checkout, gone=GONE[change])
    typed = (PASSWORD, EMAIL, quote(EMAIL, safe=""))  # the form puts the address into the next page's URL
    assert not any(secret in run.text() + repr(run) for secret in typed)
    for file in (tmp_path / "home").rglob("*"):
        if file.is_file():
            assert not any(secret.encode() in file.read_bytes() for secret in typed)
