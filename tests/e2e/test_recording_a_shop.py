"""A person shops while the tab is recorded: the scenario holds the steps, and no secret is anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import attrs
import pytest
import trio
from mcp import Client

from tests.support.attached import attach
from tests.support.direct import attached, targets
from tests.support.panel import Panel
from tests.support.patience import evaluate, until
from tests.support.recorded_shop import shop
from tests.support.site import Page, Site
from tests.support.stack import HubProcess, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

SECRET = "hunter2-secret"
EMAIL = "ada@lovelace.example"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with shop() as site:
        yield site


@attrs.frozen
class Scene:
    """A tab that the hub is attached to, a client, and the person's own hand in the page."""

    hub: HubProcess
    client: Client
    tab: str
    person: Panel

    async def run(self, tool: str, **arguments: Any) -> str:
        return await call(self.client, tool, tabId=self.tab, **arguments)

    async def shows(self, title: str) -> None:
        """Wait until the page with this title is there."""

        async def look() -> bool:
            state = await evaluate(self.person.page, f"document.title === {title!r} && document.readyState")
            return bool(state == "complete")

        await until(look, f"the page {title!r}")


@asynccontextmanager
async def scene(browser: int, site: Site, folder: Path) -> AsyncIterator[Scene]:
    with hub_process(folder / "home") as hub:
        async with mcp_client(hub, "--toolsets", "all") as client:
            with attach(hub, f"http://127.0.0.1:{browser}", ["--level", "full"]) as backend:
                tab = backend.rows[0]["tabId"]
                await call(client, "navigate", tabId=tab, url=site.url("/login"))
                [target] = [one for one in await targets(browser) if one["url"] == site.url("/login")]
                async with attached(target) as connection:
                    yield Scene(hub, client, tab, Panel(connection, connection))


async def buy(at: Scene) -> None:
    """Sign in, search, choose, and order."""
    person = at.person
    await person.fill("#e", EMAIL)
    await person.fill("#p", SECRET)
    await person.key("Enter")
    await at.shows("Products")
    await person.fill("#q", "green")
    await person.key("Enter")
    await person.click("li:not([hidden]) button")
    await person.click("a")
    await at.shows("Checkout")
    await person.fill("#street", "1 Main Street")
    await person.fill("#phone", "555 0100")
    await person.click("#o")
    await person.click("#es")
    await person.click("#terms")
    await person.click("#order")
    await at.shows("Thank you")


async def test_a_purchase_is_recorded_and_saved_without_its_secrets(browser: int, site: Site, tmp_path: Path) -> None:
    async with scene(browser, site, tmp_path) as at:
        assert "Recording tab" in await at.run("record_start")
        await buy(at)
        await at.run("record_check", target="h1", kind="text", expected="Thank you")
        saved = await at.run("record_save", name="purchase", title="Buy tea", store_secrets=True)
        assert "Secrets (stored): email, password" in saved
        path = re.search(r"\S+purchase\.json", saved)
        assert path is not None
        scenario = json.loads(await trio.Path(path[0]).read_text())
        assert [step.get("command", "check") for step in scenario["chain"]] == [
            "navigate", "fill", "fill", "press", "wait_for", "fill", "press", "click", "click", "wait_for",
            "fill", "fill", "select", "fill", "click", "wait_for", "check",
        ]  # fmt: skip
        assert scenario["parameters"]["query"]["default"] == "green"
        typed = [step["arguments"].get("value") for step in scenario["chain"] if step.get("command") == "fill"]
        assert typed == ["{{email}}", "{{password}}", "{{query}}", "1 Main Street", "555 0100", True]
        chosen = [step["arguments"] for step in scenario["chain"] if step.get("command") == "select"]
        assert chosen == [{"label": "Spain"}]
        assert "being recorded" not in await at.run("tab_info")
        written = [path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()]
        assert not any(secret.encode() in content for content in written for secret in (SECRET, EMAIL))


