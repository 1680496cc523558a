"""Going to pages in a real browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest
import trio

from kapture.errors import ErrorCode
from kapture.page.downloads import Download, Downloads
from tests.support.context import open_tab
from tests.support.site import Page, Site, serving

pytestmark = pytest.mark.e2e


PAGES: dict[str, Page | str] = {
    "/": "<title>Home</title><a href=/end>end</a>",
    "/end": "<title>End</title><p id=a>A</p>",
    "/inline": "<script>location.href = '/end'</script>",
    "/onload": "<body onload=\"location.href = '/end'\">",
    "/refresh": '<meta http-equiv=refresh content="0;url=/end">',
    "/later": '<title>Later</title><meta http-equiv=refresh content="600;url=/end">',
    "/redirect": Page(status=302, headers={"Location": "/redirect2"}),
    "/redirect2": Page(status=301, headers={"Location": "/end"}),
    "/circle": Page(status=302, headers={"Location": "/circle"}),
    "/empty": Page(status=204),
    "/file": Page("abc", headers={"Content-Disposition": 'attachment; filename="report.csv"'}),
    "/image": '<title>Image</title><img src="/never">',
    "/written": "<title>Written</title><iframe></iframe><script>const frame = frames[0].document; frame.open();"
    "frame.write('<p>in it')</script>",
    "/never": Page(wait=threading.Event()),
    "/stuck": Page(wait=threading.Event()),
}


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(PAGES) as served:
        yield served
        for page in PAGES.values():
            if isinstance(page, Page) and page.wait is not None:
                page.wait.set()


@pytest.fixture(autouse=True)
def _held_back() -> None:
    for page in PAGES.values():
        if isinstance(page, Page) and page.wait is not None:
            page.wait.clear()


async def test_navigate_tells_url_title_and_status(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        assert await tab.data("navigate", url=site.url("/")) == {
            "url": site.url("/"),
            "title": "Home",
            "status": 200,
            "outcome": "navigated",
            "redirects": 0,
        }


async def test_a_page_that_does_not_exist_is_an_outcome_with_its_status(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        answer = await tab.data("navigate", url=site.url("/nowhere"))
        assert (answer["status"], answer["title"]) == (404, "Nothing here")


@pytest.mark.parametrize("path", ["/inline", "/onload", "/refresh"])
async def test_navigate_follows_where_the_page_itself_goes_at_once(browser: int, site: Site, path: str) -> None:
    async with open_tab(browser) as tab:
        answer = await tab.data("navigate", url=site.url(path))
        assert (answer["url"], answer["title"], answer["status"]) == (site.url("/end"), "End", 200)


async def test_redirects_are_counted_and_their_end_is_reported(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        answer = await tab.data("navigate", url=site.url("/redirect"))
        assert (answer["url"], answer["redirects"], answer["status"]) == (site.url("/end"), 2, 200)


async def test_a_download_leaves_the_tab_where_it_was(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("navigate", url=site.url("/file"))
        assert (answer["outcome"], answer["download"], answer["url"]) == ("download", "report.csv", site.url("/"))
        assert (await tab.data("wait_for", download=True))["download"]["state"] == "completed"


async def test_a_download_that_ends_while_it_is_looked_at_is_not_missed(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = Downloads.__iter__
    async with open_tab(browser, site.url("/")) as tab:
        root = tab.page.connection.root
        root.dispatch("Page.downloadWillBegin", {"guid": "g1", "url": site.url("/file"), "suggestedFilename": "a.csv"})

        def then_it_ends(downloads: Downloads) -> Iterator[Download]:
            yield from looks(downloads)
            root.dispatch("Page.downloadProgress", {"guid": "g1", "state": "completed", "receivedBytes": 3})

        monkeypatch.setattr(Downloads, "__iter__", then_it_ends)
        assert (await tab.data("wait_for", download=True, timeout=30_000))["download"]["state"] == "completed"


async def test_an_answer_without_a_page_leaves_the_tab_where_it_was(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        answer = await tab.data("navigate", url=site.url("/empty"))
        assert (answer["outcome"], answer["status"], answer["url"]) == ("no_content", 204, site.url("/"))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:1/", "ERR_UNSAFE_PORT"),
        ("http://nowhere.invalid/", "ERR_NAME_NOT_RESOLVED"),
        ("https://127.0.0.1:{port}/", "ERR_SSL_PROTOCOL_ERROR"),
        ("http://127.0.0.1:{port}/circle", "ERR_TOO_MANY_REDIRECTS"),
    ],
)
async def test_failed_navigation_is_an_error_with_reason(browser: int, site: Site, url: str, reason: str) -> None:
    async with open_tab(browser) as tab:
        error = await tab.fails("navigate", url=url.format(port=site.port))
        assert error.code is ErrorCode.NAVIGATION_FAILED
        assert error.data["reason"] == reason
        shown = await tab.data("evaluate", code="document.URL")
        assert shown["value"] == "chrome-error://chromewebdata/", "the error page is there by then"
        assert (await tab.data("navigate", url=site.url("/")))["title"] == "Home", "the tab stays usable"


async def test_history_says_where_it_landed_and_where_it_ends(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        await tab("navigate", url=site.url("/end"))
        assert (await tab.data("go_back"))["title"] == "Home"
        assert (await tab.data("go_forward"))["title"] == "End"
        error = await tab.fails("go_forward")
        assert (error.code, error.data["reason"]) == (ErrorCode.NAVIGATION_FAILED, "history")


async def test_history_does_not_lead_out_of_the_grant(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/", host="localhost")) as tab:
        await tab("navigate", url=site.url("/end"))
        tab.page.gate = lambda url: "127.0.0.1" in url
        assert (await tab.fails("go_back")).code is ErrorCode.POLICY_DENIED
        assert tab.page.url == site.url("/end")


async def test_a_redirect_out_of_the_grant_tells_nothing_but_the_site(browser: int, site: Site) -> None:
    other = site.url("/secret-path?token=1", host="localhost")
    site.pages["/away"] = Page(status=302, headers={"Location": other})
    async with open_tab(browser, site.url("/")) as tab:
        tab.page.gate = lambda url: "127.0.0.1" in url
        result = await tab("navigate", url=site.url("/away"), snapshot="full")
        assert result.data["url"] == site.url("", host="localhost")
        assert "title" not in result.data
        assert "secret-path" not in result.text
        assert "Nothing here" not in result.text


async def test_navigation_waits_until_chosen_state(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        committed = await tab.data("navigate", url=site.url("/image"), wait_until="commit")
        # Nothing of the document need be parsed yet: its title may still be empty.
        assert committed["url"] == site.url("/image")
        parsed = await tab.data("navigate", url=site.url("/image"), wait_until="domcontentloaded")
        assert parsed["title"] == "Image"
        error = await tab.gives_up("navigate", url=site.url("/image"), with_data="committed")
        assert error.code is ErrorCode.COMMAND_TIMEOUT
        assert error.data["committed"] is True
        assert "did not reach 'load'" in error.message


async def test_network_idle_waits_for_requests_that_scripts_make(browser: int, site: Site) -> None:
    loaded = threading.Event()

    def on_loaded(_: str) -> Page:
        loaded.set()
        return Page()

    site.pages |= {"/after-load": Page(wait=loaded), "/loaded": on_loaded}
    site.pages["/busy"] = (
        "<title>Busy</title><script>fetch('/after-load').then(() => window.done = 1);"
        "onload = () => fetch('/loaded')</script>"
    )
    async with open_tab(browser) as tab:
        await tab("navigate", url=site.url("/busy"), wait_until="networkidle")
        assert (await tab.data("evaluate", code="window.done"))["value"] == 1


async def test_a_frame_that_a_script_writes_and_does_not_close_is_not_waited_for(browser: int, site: Site) -> None:
    async with open_tab(browser) as tab:
        for command, arguments in (("navigate", {"url": site.url("/written")}), ("reload", {})):
            went = await tab.data(command, **arguments)
            assert (went["title"], went["status"], went["outcome"]) == ("Written", 200, "navigated")
            assert went["note"].startswith("A script is still writing a frame of the page")


async def test_page_that_is_usable_but_never_loads_is_answered_with_what_it_waits_for(
    browser: int, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kapture.commands.navigation.NAVIGATION_S", 0.2)
    async with open_tab(browser, site.url("/")) as tab:
        for command, arguments in (("navigate", {"url": site.url("/image")}), ("reload", {})):
            went = await tab.data(command, **arguments)
            assert (went["title"], went["outcome"]) == ("Image", "navigated")
            assert site.url("/never") in went["note"]


async def test_a_server_that_never_answers_ends_in_a_timeout_that_says_so(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        error = await tab.gives_up("navigate", url=site.url("/stuck"), with_data="url")
        assert error.code is ErrorCode.COMMAND_TIMEOUT
        assert error.data == {"url": site.url("/"), "committed": False, "status": None}
        assert f"Timed out: {site.url('/stuck')} did not answer" in error.message
        assert (await tab.data("navigate", url=site.url("/end")))["title"] == "End"


@pytest.mark.parametrize("how", ["timeout", "cancelled"])
async def test_a_navigation_that_nobody_waits_for_any_more_does_not_take_the_page_away(
    browser: int, site: Site, how: str
) -> None:
    held = threading.Event()
    site.pages["/late"] = Page("<title>Late</title>", wait=held)
    async with open_tab(browser, site.url("/")) as tab:
        if how == "timeout":
            await tab.fails("navigate", url=site.url("/late"), timeout=500)
        else:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(tab, "navigate", url=site.url("/late")))
                while not any(request.url == site.url("/late") for request in tab.page.network.newest_first()):
                    await tab.page.network.changed.wait()
                nursery.cancel_scope.cancel()
        with trio.fail_after(30):
            while not all(request.finished for request in tab.page.network.newest_first()):
                await tab.page.network.changed.wait()
        held.set()
        assert (await tab.data("evaluate", code="document.title"))["value"] == "Home"
        assert tab.page.url == site.url("/")
        assert tab.page.title == "Home"


async def test_tab_info_tells_size_scroll_frames_and_dialog(browser: int, site: Site) -> None:
    site.pages["/tall"] = (
        "<title>Tall</title><body style='margin:0'><div style='height:5000px'></div><iframe src=/end></iframe>"
    )
    async with open_tab(browser, site.url("/tall")) as tab:
        await tab("evaluate", code="scrollTo(0, 1234)")
        answer = await tab.data("tab_info")
        assert (answer["ready_state"], answer["scroll"]) == ("complete", (0, 1234))
        assert answer["page_size"][1] > 5000
        assert [frame["url"] for frame in answer["frames"]] == [site.url("/end")]
        await tab.fails("evaluate", code="confirm('Sure?')")
        assert (await tab.data("tab_info"))["dialog"] == {"type": "confirm", "message": "Sure?"}
        assert await tab.text("handle_dialog", accept=False) == "dismissed confirm 'Sure?'"


async def test_tabs_are_opened_closed_and_shown_by_the_backend(browser: int, site: Site) -> None:
    async with open_tab(browser, site.url("/")) as tab:
        assert (await tab.data("tab_new", url="/end", active=True))["tabId"] == "newtab22"
        await tab("tab_activate")
        await tab("tab_close")
        assert tab.browser.made == [("tab_new", (site.url("/end"), True)), ("tab_activate", None), ("tab_close", None)]
