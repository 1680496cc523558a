"""The CDP endpoint with clients that no one here wrote: Playwright and Puppeteer, and what MCP finds afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from mcp import Client
from trio_websocket import WebSocketConnection, open_websocket_url

from tests.support.site import Page, Site, serving
from tests.support.stack import HubProcess, call, hub_process, launch_process, mcp_client, refusal

pytestmark = pytest.mark.e2e

playwright: Any = pytest.importorskip("playwright.sync_api")
ROOT = Path(__file__).resolve().parents[2]
PUPPETEER_SCRIPT = Path(__file__).parent / "pages" / "puppeteer_script.mjs"

FORM = """<title>Form</title>
<label>Name <input id=name></label>
<label>Colour <select id=colour><option>red<option>green</select></label>
<label><input type=checkbox id=agree> Agree</label>
<button id=send onclick="document.getElementById('out').textContent =
  [name_.value, colour_.value, agree_.checked].join(' ')">Send</button>
<button id=ask onclick="document.getElementById('out').textContent = String(confirm('Sure?'))">Ask</button>
<button id=open onclick="window.open('/popup')">Open</button>
<a href="/report">Report</a>
<p id=out></p>
<iframe src="FRAME"></iframe>
<script>
  const name_ = document.getElementById("name"), colour_ = document.getElementById("colour"),
    agree_ = document.getElementById("agree");
</script>"""


@attrs.frozen
class Stage:
    """A hub with one tab that shows the form: of a launched browser, or connected by the extension in one."""

    hub: HubProcess
    site: Site
    tab_id: str

    def address(self) -> str:
        """A fresh address of `kapture cdp`."""
        done = subprocess.run(
            [sys.executable, "-m", "kapture", "cdp"],
            env=self.hub.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()


LAUNCHED = pytest.param([], id="launched")
EXTENSION = pytest.param(["--with-extension"], id="extension")


def over(backend: Any) -> pytest.MarkDecorator:
    """The backend of a test's stage. A client costs seconds, and what it talks to is the same above either backend:
    `./dev clients` runs each over both."""
    everywhere = os.environ.get("KAPTURE_CLIENTS") == "everywhere"
    return pytest.mark.parametrize("stage", [LAUNCHED, EXTENSION] if everywhere else [backend], indirect=True)


@pytest.fixture
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    pages: dict[str, Page | str | Any] = {
        "/frame": "<title>Frame</title><button onclick=\"this.textContent = 'pressed'\">In the frame</button>",
        "/popup": "<title>Popup</title><h1>Popup</h1>",
        "/second": "<title>Second</title><h1>Second</h1>",
        "/report": Page("a,b", headers={"Content-Disposition": 'attachment; filename="report.csv"'}),
        "/data": Page("real", headers={"Content-Type": "text/plain"}),
    }
    with serving(pages) as site, hub_process(tmp_path / "home") as hub:
        site.pages["/"] = FORM.replace("FRAME", site.url("/frame", host="localhost"))
        with launch_process(hub, [site.url()], request.param) as launched:
            yield Stage(hub, site, launched.rows[0]["tabId"])


async def given_back(client: Client) -> None:
    """Return when no script holds a tab: the hub learns from the socket's end that a script has left."""
    with trio.fail_after(30):
        while "heldBy" in await call(client, "list_tabs"):  # noqa: ASYNC110  a client gets no event of it
            await trio.sleep(0.05)


