"""Commands through the whole product: official client, bridge, hub, extension, launched browser.

What the other tests hold of commands over a direct connection is not repeated; here is what the way through the
extension could break.
"""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import attrs
import pytest
import trio

from tests.support.granted_tab import Site as GrantedSite
from tests.support.granted_tab import granted, serve
from tests.support.patience import NEVER, until
from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, browser_process, call, hub_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

PAGES: dict[str, Page | str] = {
    "/": "<title>Home</title><h1>Hello</h1><table><tr><th>a<tr><td>1</table><iframe src=/inner></iframe>",
    "/inner": "<title>Inner</title><b>Deep</b>",
    "/file": Page("abc", headers={"Content-Disposition": "attachment; filename=a.bin"}),
}


class Run(Protocol):
    """A call on the tab that must succeed, or fail; its text."""

    async def __call__(self, tool: str, /, **arguments: Any) -> str: ...


@attrs.frozen
class Product:
    """A hub with one launched browser, and the id of its tab."""

    site: Site
    hub: HubProcess
    tab_id: str

    @asynccontextmanager
    async def client(self) -> AsyncIterator[tuple[Run, Run]]:
        """Commands that must succeed or fail on a tab at the home page."""
        toolsets = "core,tabs,more,network,files,state,raw"
        async with mcp_client(self.hub, "--toolsets", toolsets) as client:
            run = partial(call, client, tabId=self.tab_id)
            await run("navigate", url=self.site.url("/"))
            yield run, partial(refusal, client, tabId=self.tab_id)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with (
        serving(PAGES) as site,
        hub_process(tmp_path_factory.mktemp("home")) as hub,
        browser_process(hub, arguments=["--level", "full"]) as (tab,),
    ):
        yield Product(site, hub, tab["tabId"])


async def test_pages_are_opened_left_and_read(product: Product) -> None:
    async with product.client() as (run, fails):
        assert "HTTP 404" in await run("navigate", url=product.site.url("/nowhere"))
        assert "'Home'" in await run("go_back")
        assert "HTTP 200" in await run("reload", bypass_cache=True)
        assert "download started: a.bin" in await run("navigate", url=product.site.url("/file"))
        assert "a.bin is complete" in await run("wait_for", download=True)
        assert "Hello\na\n1\nDeep" in await run("get_text")
        assert "# Hello\n\n| a |\n| --- |\n| 1 |\n\n**Deep**" in await run("read_as_markdown")
        assert "NAVIGATION_FAILED" in await fails("navigate", url="http://nowhere.invalid/")


async def test_reading_new_tab_waits_for_its_document(product: Product) -> None:
    late = threading.Event()
    opener = Page("<title>Opener</title><a href=/late target=_blank>Open</a>")
    product.site.pages |= {"/opener": opener, "/late": Page("<title>Late</title><h1>Here now</h1>", wait=late)}
    async with product.client() as (run, _), mcp_client(product.hub) as client, mcp_client(product.hub) as other:
        await run("navigate", url=product.site.url("/opener"))
        await run("click", target={"text": "Open"}, snapshot="none")

        async def opened() -> str | None:
            rows = re.findall(r"^  (\w{8}),", await call(client, "list_tabs"), re.MULTILINE)
            return next((row for row in rows if row != product.tab_id), None)

        async def running() -> bool:
            return "snapshot" in await call(other, "status")

        async def read() -> None:
            assert "Here now" in await call(client, "snapshot", tabId=tab)

        tab = await until(opened, "the new tab")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await until(running, "the snapshot, running")
            late.set()
        await call(client, "tab_close", tabId=tab)


async def test_scripts_that_never_end_are_stopped(product: Product) -> None:
    async with product.client() as (run, fails):
        for code in (
            "while (true) {}",
            "for (;;) await 0",
            "await new Promise(done => setTimeout(done, 50)); while (true) {}",
            "/(x+x+)+y/.test('x'.repeat(40))",
            f"await {NEVER}",
        ):
            assert "COMMAND_TIMEOUT" in await fails("evaluate", code=code, timeout=700)
            assert "42" in await run("evaluate", code="6 * 7", timeout=30_000)


PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>"""


async def test_a_pdf_for_whose_viewer_the_browser_replaces_the_page_is_opened_and_left(product: Product) -> None:
    product.site.pages["/bill.pdf"] = Page(PDF, headers={"Content-Type": "application/pdf"})
    url = product.site.url("/bill.pdf")
    async with product.client() as (run, _):
        for _ in range(3):
            assert f"at {url}" in await run("navigate", url=url)
            assert f"at {url}" in await run("reload")
            assert "'Home'" in await run("navigate", url=product.site.url("/"))


async def test_a_link_for_another_program_ends_no_more_than_its_own_call(product: Product) -> None:
    """Chrome ends an extension's session as soon as the tab is asked to go to such an address."""
    async with product.client() as (run, fails):
        product.site.pages["/contact"] = "<a href='mailto:ada@a.example' onclick='document.title=`asked`'>Write</a>"
        await run("navigate", url=product.site.url("/contact"))
        refused = await fails("click", target={"text": "Write"})
        assert "has asked for another program (mailto:)" in refused
        assert "The page is still there. It may have taken effect." in refused
        assert "asked" in await run("evaluate", code="document.title")


