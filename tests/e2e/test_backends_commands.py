"""The same commands over every backend that carries CDP: one list, and the same answers.

Also after a page that crashed, could not be opened, does not come to rest, or is closed to extensions.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.support.backends import Reached, Tab, refused_as_closed, tab_over
from tests.support.own_loop import on_own_loop
from tests.support.patience import until
from tests.support.site import Page, Site, serving
from tests.support.stack import call, free_port, mcp_client, refusal, text_of

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


ADDS_A_FRAME = """<title>Later</title><button onclick="document.body.append(
  Object.assign(document.createElement('iframe'), {src: 'about:blank#part'}))">Add</button>"""


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
            "/again": "<title>Again</title><meta http-equiv=refresh content=0><h1>Once more</h1>",
            "/each-second": "<title>News</title><meta http-equiv=refresh content=1><h1>The news</h1>",
            "/framed": "<title>Framed</title><h1>Words</h1><iframe src='about:blank#part'></iframe>",
            "/frame-later": ADDS_A_FRAME,
            "/leads-away": "<title>Away</title><button onclick=\"location = 'about:blank#part'\">Go</button>",
        }
    ) as running:
        yield running


@pytest.fixture(scope="module", params=["extension", "launch", "attach", "relay"])
def reached(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, site: Site) -> Iterator[Reached]:
    """Each backend, with one hub and one browser for all its tests."""
    with on_own_loop(tab_over(request.param, tmp_path_factory.mktemp(request.param), site.url())) as reached:
        yield reached


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


async def test_half_a_character_in_what_a_page_says_loses_neither_message_nor_connection(tab: Tab) -> None:
    said = await tab.run("evaluate", code=r"document.title = 'a\ud800'; console.log('half \ud83d'); 'b\udc00'")
    assert "b\ufffd" in said

    async def logged() -> bool:
        return "half \ufffd" in await tab.run("logs")

    await until(logged, "what the page has logged")
    assert "'a\ufffd'" in await tab.run("tab_info")
    given = await tab.run("cdp", method="Runtime.evaluate", params={"expression": r"'c\udbff'"})
    assert "c\ufffd" in given


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
    run: dict[str, object] = {"name": "visit", "tabId": tab.id, "screenshots": "steps"}
    if tab.backend == "relay":  # nothing that Kapture trusts says what its pages are: stored secrets are not given
        assert "POLICY_DENIED: Stored secrets" in await refusal(tab.client, "run_scenario", **run)
        run["override_secrets"] = {"password": "pass-word-1"}
    result = await tab.client.call_tool("kapturemcp_run_scenario", run)
    assert re.search(r"^visit passed: (\d+) of \1 steps", text_of(result), re.MULTILINE), text_of(result)
    assert "check value" in text_of(result)
    assert "pass-word-1" not in text_of(result)
    assert result.content[-1].type == "image"
    assert "Next page" in await tab.run("get_text")


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


async def test_a_crashed_page_is_left_and_reloaded(tab: Tab, site: Site) -> None:
    for tool, arguments, words in (
        ("navigate", {"url": site.url("/next")}, "/next"),
        ("reload", {}, "/next"),
    ):
        assert "crashed" in await refusal(tab.client, "cdp", tabId=tab.id, method="Page.crash")
        assert words in await tab.run(tool, **arguments)
        assert "Next page" in await tab.run("get_text")


async def test_an_error_page_is_loaded_again_and_left_for_an_empty_one(tab: Tab, site: Site) -> None:
    nobody = f"http://127.0.0.1:{free_port()}/"
    for tool, arguments in (("navigate", {"url": nobody}), ("reload", {})):
        assert "ERR_CONNECTION_REFUSED" in await refusal(tab.client, tool, tabId=tab.id, **arguments)
    assert "about:blank" in await tab.run("navigate", url="about:blank")
    assert "page about:blank" in await tab.run("snapshot")
    assert "Next page" in await tab.run("navigate", url=site.url("/next"), snapshot="full")


async def test_a_page_that_refreshes_itself_without_end_is_opened_and_left_all_the_same(tab: Tab, site: Site) -> None:
    async def left() -> bool:
        return "/next" in await tab.run("navigate", url=site.url("/next"))

    assert "again and again" in await tab.run("navigate", url=site.url("/again"))
    await until(left, "the next page")  # its next refresh may come while it is left


@pytest.mark.parametrize("reached", ["extension"], indirect=True)
async def test_a_page_with_another_spelling_of_about_blank_says_why_it_is_closed_and_can_be_left(
    tab: Tab, site: Site
) -> None:
    """Chrome shuts extensions out of it."""
    for path in ("/framed", "/frame-later", "/leads-away"):
        await tab.client.call_tool("kapturemcp_navigate", {"tabId": tab.id, "url": site.url(path)})
        if path != "/framed":
            await tab.client.call_tool("kapturemcp_click", {"tabId": tab.id, "selector": "button"})
        await refused_as_closed(tab.client, tab.id)
        await tab.run("navigate", url=site.url("/next"))
        assert "Next page" in await tab.run("snapshot")
    # Also if no command has noticed that the page was closed.
    await tab.run("navigate", url=site.url("/frame-later"))
    await tab.client.call_tool("kapturemcp_click", {"tabId": tab.id, "selector": "button"})
    await tab.run("navigate", url=site.url("/next"))