def playwright_steps(stage: Stage, busy: Any) -> None:
    """A script's work in one tab, and in those that it opens."""
    expect, site = playwright.expect, stage.site
    expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as playing:
        browser = playing.chromium.connect_over_cdp(stage.address())
        [context] = browser.contexts
        [page] = context.pages
        page.set_default_timeout(30_000)
        assert page.url == site.url()
        refused = trio.from_thread.run(busy)
        assert refused.startswith("TAB_BUSY"), refused

        page.get_by_label("Name").fill("Ada")
        page.get_by_label("Colour").select_option("green")
        page.get_by_label("Agree").check()
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#out")).to_have_text("Ada green true")

        frame = page.frame_locator("iframe")
        frame.get_by_role("button", name="In the frame").click()
        expect(frame.get_by_role("button")).to_have_text("pressed")

        page.route("**/data", lambda route: route.fulfill(body="mocked"))
        assert page.evaluate("fetch('/data').then((answer) => answer.text())") == "mocked"
        page.unroute("**/data")
        with page.expect_response("**/data") as response:
            page.evaluate("fetch('/data').then((answer) => answer.text())")
        assert response.value.text() == "real"

        session = context.new_cdp_session(page)
        worlds: list[str] = []
        session.on("Runtime.executionContextCreated", lambda event: worlds.append(event["context"]["name"]))
        session.send("Runtime.enable")
        assert "" in worlds
        assert "kapture" not in worlds
        with page.expect_request("**/data"):
            session.send("Runtime.evaluate", {"expression": "fetch('/data')"})
        session.detach()

        assert page.screenshot().startswith(b"\x89PNG")
        assert page.locator("#send").screenshot().startswith(b"\x89PNG")

        page.once("dialog", lambda dialog: dialog.accept())
        page.locator("#ask").click()
        expect(page.locator("#out")).to_have_text("true")

        with page.expect_console_message(lambda message: message.text == "from the script"):
            page.evaluate("console.log('from the script')")

        context.add_cookies([{"name": "taste", "value": "sweet", "url": site.url()}])
        assert {"taste": "sweet"}.items() <= {one["name"]: one["value"] for one in context.cookies()}.items()

        fresh = context.new_page()
        fresh.goto(site.url("/second"))
        expect(fresh).to_have_title("Second")
        in_front = context.new_page()
        in_front.goto(site.url("/second"))
        assert fresh.screenshot().startswith(b"\x89PNG")
        in_front.close()

        fresh.evaluate("() => { onbeforeunload = (event) => event.preventDefault(); }")
        fresh.get_by_role("heading").click()  # Chromium asks only for pages that somebody has used
        with fresh.expect_event("dialog") as asked:
            fresh.close(run_before_unload=True)
        with fresh.expect_event("close"):
            asked.value.accept()
        assert context.pages == [page]

        with page.expect_download() as begun:
            page.get_by_role("link", name="Report").click()
        assert begun.value.suggested_filename == "report.csv"
        assert Path(begun.value.path()).read_text() == "a,b"

        with page.expect_popup() as opened:
            page.get_by_role("button", name="Open").click()
        popup = opened.value
        expect(popup).to_have_title("Popup")
        popup.close()

        page.goto(site.url("/second"))
        page.go_back()
        expect(page).to_have_title("Form")
        page.go_forward()
        expect(page).to_have_title("Second")
        page.goto("about:blank")
        page.set_content("<h1>Set</h1>")
        assert page.evaluate("document.body.innerText") == "Set"
        page.goto(site.url())
        expect(page).to_have_title("Form")
        page.get_by_label("Name").press_sequentially("Grace")
        page.evaluate("console.log('about Grace')")
        browser.close()


@over(EXTENSION)
async def test_a_playwright_script_works_in_the_tab_and_mcp_goes_on_after_it(stage: Stage) -> None:
    async with mcp_client(stage.hub) as client:

        async def busy() -> str:
            return await refusal(client, "evaluate", tabId=stage.tab_id, code="1")

        await trio.to_thread.run_sync(partial(playwright_steps, stage, busy))
        await given_back(client)
        snapshot = await call(client, "snapshot", tabId=stage.tab_id)
        found = re.search(r"button \"Send\".*?\[?(e\d+)", snapshot)
        assert found is not None, snapshot
        await call(client, "click", tabId=stage.tab_id, target=found[1])
        assert "Grace" in await call(client, "evaluate", tabId=stage.tab_id, code="out.textContent")
        assert "about Grace" in await call(client, "logs", tabId=stage.tab_id)