async def test_a_recorded_purchase_is_replayed(browser: int, site: Site, tmp_path: Path) -> None:
    async with scene(browser, site, tmp_path) as at:
        await at.run("record_start")
        await buy(at)
        await at.run("record_check", target="#what", kind="text", expected="Green tea")
        await at.run("record_save", name="purchase", store_secrets=True)
        again = await call(at.client, "run_scenario", name="purchase", tabId=at.tab)
        assert "passed: 17 of 17 steps" in again
        assert SECRET not in again
        other = await call(at.client, "run_scenario", name="purchase", tabId=at.tab, parameters={"query": "black"})
        assert "Ordered: Black tea" in other  # what the check found in the place of green tea


async def test_commands_of_a_client_are_recorded_between_the_persons_actions(
    browser: int, site: Site, tmp_path: Path
) -> None:
    async with scene(browser, site, tmp_path) as at:
        await at.run("record_start")
        await at.run("navigate", url=site.url("/products"))
        await at.person.fill("#q", "tea")
        await at.run("click", target={"role": "link", "name": "Check out"})
        await at.person.click("#terms")
        stopped = await at.run("record_stop")
        steps = re.findall(r"^\d+\. (.*)$", stopped, re.MULTILINE)
        assert steps == [
            f"navigate {site.url('/products')}",
            'fill searchbox "Search products"',
            'click link "Check out"',
            "wait for */checkout*",
            'fill checkbox "I accept the terms"',
        ]


async def test_saving_without_recording_is_refused(browser: int, site: Site, tmp_path: Path) -> None:
    async with scene(browser, site, tmp_path) as at:
        assert "Nothing has been recorded" in await refusal(at.client, "record_save", tabId=at.tab, name="x")
        await at.run("record_start")
        assert "is being recorded already" in await refusal(at.client, "record_start", tabId=at.tab)
        assert "SCENARIO_INVALID" in await refusal(at.client, "record_save", tabId=at.tab, name="x")


TO_SIGN_IN = """<!doctype html><title>Account</title><form action=/account>
<input id=user name=user autocomplete=username><input id=password name=password type=password>
<button>Sign in</button></form>"""
ACCOUNT = "<!doctype html><title>Signed in</title><a href=/done>Go on</a>"
TYPED = "p@ss & word=1"
OTHER = "50% + ünlikely"


async def test_a_password_that_a_form_puts_into_an_address_is_saved_and_opened_by_reference(
    browser: int, site: Site, tmp_path: Path
) -> None:
    site.pages["/account"] = lambda path: Page(ACCOUNT if "?" in path else TO_SIGN_IN)
    async with scene(browser, site, tmp_path) as at:
        root = at.person.page.root
        await at.run("navigate", url=site.url("/account"))
        await at.shows("Account")
        await at.run("record_start")
        await at.person.fill("#user", EMAIL)
        await at.person.fill("#password", TYPED)
        await at.person.key("Enter")
        await at.shows("Signed in")
        await at.person.click("a")
        await at.shows("Thank you")
        await at.run("wait_for", url="*/done")  # or the hub could take the address below for the one before
        history = await root.send("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]["id"]
        await root.send("Page.navigateToHistoryEntry", {"entryId": entry})  # as the browser's Back
        await at.run("wait_for", url="*/account?*")  # so that the hub has heard of it
        stopped = await at.run("record_stop")
        assert "password={{password|url}}" in stopped
        await at.run("record_save", name="account", store_secrets=True)
        for path in (tmp_path / "home").rglob("*"):
            if path.is_file() and path.name != "hub.json":
                assert not re.search(rb"p(@|%40)ss|lovelace", path.read_bytes()), path.name

        for given, typed in (({}, TYPED), ({"override_secrets": {"password": OTHER}}, OTHER)):
            site.requests.clear()
            ran = await call(at.client, "run_scenario", name="account", tabId=at.tab, **given)
            assert "account passed" in ran
            assert not re.search("p(@|%40)ss|nlikely|lovelace", ran)
            sent = [dict(parse_qsl(urlsplit(path).query)) for path in site.requests if "?" in path]
            assert sent == [{"user": EMAIL, "password": typed}] * 2  # by the form, and by the address
