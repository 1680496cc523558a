"""Tools that pages declare (WebMCP), in a browser that reports them: listed and called only where the grant reaches."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio

from kapture.errors import ErrorCode
from kapture.page import Page
from tests.support.context import Tab
from tests.support.direct import direct_page
from tests.support.granted_tab import Site as GrantedSite
from tests.support.granted_tab import granted
from tests.support.patience import until
from tests.support.recorded import recording
from tests.support.site import Site, serving
from tests.support.stack import call, mcp_client

pytestmark = pytest.mark.e2e

PAGE = """<!doctype html><title>Shop</title><h1>Shop</h1><p id=log>nothing yet</p>
<form toolname="subscribe" tooldescription="Subscribe to the newsletter" action="/done">
  <input name="email" toolparamdescription="Where to"><button>Go</button></form>
<form toolname="search" tooldescription="Search the shop" toolautosubmit action="/found"><input name="q"></form>
<script>
const log = document.getElementById("log"), stop = new AbortController();
const reg = (tool, options) => document.modelContext.registerTool(tool, options);
reg({name: "add", description: "Adds two numbers", annotations: {readOnlyHint: true},
  inputSchema: {type: "object", properties: {a: {type: "number"}, b: {type: "number"}, note: {type: "string", pattern: "^\\\\p{L}+$"}}, required: ["a", "b"]},
  execute: async ({a, b}) => { log.textContent = `added ${a} and ${b}`; return {content: [{type: "text", text: String(a + b)}]} }});