async def test_a_page_that_its_own_script_keeps_busy_is_said_to_be_and_can_be_left(product: Product) -> None:
    product.site.pages["/busy"] = "<title>Busy</title><button onclick='while (true);'>Go</button>"
    home = {"url": product.site.url("/")}
    async with product.client() as (run, fails):
        for leave, arguments in (("reload", {}), ("navigate", home), ("go_back", {})):
            await run("navigate", url=product.site.url("/busy"))
            late = await fails("click", selector="button", timeout=3_000)
            assert "one of its scripts keeps it busy" in late
            await run(leave, **arguments)
            assert "42" in await run("evaluate", code="6 * 7")


async def test_dialogs_state_and_raw_events_pass(product: Product) -> None:
    async with product.client() as (run, fails):
        assert "DIALOG_OPEN" in await fails("evaluate", code="window.answer = confirm('Sure?')")
        assert "dialog open: confirm 'Sure?'" in await run("tab_info")
        assert "accepted confirm" in await run("handle_dialog")
        assert "true" in await run("evaluate", code="answer")
        await run("cookies", action="set", name="a", value="1")
        assert 'a,"1",127.0.0.1' in await run("cookies")
        await run("storage", action="set", key="k", value="v")
        assert "k: v" in await run("storage")
        await run("emulate", timezone="Asia/Tokyo", locale="de-DE", color_scheme="dark")
        code = "[Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language]"
        assert '["Asia/Tokyo", "de-DE"]' in await run("evaluate", code=code)
        await run("cdp_events", action="subscribe", events=["Runtime.consoleAPICalled"])
        await run("evaluate", code="console.log('heard')")

        async def heard() -> bool:
            return "heard" in await run("cdp_events")

        await until(heard, "the event")  # which has another way to the hub than the answer of `evaluate`


async def test_a_dialog_of_an_ungranted_page_is_only_dismissed(tmp_path: Path) -> None:
    # While it is parsed, and over before anything else can happen to the page.
    asking = Page(
        "<script>const answer = new XMLHttpRequest();"
        "answer.open('GET', `/answered?${confirm('the words of another site')}`, false); answer.send()</script>"
    )
    with serving({"/": asking}) as other, serving({"/": f"<a href='{other.url('/')}'>away</a>"}) as mine:
        async with granted(tmp_path, GrantedSite(mine.port, [])) as tab:
            left = await tab.call("click", selector="a")

            async def refusal_of_the_dialog() -> str | None:
                refused = await tab.refusal("handle_dialog")
                return refused if "POLICY_DENIED" in refused else None  # else it is not open yet

            async def answers(count: int) -> None:
                async def look() -> bool:
                    return sum(path.startswith("/answered") for path in other.requests) == count

                await until(look, "what the page does with the answer")

            refused = await until(refusal_of_the_dialog, "the dialog")
            assert "dismissed confirm" in await tab.call("handle_dialog", accept=False)
            assert "of another site" not in left + refused
            await answers(1)
            await tab.call("navigate", url=mine.url("/"))
            await tab.call("dialog_policy", policy="accept")
            await tab.call("click", selector="a")
            await answers(2)
            await tab.call("navigate", url=mine.url("/"))
        assert other.requests.count("/answered?false") == 2
        assert "/answered?true" not in other.requests


async def test_tabs_opened_by_a_tab_are_connected(product: Product) -> None:
    async with product.client() as (run, _):
        opened = re.findall(r"opened tab (\w+)", await run("tab_new", url="/inner"))[0]
        await run("wait_for", tabId=opened, text="Deep", timeout=30_000)  # at first it shows no page
        assert "Deep" in await run("get_text", tabId=opened)
        assert "in the foreground" in await run("tab_activate", tabId=opened)
        assert f"closed tab {opened}" in await run("tab_close", tabId=opened)
        steps = [{"command": "evaluate", "arguments": {"code": "document.title"}}, {"command": "get_text"}]
        assert "1. evaluate: Home" in await run("batch", steps=steps)


async def test_clickable_elements_are_marked_with_reading_grant(tmp_path: Path) -> None:
    page = "<title>t</title><div id=d>listener</div><script>d.addEventListener('click', () => 1)</script>"
    server, site = serve({"/": page})
    with closing(server.socket):
        async with granted(tmp_path, site, "read") as tab:
            assert "POLICY_DENIED" in await tab.refusal("evaluate", code="1")

            async def marked() -> bool:
                return "generic [clickable] ref=e" in await tab.call("snapshot")

            await until(marked, "the listener")  # once the page has loaded
        server.shutdown()
