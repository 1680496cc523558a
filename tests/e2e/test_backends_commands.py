"""The same commands over every backend that carries CDP: one list, and the same answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from mcp import Client

from tests.e2e.test_backends_attach import attach
from tests.support.direct import direct_browser
from tests.support.own_loop import on_own_loop
from tests.support.patience import until
from tests.support.relay import relay_browser
from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, call, hub_process, launched_beside, mcp_client, refusal, text_of

pytestmark = pytest.mark.e2e

PAGE = """<!doctype html><title>Common</title>
<input aria-label=Name><select aria-label=Size><option>small<option>large</select>
<input type=file id=file onchange="document.title = 'file ' + this.files[0].name">
<button onclick="console.log('pressed'); document.title = 'clicked ' + document.querySelector('input').value">Go
</button>
<button onclick="setTimeout(() => alert('hello'))">Ask</button>
<a href="/next">Next</a> <a href="/file.txt" download>File</a> <a href="/window" target=_blank>Window</a>
"""
SIGN_IN = """<!doctype html><title>Sign in</title>
<form onsubmit="event.preventDefault(); location = p.value === 'pass-word-1' ? '/' : '/next'">
<label>Password <input id=p type=password></label><button>Sign in</button></form>"""


LEAVING = """<!doctype html><title>Unsaved</title><input aria-label=Name>
<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>"""


FILE = Page("content", headers={"Content-Type": "text/plain", "Content-Disposition": "attachment"})


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving(
        {
            "/": PAGE,
            "/sign-in": SIGN_IN,
            "/unsaved": LEAVING,
            "/next": "<title>Next</title><h1>Next page</h1>",
            "/window": "<title>Window</title>",
            "/file.txt": FILE,
        }
    ) as running:
        yield running


@attrs.frozen
class Reached:
    """A hub, and a tab that it reaches over this backend."""

    backend: str
    hub: HubProcess
    tab: str


@asynccontextmanager
async def tab_over(backend: str, folder: Path, url: str) -> AsyncIterator[Reached]:
    """A connected tab, reached over this backend."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    uploads = home / "uploads"
    uploads.mkdir(mode=0o700)
    (uploads / "words.txt").write_text("words")
    with hub_process(home, arguments=["--relay"]) as hub:
        match backend:
            case "extension":
                async with launched_beside(hub, [url], ["--with-extension"]) as launched:
                    yield Reached(backend, hub, launched.rows[0]["tabId"])
            case "launch":
                async with launched_beside(hub, [url]) as launched:
                    yield Reached(backend, hub, launched.rows[0]["tabId"])
            case "attach":
                async with direct_browser(folder / "profile") as port:
                    with attach(hub, f"http://127.0.0.1:{port}", ["--level", "full"]) as attached:
                        yield Reached(backend, hub, attached.rows[0]["tabId"])
            case "relay":
                async with relay_browser(folder / "browser", hub.port, url), mcp_client(hub) as client:

                    async def look() -> str | None:
                        listed = await call(client, "list_tabs")
                        row = next((line for line in listed.splitlines() if url in line), None)
                        return None if row is None else row.strip().partition(",")[0].strip('"')

                    yield Reached(backend, hub, await until(look, "the tab behind the relay"))


@pytest.fixture(scope="module", params=["extension", "launch", "attach", "relay"])
def reached(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Reached]:
    """Each backend, with one hub and one browser for all its tests."""
    with on_own_loop(tab_over(request.param, tmp_path_factory.mktemp(request.param), site.url())) as reached:
        yield reached


@attrs.frozen
class Tab:
    """The tab on the page, in front, and a client."""

    backend: str
    client: Client
    id: str
    uploads: Path

    async def run(self, tool: str, **arguments: Any) -> str:
        return await call(self.client, tool, tabId=self.id, **arguments)


@pytest.fixture
async def tab(reached: Reached, site: Site) -> AsyncIterator[Tab]:
    async with mcp_client(reached.hub, "--toolsets", "all") as client:
        await call(client, "tab_activate", tabId=reached.tab)
        await call(client, "navigate", tabId=reached.tab, url=site.url())
        yield Tab(reached.backend, client, reached.tab, reached.hub.home / "uploads")


