"""The same commands over every backend that carries CDP: one list, and the same answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.e2e.test_backends_attach import attach
from tests.support.direct import direct_browser
from tests.support.patience import until
from tests.support.relay import relay_browser
from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, call, hub_process, launched_beside, mcp_client, refusal, text_of

pytestmark = pytest.mark.e2e

BACKENDS = ("extension", "launch", "attach", "relay")

PAGE = """<!doctype html><title>Common</title>
<input aria-label=Name><select aria-label=Size><option>small<option>large</select>
<input type=file id=file onchange="document.title = 'file ' + this.files[0].name">
<button onclick="console.log('pressed'); document.title = 'clicked ' + document.querySelector('input').value">Go
</button>
<button onclick="setTimeout(() => alert('hello'))">Ask</button>
<a href="/next">Next</a> <a href="/file.txt" download>File</a> <a href="/next" target=_blank>Window</a>
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
            "/file.txt": FILE,
        }
    ) as running:
        yield running


@asynccontextmanager
async def tab_over(backend: str, folder: Path, site: Site) -> AsyncIterator[tuple[HubProcess, Client, str]]:
    """A connected tab on the page, reached over this backend."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    uploads = home / "uploads"
    uploads.mkdir(mode=0o700)
    (uploads / "words.txt").write_text("words")
    with hub_process(home, arguments=["--relay"]) as hub:
        async with mcp_client(hub, "--toolsets", "all") as client:
            match backend:
                case "extension":
                    async with launched_beside(hub, [site.url()], ["--with-extension"]) as launched:
                        yield hub, client, launched.rows[0]["tabId"]
                case "launch":
                    async with launched_beside(hub, [site.url()]) as launched:
                        yield hub, client, launched.rows[0]["tabId"]
                case "attach":
                    async with direct_browser(folder / "profile") as port:
                        endpoint = f"http://127.0.0.1:{port}"
                        with attach(hub, endpoint, ["--level", "full"]) as attached:
                            tab = attached.rows[0]["tabId"]
                            await call(client, "navigate", tabId=tab, url=site.url())
                            yield hub, client, tab
                case "relay":
                    async with relay_browser(folder / "browser", hub.port, site.url()):

                        async def look() -> str | None:
                            listed = await call(client, "list_tabs")
                            row = next((line for line in listed.splitlines() if site.url() in line), None)
                            return None if row is None else row.strip().partition(",")[0].strip('"')

                        yield hub, client, await until(look, "the tab behind the relay")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_the_common_commands_work_alike(backend: str, tmp_path: Path, site: Site) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):

        async def run(tool: str, **arguments: Any) -> str:
            return await call(client, tool, tabId=tab, **arguments)

        assert 'textbox "Name"' in await run("snapshot")
        await run("fill", target={"role": "textbox", "name": "Name"}, value="Ada")
        await run("select", target={"role": "combobox", "name": "Size"}, value="large")
        await run("click", target={"role": "button", "name": "Go"})
        assert "clicked Ada" in await run("evaluate", code="document.title")
        assert "pressed" in await run("logs")
        assert (await client.call_tool("kapturemcp_screenshot", {"tabId": tab})).content[-1].type == "image"
        assert "Next page" in await run("navigate", url=site.url("/next"), snapshot="full")
        await run("go_back")
        assert site.url() in await run("tab_info")
        await client.call_tool("kapturemcp_click", {"tabId": tab, "target": {"role": "button", "name": "Ask"}})

        async def asked() -> bool:
            return "hello" in await run("tab_info")

        await until(asked, "the dialog")  # a timer opens it: on a busy machine after the click's answer
        await run("handle_dialog", accept=True)
        assert "file.txt" in await run("download_file", url=site.url("/file.txt"))
        assert "words.txt" in await run(
            "upload", target="#file", paths=[str(tmp_path / "home" / "uploads" / "words.txt")]
        )
        opened = re.search(r"opened tab (\S+)", await run("tab_new", url=site.url("/next")))
        assert opened is not None
        other = opened[1]

        async def next_page() -> bool | None:
            answer = await client.call_tool("kapturemcp_get_text", {"tabId": other})
            return "Next page" in str(answer.content) or None  # at first a new tab shows no page yet

        assert await until(next_page, "the page of the new tab")
        await call(client, "tab_close", tabId=other)
        await run("tab_activate")
        to_data = await client.call_tool("kapturemcp_navigate", {"tabId": tab, "url": "data:,words"})
        if backend in ("extension", "relay"):
            assert "for an extension (ERR_ABORTED)" in text_of(to_data)
            assert "/next" not in await run("tab_new", url="data:,words")
        else:
            assert "words" in await run("get_text")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_recorded_scenario_is_replayed(backend: str, tmp_path: Path, site: Site) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):

        async def run(tool: str, **arguments: Any) -> str:
            return await call(client, tool, tabId=tab, **arguments)

        await run("record_start")
        await run("navigate", url=site.url("/sign-in"))
        await run("fill", target={"label": "Password"}, value="pass-word-1")
        await run("press", key="Enter")
        await run("wait_for", url=site.url())
        await run("fill", target={"role": "textbox", "name": "Name"}, value="Ada")
        await run("select", target={"role": "combobox", "name": "Size"}, value="large")
        await run("click", target={"role": "button", "name": "Go"})
        await run("record_check", target={"role": "textbox", "name": "Name"}, kind="value", expected="Ada")
        await run("click", target={"role": "link", "name": "Next"})
        await run("record_check", target="h1", kind="text", expected="Next page")
        await run("record_save", name="visit", store_secrets=True)
        await run("navigate", url="about:blank")
        result = await client.call_tool(
            "kapturemcp_run_scenario", {"name": "visit", "tabId": tab, "screenshots": "steps"}
        )
        assert re.search(r"^visit passed: (\d+) of \1 steps", text_of(result), re.MULTILINE), text_of(result)
        assert "check value" in text_of(result)
        assert "pass-word-1" not in text_of(result)
        assert result.content[-1].type == "image"
        assert "Next page" in await run("get_text")


@pytest.mark.parametrize("backend", BACKENDS)
async def test_permissions_are_set_or_refused_by_name(backend: str, tmp_path: Path, site: Site) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):
        result = await client.call_tool(
            "kapturemcp_permissions", {"tabId": tab, "name": "geolocation", "setting": "allow"}
        )
        if backend == "relay":
            assert text_of(result).startswith("UNSUPPORTED: ")
        else:
            assert "granted" in text_of(result)


@pytest.mark.parametrize("backend", ["extension", "launch", "attach"])
async def test_a_window_that_a_page_opens_becomes_a_tab(backend: str, tmp_path: Path, site: Site) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):
        answer = await call(client, "click", tabId=tab, target={"text": "Window"})
        assert "opened " in answer

        async def connected() -> bool:
            return site.url("/next") in await call(client, "list_tabs")

        await until(connected, "the tab of the window")  # on a busy machine after the click's answer


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_page_that_asks_whether_to_leave_is_closed_or_the_question_is_passed_on(
    backend: str, tmp_path: Path, site: Site
) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):
        opened = re.search(r"opened tab (\S+)", await call(client, "tab_new", tabId=tab, url=site.url("/unsaved")))
        assert opened
        await call(client, "type", tabId=opened[1], selector="input", text="words")
        if backend in ("extension", "relay"):
            refused = await refusal(client, "tab_close", tabId=opened[1])
            assert refused.startswith("DIALOG_OPEN")
            assert "accepting closes the tab" in refused
            await client.call_tool("kapturemcp_handle_dialog", {"tabId": opened[1], "accept": True})
        else:
            await call(client, "tab_close", tabId=opened[1])

        async def gone() -> bool:
            return opened[1] not in await call(client, "list_tabs")

        await until(gone, "the tab's end")


@pytest.mark.parametrize("backend", ["extension", "relay"])
async def test_a_question_that_the_dialog_policy_dismisses_keeps_the_tab_open(
    backend: str, tmp_path: Path, site: Site
) -> None:
    async with tab_over(backend, tmp_path, site) as (_, client, tab):
        opened = re.search(r"opened tab (\S+)", await call(client, "tab_new", tabId=tab, url=site.url("/unsaved")))
        assert opened
        await call(client, "type", tabId=opened[1], selector="input", text="words")
        await call(client, "dialog_policy", tabId=opened[1], policy="dismiss")
        assert "the tab stays open" in await refusal(client, "tab_close", tabId=opened[1])
        assert "words" in await call(client, "snapshot", tabId=opened[1])
        await call(client, "dialog_policy", tabId=opened[1], policy="accept")
        await call(client, "tab_close", tabId=opened[1])