reg({name: "broken", description: "Throws", execute: async () => { throw new TypeError("no stock") }});
reg({name: "refuses", description: "Says that it failed", execute: async () => ({isError: true, content: [{type: "text", text: "sold out"}]})});
reg({name: "endless", description: "Never ends", execute: () => { log.textContent = "endless began"; return new Promise((settle) => setTimeout(settle, 1e9)) }});
reg({name: "busy", description: "Keeps the page busy", execute: () => { for (;;); }});
reg({name: "leave", description: "Goes elsewhere", execute: () => { location.href = "/other"; return new Promise((settle) => setTimeout(settle, 1e9)) }});
reg({name: "asks", description: "Asks the person", execute: () => { const yes = confirm("Sure?"); log.textContent = `answered ${yes}`; return yes }});
reg({name: "swap", description: "Replaces itself", execute: async () => { stop.abort(); reg({name: "fresh", description: "Came later", execute: () => 1}); return "swapped" }}, {signal: stop.signal});
reg({name: "liar", description: "Its schema is none", inputSchema: {type: "banana", properties: 7}, execute: () => "ran"});
reg({name: "loop", description: "Its schema has no end", inputSchema: {allOf: [{$ref: "#"}, {$ref: "#"}]}, execute: () => "ran"});
reg({name: "huge", description: "x".repeat(50000), inputSchema: {type: "object", properties: Object.fromEntries(Array.from({length: 5000}, (_, i) => ["p" + i, {type: "string"}]))}, execute: () => "ran"});
</script>"""
ODD = ["broken", "refuses", "endless", "busy", "leave", "asks", "swap", "liar", "loop", "huge"]
FRAMES = """<iframe src="{same}"></iframe><iframe allow="tools" src="{outside}"></iframe><iframe allow="tools" src="{elsewhere}"></iframe><iframe allow="tools" src="{inside}"></iframe>"""
NAMES = ["subscribe", "search", "add", *ODD]
"""The tools of the page itself."""

FRAME = """<p>frame</p><script>
document.modelContext.registerTool({name: "%s", description: "In a frame", execute: async () => "%s here"})</script>"""


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple[Site, Site]]:
    """The granted one, also as `localhost`, which is another site to the browser; and one that nobody granted."""
    with serving({}) as mine, serving({}) as other:
        for name in ("same", "inside"):
            mine.pages[f"/{name}"] = FRAME % (name, name)
        for name in ("outside", "elsewhere"):
            other.pages[f"/{name}"] = FRAME % (name, name)
        mine.pages["/"] = PAGE
        mine.pages["/framed"] = PAGE + FRAMES.format(
            same=mine.url("/same"),
            inside=mine.url("/inside", "localhost"),
            outside=other.url("/outside"),
            elsewhere=other.url("/elsewhere", "localhost"),
        )
        mine.pages["/other"] = "<title>Other</title><h1>Other page</h1>"
        mine.pages["/found"] = "<title>Found</title><h1>Found it</h1>"
        mine.pages["/own"] = """<title>Own</title><script>document.modelContext = undefined;
          Object.defineProperty(document, "modelContext", {value: {tools: [{name: "double", description: "Twice as much",
            inputSchema: JSON.stringify({type: "object", properties: {n: {type: "number"}}, required: ["n"]})},
            {name: "fails", description: "Throws"}, {name: "busy", description: "Keeps the page busy"}],
            getTools() { return Promise.resolve(this.tools) },
            async executeTool(tool, input) { if (tool.name === "fails") throw new Error("own trouble"); while (tool.name === "busy"); return JSON.stringify({twice: 2 * JSON.parse(input).n}) }}})</script>"""
        yield mine, other


@attrs.define
class Grant:
    any_site: bool = False


@asynccontextmanager
async def shop(
    browser: int, sites: tuple[Site, Site], path: str = "/", grant: Grant | None = None
) -> AsyncIterator[Tab]:
    """The page, once all its own tools are known; frames of the other site are outside the grant."""
    mine, other = sites

    def gate(url: str) -> bool:
        return f":{other.port}" not in url or (grant is not None and grant.any_site)

    async with direct_page(browser) as connection, Page.open(connection, tab_id="testtab2", gate=gate) as page:
        tab = Tab(page)
        await tab("navigate", url=mine.url(path), wait_until="load")
        if path != "/own":
            await known(tab, *NAMES)
        yield tab


async def known(tab: Tab, *names: str) -> set[str]:
    """The names of the tools, once these are among them."""
    with trio.fail_after(30):
        while not set(names) <= (found := {tool.name for tool in tab.page.tools.known}):
            await tab.page.tools.changed.wait()
    return found


async def test_tools_are_listed_and_called_within_the_grant_only(browser: int, sites: tuple[Site, Site]) -> None:
    grant = Grant()
    async with shop(browser, sites, "/framed", grant) as tab:
        await known(tab, "same", "inside")
        grant.any_site = True  # those outside the grant have been declared too
        await known(tab, "outside", "elsewhere")
        grant.any_site = False
        listed = await tab("page_tools")
        tools = {tool["name"]: tool for tool in listed.data["tools"]}
        assert listed.untrusted
        assert {"same", "inside", "add", "subscribe", "search"} <= tools.keys()
        assert not {"outside", "elsewhere"} & tools.keys()
        assert "outside" not in listed.text
        assert tools["add"]["read_only"]
        assert tools["add"]["schema"]["required"] == ["a", "b"]
        assert tools["subscribe"]["form"]
        assert not tools["subscribe"]["submits"]
        assert tools["search"]["submits"]
        for name in ("outside", "elsewhere"):
            assert (await tab.fails("call_page_tool", name=name)).code is ErrorCode.ELEMENT_NOT_FOUND
        assert "same here" in await tab.text("call_page_tool", name="same")
        assert "inside here" in await tab.text("call_page_tool", name="inside")
        assert f"{len(tools)} page tools" in await tab.text("snapshot")


async def test_a_call_is_answered_with_the_result_and_the_difference(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        await tab("snapshot")
        answer = await tab("call_page_tool", name="add", arguments={"a": 1, "b": 2, "note": "öl"})
        assert answer.text.startswith("add answered: 3\n")
        assert "added 1 and 2" in answer.data["snapshot"]
        assert "nothing yet" in answer.data["snapshot"]
        assert answer.data["output"] == {"content": [{"type": "text", "text": "3"}]}


async def test_a_tool_that_never_ends_times_out_and_the_tab_goes_on(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        for name in ("endless", "busy"):
            assert (await tab.fails("call_page_tool", name=name, timeout=1_500)).code is ErrorCode.COMMAND_TIMEOUT
        assert "answered: 3" in await tab.text("call_page_tool", name="add", arguments={"a": 1, "b": 2})


async def test_a_cancelled_call_is_cancelled_in_the_page(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        ended = trio.Event()
        statuses: list[str] = []

        def responded(params: dict[str, str]) -> None:
            statuses.append(params["status"])
            ended.set()

        with tab.page.connection.root.listening({"WebMCP.toolResponded": responded}), trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(tab, "call_page_tool", name="endless", timeout=60_000))
                await tab("wait_for", text="endless began")
                nursery.cancel_scope.cancel()
            await ended.wait()
        assert statuses == ["Canceled"]


async def test_a_tool_that_leads_elsewhere_ends_with_the_page_there(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        await tab("snapshot")
        answer = await tab("call_page_tool", name="leave")
        assert answer.data["ending"] == "left"
        assert answer.data["effects"] == [f"navigated to {sites[0].url('/other')}"]
        assert "Other page" in answer.data["snapshot"]
        assert await tab.text("page_tools") == "The page declares no tools."
        await tab("go_back")
        await known(tab, "add")
        assert "answered: 5" in await tab.text("call_page_tool", name="add", arguments={"a": 2, "b": 3})


async def test_forms_are_filled_in_or_submitted_as_they_declare(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        answer = await tab("call_page_tool", name="subscribe", arguments={"email": "a@b.example"})
        assert answer.data["ending"] == "filled in"
        assert await tab.page.evaluate("document.forms[0].email.value") == "a@b.example"
        await tab("click", target={"role": "button", "name": "Go"})
        assert tab.page.url == sites[0].url("/done?email=a%40b.example")
        await tab("navigate", url=sites[0].url("/"))
        await known(tab, "search")
        answer = await tab("call_page_tool", name="search", arguments={"q": "tea"})
        assert answer.data["effects"] == [f"navigated to {sites[0].url('/found?q=tea')}"]


async def test_a_dialog_of_a_tool_can_be_answered(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        answer = await tab("call_page_tool", name="asks")
        assert answer.data["ending"] == "dialog"
        assert 'dialog confirm "Sure?" is open; answer it first' in answer.text
        await tab("handle_dialog", accept=True)
        await tab("wait_for", text="answered true")


async def test_tools_that_change_while_one_runs_are_listed_as_they_are(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites) as tab:
        assert "swap answered: swapped" in await tab.text("call_page_tool", name="swap")
        names = {tool["name"] for tool in (await tab.data("page_tools"))["tools"]}
        assert "fresh" in names
        assert "swap" not in names
        error = await tab.fails("call_page_tool", name="swap")
        assert error.code is ErrorCode.ELEMENT_NOT_FOUND
        assert "fresh" in error.data["tools"]


async def test_page_is_asked_for_tools_that_browser_does_not_report(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites, "/own") as tab:
        listed = await tab("page_tools", name="double")
        assert [tool["name"] for tool in listed.data["tools"]] == ["double"]
        assert (await tab.fails("call_page_tool", name="busy", timeout=1_500)).code is ErrorCode.COMMAND_TIMEOUT
        answer = await tab("call_page_tool", name="double", arguments={"n": 4})
        assert answer.data["output"] == {"twice": 8}
        assert (await tab.fails("call_page_tool", name="double")).code is ErrorCode.INVALID_PARAMS
        error = await tab.fails("call_page_tool", name="fails")
        assert error.message == "Error: own trouble"


async def test_through_the_extension_tools_outside_the_grant_stay_unknown(
    tmp_path: Path, sites: tuple[Site, Site]
) -> None:
    mine, _ = sites
    async with granted(tmp_path, GrantedSite(mine.port, [])) as tab:

        async def all_listed() -> str | None:
            listed = await tab.call("page_tools")
            return listed if "\nsame (in f" in listed and "\nadd (" in listed else None

        await tab.call("navigate", url=mine.url("/framed"), wait_until="load")
        listed = await until(all_listed, "the tools of the page and of a frame")
        assert "\nadd (the page says it only reads)\n" in listed
        for name in ("outside", "elsewhere", "inside"):
            assert f"\n{name} (" not in listed
            assert "ELEMENT_NOT_FOUND" in await tab.refusal("call_page_tool", name=name)
        assert "add answered: 3" in await tab.call("call_page_tool", name="add", arguments={"a": 1, "b": 2})
        assert "same answered: same here" in await tab.call("call_page_tool", name="same")
        assert "no stock" in await tab.refusal("call_page_tool", name="broken")
        # The grant does not allow the debugger, which ends one that keeps the page busy elsewhere.
        assert "COMMAND_TIMEOUT" in await tab.refusal("call_page_tool", name="busy", timeout=1_500)
        assert "add answered: 7" in await tab.call("call_page_tool", name="add", arguments={"a": 3, "b": 4})
        assert "page tools" in await call(tab.client, "list_tabs")
        # What a page brings itself is asked by a script that the extension knows.
        await tab.call("navigate", url=mine.url("/own"))
        assert "double\n" in await tab.call("page_tools")
        assert "COMMAND_TIMEOUT" in await tab.refusal("call_page_tool", name="busy", timeout=1_500)
        assert '"twice":8' in await tab.call("call_page_tool", name="double", arguments={"n": 4})
        # A client that asked for it has each as a tool of its own.
        await tab.call("navigate", url=mine.url("/framed"), wait_until="load")
        await until(all_listed, "the tools of the page and of a frame")
        async with mcp_client(tab.hub, "--page-tools", "dynamic") as client:
            assert "page_inside" not in (tools := {tool.name: tool for tool in (await client.list_tools()).tools})
            assert "in the page's own words" in (tools["page_add"].description or "").lower()
            answer = await client.call_tool("page_add", {"a": 1, "b": 4})
            assert "add answered: 5" in str(answer.content)


async def test_a_call_is_recorded_as_a_step_of_a_scenario(browser: int, sites: tuple[Site, Site]) -> None:
    async with shop(browser, sites, "/framed") as tab, recording(tab.page) as recorded:
        await known(tab, "same")
        await tab("call_page_tool", name="same", arguments={"a": 1}, frame="/same")
        shown = {"name": "same", "arguments": {"a": 1}, "frame": sites[0].url("/same").removeprefix("http://")}
        assert [(ran.command, ran.arguments) for ran in recorded.commands] == [("call_page_tool", shown)]