async def test_the_common_commands_work_alike(tab: Tab, site: Site) -> None:
    assert 'textbox "Name"' in await tab.run("snapshot")
    await tab.run("fill", target={"role": "textbox", "name": "Name"}, value="Ada")
    await tab.run("select", target={"role": "combobox", "name": "Size"}, value="large")
    await tab.run("click", target={"role": "button", "name": "Go"})
    assert "clicked Ada" in await tab.run("evaluate", code="document.title")
    assert "pressed" in await tab.run("logs")
    assert (await tab.client.call_tool("kapturemcp_screenshot", {"tabId": tab.id})).content[-1].type == "image"
    assert "Next page" in await tab.run("navigate", url=site.url("/next"), snapshot="full")
    await tab.run("go_back")
    assert site.url() in await tab.run("tab_info")
    await tab.client.call_tool("kapturemcp_click", {"tabId": tab.id, "target": {"role": "button", "name": "Ask"}})

    async def asked() -> bool:
        return "hello" in await tab.run("tab_info")

    await until(asked, "the dialog")  # a timer opens it: on a busy machine after the click's answer
    await tab.run("handle_dialog", accept=True)
    assert "file.txt" in await tab.run("download_file", url=site.url("/file.txt"))
    assert "words.txt" in await tab.run("upload", target="#file", paths=[str(tab.uploads / "words.txt")])
    opened = re.search(r"opened tab (\S+)", await tab.run("tab_new", url=site.url("/next")))
    assert opened is not None
    other = opened[1]

    async def next_page() -> bool | None:
        answer = await tab.client.call_tool("kapturemcp_get_text", {"tabId": other})
        return "Next page" in str(answer.content) or None  # at first a new tab shows no page yet

    assert await until(next_page, "the page of the new tab")
    await call(tab.client, "tab_close", tabId=other)
    await tab.run("tab_activate")
    to_data = await tab.client.call_tool("kapturemcp_navigate", {"tabId": tab.id, "url": "data:,words"})
    if tab.backend in ("extension", "relay"):
        assert "for an extension (ERR_ABORTED)" in text_of(to_data)
        assert "/next" not in await tab.run("tab_new", url="data:,words")
    else:
        assert "words" in await tab.run("get_text")


async def test_a_recorded_scenario_is_replayed(tab: Tab, site: Site) -> None:
    await tab.run("record_start")
    await tab.run("navigate", url=site.url("/sign-in"))
    await tab.run("fill", target={"label": "Password"}, value="pass-word-1")
    await tab.run("press", key="Enter")
    await tab.run("wait_for", url=site.url())
    await tab.run("fill", target={"role": "textbox", "name": "Name"}, value="Ada")
    await tab.run("select", target={"role": "combobox", "name": "Size"}, value="large")
    await tab.run("click", target={"role": "button", "name": "Go"})
    await tab.run("record_check", target={"role": "textbox", "name": "Name"}, kind="value", expected="Ada")
    await tab.run("click", target={"role": "link", "name": "Next"})
    await tab.run("record_check", target="h1", kind="text", expected="Next page")
    await tab.run("record_save", name="visit", store_secrets=True)
    await tab.run("navigate", url="about:blank")
    result = await tab.client.call_tool(
        "kapturemcp_run_scenario", {"name": "visit", "tabId": tab.id, "screenshots": "steps"}
    )
    assert re.search(r"^visit passed: (\d+) of \1 steps", text_of(result), re.MULTILINE), text_of(result)
    assert "check value" in text_of(result)
    assert "pass-word-1" not in text_of(result)
    assert result.content[-1].type == "image"
    assert "Next page" in await tab.run("get_text")


async def test_permissions_are_set_or_refused_by_name(tab: Tab, site: Site) -> None:
    result = await tab.client.call_tool(
        "kapturemcp_permissions", {"tabId": tab.id, "name": "geolocation", "setting": "allow"}
    )
    if tab.backend == "relay":
        assert text_of(result).startswith("UNSUPPORTED: ")
    else:
        assert "granted" in text_of(result)


@pytest.mark.parametrize("reached", ["extension", "launch", "attach"], indirect=True)
async def test_a_window_that_a_page_opens_becomes_a_tab(tab: Tab, site: Site) -> None:
    answer = await call(tab.client, "click", tabId=tab.id, target={"text": "Window"})
    assert "opened " in answer

    async def connected() -> bool:
        return site.url("/window") in await call(tab.client, "list_tabs")

    await until(connected, "the tab of the window")  # on a busy machine after the click's answer


async def test_a_page_that_asks_whether_to_leave_is_closed_or_the_question_is_passed_on(tab: Tab, site: Site) -> None:
    opened = re.search(r"opened tab (\S+)", await call(tab.client, "tab_new", tabId=tab.id, url=site.url("/unsaved")))
    assert opened
    await call(tab.client, "type", tabId=opened[1], selector="input", text="words")
    if tab.backend in ("extension", "relay"):
        refused = await refusal(tab.client, "tab_close", tabId=opened[1])
        assert refused.startswith("DIALOG_OPEN")
        assert "accepting closes the tab" in refused
        await tab.client.call_tool("kapturemcp_handle_dialog", {"tabId": opened[1], "accept": True})
    else:
        await call(tab.client, "tab_close", tabId=opened[1])

    async def gone() -> bool:
        return opened[1] not in await call(tab.client, "list_tabs")

    await until(gone, "the tab's end")


@pytest.mark.parametrize("reached", ["extension", "relay"], indirect=True)
async def test_a_question_that_the_dialog_policy_dismisses_keeps_the_tab_open(tab: Tab, site: Site) -> None:
    opened = re.search(r"opened tab (\S+)", await call(tab.client, "tab_new", tabId=tab.id, url=site.url("/unsaved")))
    assert opened
    await call(tab.client, "type", tabId=opened[1], selector="input", text="words")
    await call(tab.client, "dialog_policy", tabId=opened[1], policy="dismiss")
    assert "the tab stays open" in await refusal(tab.client, "tab_close", tabId=opened[1])
    assert "words" in await call(tab.client, "snapshot", tabId=opened[1])
    await call(tab.client, "dialog_policy", tabId=opened[1], policy="accept")
    await call(tab.client, "tab_close", tabId=opened[1])
