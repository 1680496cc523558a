"""What an action sets off is waited for, by events, and told."""

# ruff: noqa: E501  pages are easier to read on long lines

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from kapture.errors import ErrorCode, KaptureError
from kapture.page.actions.click import click
from tests.support.context import open_tab
from tests.support.patience import NEVER
from tests.support.settling import at, patient, slow
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving({"/next": "<title>Next</title><h1>Next</h1>"}) as site:
        yield site


async def test_a_link_is_followed_to_the_parsed_document(browser: int, site: Site) -> None:
    site.pages["/slow"] = slow("<title>Slow</title><p id=there>", 0.4)
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/slow>Slow</a>")
        assert f"navigated to {site.url('/slow')}" in await tab.text("click", selector="#x")
        assert await tab.page.evaluate("document.title") == "Slow"


async def test_a_form_a_script_and_a_404_tell_where_they_led(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<form action=/missing><button id=x>Go</button></form>")
        answer = await tab.text("click", selector="#x")
        assert "/missing?" in answer
        assert "HTTP 404" in answer
        await at(tab, site, "<button id=x onclick=\"location.href='/next'\">Go</button>")
        assert f"navigated to {site.url('/next')}" in await tab.text("click", selector="#x")
        await at(tab, site, '<button id=x onclick="setTimeout(()=>location.reload(),0)">Go</button>')
        await tab("click", selector="#x")


async def test_moves_within_the_document_are_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<a id=x href=#part>Part</a><button id=y onclick=\"history.pushState(0,'','/pushed')\">Push</button>",
        )
        assert f"navigated to {site.url('/start#part')}" in await tab.text("click", selector="#x")
        assert f"navigated to {site.url('/pushed')}" in await tab.text("click", selector="#y")
        assert tab.page.url == site.url("/pushed")


async def test_requests_that_an_action_starts_are_waited_for(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    site.pages["/data"] = slow("{}", 0.2)
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<button id=x onclick=\"fetch('/data').then((r) => r.text()).then((t) => fetch('/next')).then(() => document.title = 'Loaded')\">Go</button>",
        )
        await tab("click", selector="#x")
        assert await tab.page.evaluate("document.title") == "Loaded"


async def test_a_request_that_hangs_holds_the_answer_up_only_for_a_moment(browser: int, site: Site) -> None:
    held = threading.Event()
    site.pages["/held"] = Page("{}", wait=held)
    try:
        async with open_tab(browser) as tab:
            await at(tab, site, "<button id=x onclick=\"fetch('/held')\">Go</button>")
            await tab("click", selector="#x")
            [request] = [one for one in tab.page.network.newest_first() if one.url == site.url("/held")]
            assert not request.finished
    finally:
        held.set()


async def test_streams_and_images_are_not_waited_for(browser: int, site: Site) -> None:
    held = threading.Event()
    site.pages["/held"] = Page("x", wait=held)
    try:
        async with open_tab(browser) as tab:
            await at(
                tab, site, "<button id=x onclick=\"new Image().src='/held';navigator.sendBeacon('/next')\">Go</button>"
            )
            async with tab.page.acting() as outcome:
                await click(tab.page, "#x")
            assert outcome.requests == 0
    finally:
        held.set()


@pytest.mark.parametrize("kind", ["alert", "confirm", "prompt"])
async def test_a_dialog_ends_the_wait_at_once_and_can_be_answered(browser: int, site: Site, kind: str) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, f"<button id=x onclick=\"window.got = {kind}('Sure?')\">Go</button>")
        assert f'dialog {kind} "Sure?" is open' in await tab.text("click", selector="#x")
        error = await tab.fails("click", selector="#x")
        assert error.code is ErrorCode.DIALOG_OPEN
        assert error.data["dialog"]["message"] == "Sure?"
        await tab("handle_dialog", accept=True, **({"text": "yes"} if kind == "prompt" else {}))
        got = await tab.page.evaluate("window.got")
        assert got == {"alert": None, "confirm": True, "prompt": "yes"}[kind]


async def test_a_dialog_that_opens_during_an_agent_call_ends_it(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<input id=x onfocus=\"alert('Stop')\">")
        error = await tab.fails("fill", selector="#x", value="y")
        assert error.code is ErrorCode.DIALOG_OPEN
        await tab("handle_dialog")
        assert await tab.page.evaluate("1 + 1") == 2


async def test_dialogs_are_answered_by_the_policy_when_nobody_watches(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<button id=x onclick=\"window.got = confirm('Sure?')\">Go</button>")
        await tab("dialog_policy", policy="accept")
        await tab("click", selector="#x")
        assert await tab.page.evaluate("got") is True


async def test_a_new_window_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(
            tab,
            site,
            "<a id=x target=_blank href=/next>New</a><button id=y onclick=\"window.open('/next')\">Open</button>",
        )
        for selector in ("#x", "#y"):
            assert f"opened a new tab at {site.url('/next')}" in await tab.text("click", selector=selector)
        assert tab.page.url == site.url("/start")


async def test_the_id_of_a_tab_that_connects_is_waited_for(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x target=_blank href=/next>New</a>")
        tab.page.children_connect = True
        tab.page.connection.root.on("Page.windowOpen", lambda _: tab.page.child_opened("childtab"))
        assert "opened tab childtab" in await tab.text("click", selector="#x")


async def test_a_download_is_reported_and_no_navigation(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient(monkeypatch)
    site.pages["/file"] = Page(
        "a,b", headers={"Content-Disposition": "attachment; filename=data.csv", "Content-Type": "text/csv"}
    )
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/file>Get</a>")
        answer = await tab.text("click", selector="#x")
        assert "download started: data.csv" in answer
        assert "navigated" not in answer
        assert tab.page.url == site.url("/start")


async def test_an_answer_without_content_does_not_hold_the_click_up(browser: int, site: Site) -> None:
    site.pages["/nothing"] = Page(status=204)
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href=/nothing>Nothing</a>")
        answer = await tab.text("click", selector="#x")
        assert "navigated" not in answer
        assert "still loading" not in answer


async def test_a_server_that_is_not_there_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<a id=x href='http://127.0.0.1:9/'>Nowhere</a>")
        answer = await tab.text("click", selector="#x")
        assert "navigation failed" in answer or "ERR_" in answer


async def test_a_page_that_closes_or_crashes_ends_what_waits(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<p>Here</p>")
        error: list[KaptureError] = []

        async def wait() -> None:
            try:
                await tab.page.evaluate(NEVER)
            except KaptureError as caught:
                error.append(caught)

        with trio.fail_after(30):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await trio.testing.wait_all_tasks_blocked()
                tab.page.connection.root.submit("Page.crash")
        assert "crash" in str(error[0]).lower()
        assert (await tab.fails("click", selector="p")).code is ErrorCode.DETACHED
        await tab("navigate", url=site.url("/next"))
        assert await tab.page.evaluate("document.title") == "Next"


async def test_a_navigation_ends_calls_into_the_document_before(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        await at(tab, site, "<p>Here</p>")
        error: list[KaptureError] = []

        async def wait() -> None:
            try:
                await tab.page.evaluate(NEVER)
            except KaptureError as caught:
                error.append(caught)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await tab("navigate", url=site.url("/next"))
        assert error[0].code is ErrorCode.DETACHED