@over(LAUNCHED)
async def test_a_puppeteer_script_works_in_the_tab_and_mcp_goes_on_after_it(stage: Stage) -> None:
    async with mcp_client(stage.hub) as client:
        command = ["node", str(PUPPETEER_SCRIPT), stage.address(), stage.site.url()]
        done = await trio.run_process(command, cwd=ROOT, capture_stdout=True, capture_stderr=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout.decode().split() == ["done"]
        await given_back(client)
        assert "Ada green" in await call(client, "evaluate", tabId=stage.tab_id, code="out.textContent")


@over(EXTENSION)
async def test_a_script_that_is_killed_gives_the_tab_back(stage: Stage) -> None:
    async with mcp_client(stage.hub) as client:
        size = partial(call, client, "evaluate", tabId=stage.tab_id, code="`${innerWidth} × ${innerHeight}`")
        before = unquoted(await size())
        command = ["node", str(PUPPETEER_SCRIPT), stage.address(), stage.site.url(), "--stay"]
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                process: trio.Process = await nursery.start(
                    partial(trio.run_process, command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
                )
                assert process.stdout is not None
                await process.stdout.receive_some()  # it has attached
                assert (await refusal(client, "evaluate", tabId=stage.tab_id, code="1")).startswith("TAB_BUSY")
                process.kill()
        await given_back(client)
        assert "Form" in await call(client, "evaluate", tabId=stage.tab_id, code="document.title")
        with trio.fail_after(30):
            while unquoted(await size()) != before:
                pass  # the page hears of its size when it is next drawn


OPENERS = """<title>Openers</title>
<button id=window onclick="window.open('/mocked?window')">window.open</button>
<a id=blank target=_blank href="/mocked?blank">target=_blank</a>
<form target=_blank action="/mocked" method=post><button id=form>form</button></form>
<button id=later onclick="const opened = window.open(); opened.location = '/mocked?later'">then navigated</button>
<iframe src="FRAME"></iframe>"""


def mocked_popups(stage: Stage) -> None:
    with playwright.sync_playwright() as playing:
        browser = playing.chromium.connect_over_cdp(stage.address())
        [context] = browser.contexts
        [page] = context.pages
        context.add_init_script("window.early = true")
        context.set_extra_http_headers({"X-Script": "yes"})
        context.route("**/mocked*", lambda route: route.fulfill(body="<title>Mocked</title>", content_type="text/html"))
        page.goto(stage.site.url("/openers"))
        asked: list[Any] = []
        context.on("request", lambda request: asked.append(request) if "/mocked" in request.url else None)
        openers = [page.locator(f"#{name}") for name in ("window", "blank", "form", "later")]
        for opener in [*openers, page.frame_locator("iframe").locator("#framed")]:
            with page.expect_popup() as opened:
                opener.click()
            popup = opened.value
            popup.wait_for_url("**/mocked*")
            assert popup.title() == "Mocked"
            assert popup.evaluate("window.early") is True
            assert asked.pop().headers["x-script"] == "yes"
            popup.close()
        browser.close()


@pytest.mark.parametrize("stage", [LAUNCHED], indirect=True)
async def test_a_mocked_request_of_a_popups_first_document_never_reaches_the_server(stage: Stage) -> None:
    frame = """<button id=framed onclick="window.open('/mocked?framed', '_blank', 'noopener')">in the frame</button>"""
    stage.site.pages["/frame"] = frame
    stage.site.pages["/openers"] = OPENERS.replace("FRAME", stage.site.url("/frame", host="localhost"))
    await trio.to_thread.run_sync(mocked_popups, stage)
    assert [path for path in stage.site.requests if path.startswith("/mocked")] == []


def unquoted(answer: str) -> str:
    """A page's words, without their marks, which are new in each answer."""
    return answer.split("\n")[1]


async def send(socket: WebSocketConnection, method: str, /, session: str = "", **params: Any) -> dict[str, Any]:
    """A CDP command; its answer. Events are passed over."""
    command = {"id": 1, "method": method, "params": params} | ({"sessionId": session} if session else {})
    await socket.send_message(json.dumps(command))
    with trio.fail_after(30):
        while "id" not in (answer := json.loads(await socket.get_message())):
            pass
    return dict(answer)


@pytest.mark.parametrize(
    "stage", [["--sites", "127.0.0.1"], ["--sites", "127.0.0.1", "--with-extension"]], indirect=True
)
async def test_a_plain_client_runs_code_at_once_on_a_grant_of_named_sites(stage: Stage) -> None:
    async with open_websocket_url(stage.address()) as socket:
        [target] = (await send(socket, "Target.getTargets"))["result"]["targetInfos"]
        answer = await send(socket, "Target.attachToTarget", targetId=target["targetId"], flatten=True)
        session = answer["result"]["sessionId"]
        seen = await send(socket, "Runtime.evaluate", session, expression="location.href")
        assert seen["result"]["result"]["value"] == stage.site.url()
        await send(socket, "Page.navigate", session, url=stage.site.url("/second"))
        with trio.fail_after(30):
            while True:
                title = await send(socket, "Runtime.evaluate", session, expression="document.title")
                if title.get("result", {}).get("result", {}).get("value") == "Second":
                    break
