"""Replay on changed versions of a shop: it finds what was meant, and refuses where that is gone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from kapture.commands.core.context import HubContext, ScenarioWish, TabWish
from kapture.commands.core.result import CallResult
from kapture.commands.formatters.scenarios import ScenarioRun
from kapture.scenarios.library import Library
from kapture.scenarios.model import Appearance, Check, Parameter, Scenario, Step, StepTarget
from kapture.scenarios.secret_key import FileKeys
from kapture.scenarios.secrets import SecretStore, StoredSecret
from tests.support.changing_shop import CHANGED, GONE, shop_pages
from tests.support.context import ProgressLog, Tab, View, open_tab
from tests.support.site import Site

pytestmark = pytest.mark.e2e

PASSWORD = "correct-horse-battery"


@pytest.fixture
async def tab(browser: int) -> AsyncIterator[Tab]:
    async with open_tab(browser) as opened:
        yield opened


@attrs.frozen
class Recorded:
    """A step as it was recorded: its targets, and what its element looked like."""

    command: str
    targets: list[StepTarget]
    look: Appearance
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    secret: bool = False

    def step(self) -> Step:
        return Step(
            command=self.command,
            targets=self.targets,
            element=self.look,
            arguments=dict(self.arguments),
            secret=self.secret,
            timeout=1_500,
        )


def field(label: str, name: str, value: str, *, beside: list[str], within: str, secret: bool = False) -> Step:
    return Recorded(
        "fill",
        [StepTarget(label=label, exact=True), StepTarget(css=f"#{name}")],
        Appearance(
            role="textbox",
            name=label,
            tag="input",
            attributes={"id": name, "name": name},
            neighbours=[label, *beside],
            within=[within],
        ),
        {"value": value},
        secret,
    ).step()


def button(name: str, css: str, *, beside: list[str], within: str, nth: int | None = None) -> Step:
    return Recorded(
        "click",
        [StepTarget(role="button", name=name, exact=True, nth=nth), StepTarget(css=css)],
        Appearance(
            role="button",
            name=name,
            tag="button",
            attributes={"id": css[1:]} if css.startswith("#") else {},
            neighbours=beside,
            within=[within],
        ),
    ).step()


def checkout(site: Site) -> Scenario:
    return Scenario(
        version=1,
        name="checkout",
        parameters={"street": Parameter()},
        secrets=["password"],
        chain=[
            Step(command="navigate", arguments={"url": site.url("/sign-in")}),
            field("Email", "email", "ada@example.com", beside=["Password"], within="form Sign in"),
            field("Password", "password", "{{password}}", beside=["Sign in"], within="form Sign in", secret=True),
            button("Sign in", "#sign-in", beside=["Password", "Email"], within="form Sign in"),
            button("Add to cart", "#add-lamp", beside=["12 €", "Lamp"], within="main", nth=0),
            button("Go to checkout", "#go", beside=["In the cart: Lamp"], within="main"),
            field("Street", "street", "{{street}}", beside=["Zip"], within="form Address"),
            field("Zip", "zip", "12345", beside=["Street", "Place order"], within="form Address"),
            button("Place order", "#place", beside=["Zip", "Cancel order"], within="form Address"),
            Step(check=Check(kind="text", expected="Thank you for the Lamp to {{street}}")),
        ],
    )


async def replay(tab: Tab, home: Path, site: Site, *, heal: bool = False) -> ScenarioRun:
    async def call(name: str, arguments: Mapping[str, Any], *, shown: Mapping[str, Any] | None = None) -> CallResult:
        return await tab(name, **arguments)

    async def nobody(wish: TabWish) -> Mapping[str, Any]:
        raise NotImplementedError

    library = Library(home, SecretStore(home, FileKeys(home)))
    if not library.folder.names():
        library.folder.save(checkout(site))
        library.secrets.put("checkout", {"password": StoredSecret(PASSWORD, (site.url("").rstrip("/"),))})
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


async def test_what_was_recorded_runs_by_its_first_targets(tab: Tab, tmp_path: Path, site: Site) -> None:
    site.pages = shop_pages()
    run = await replay(tab, tmp_path / "home", site)
    assert run.status == "passed", run.text()
    assert [step.used for step in run.steps] == [None] * 10


@pytest.mark.parametrize("change", CHANGED)
async def test_a_changed_shop_is_healed(tab: Tab, tmp_path: Path, site: Site, change: str) -> None:
    site.pages = shop_pages(change)
    run = await replay(tab, tmp_path / "home", site)
    assert run.status == "passed", run.text()


@pytest.mark.parametrize("change", GONE)
async def test_what_is_gone_is_refused_and_nothing_else_is_pressed(
    tab: Tab, tmp_path: Path, site: Site, change: str
) -> None:
    site.pages = shop_pages(change)
    run = await replay(tab, tmp_path / "home", site)
    assert run.status == "failed", run.text()
    last = run.steps[-1]
    assert last.error is not None
    assert last.error["code"] == "ELEMENT_NOT_FOUND", run.text()
    assert last.number == GONE[change], run.text()


async def test_what_was_healed_is_written_back_and_found_at_once_the_next_time(
    tab: Tab, tmp_path: Path, site: Site
) -> None:
    site.pages = shop_pages("a button reworded")
    first = await replay(tab, tmp_path / "home", site, heal=True)
    assert first.healed == ["checkout, step 9: button 'Place your order'"]
    second = await replay(tab, tmp_path / "home", site)
    assert second.status == "passed"
    assert [step.used for step in second.steps] == [None] * 10


async def test_the_secret_stands_in_no_file_and_no_answer(tab: Tab, tmp_path: Path, site: Site) -> None:
    site.pages = shop_pages("the order button is gone")
    run = await replay(tab, tmp_path / "home", site)
    assert not re.search(PASSWORD, run.text() + repr(run))
    for file in (tmp_path / "home").rglob("*"):
        if file.is_file():
            assert PASSWORD.encode() not in file.read_bytes()
