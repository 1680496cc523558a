"""A navigation as the browser's events tell it, with no browser."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from kapture.errors import ErrorCode, KaptureError
from kapture.page.settling.outcome import InvalidField, Outcome
from tests.unit.page.watched_browser import UNTIL, Browser


@pytest.fixture
def browser() -> Browser:
    return Browser()


def test_a_document_reaches_its_milestones_one_after_the_other(browser: Browser) -> None:
    browser.start()
    browser.request()
    assert browser.reached() == []
    assert not browser.watcher.is_over
    browser.respond(200)
    browser.commit()
    assert browser.reached() == ["commit"]
    assert not browser.watcher.is_over
    browser.milestone("DOMContentLoaded")
    assert browser.reached() == ["commit", "domcontentloaded"]
    assert browser.watcher.is_over
    browser.milestone("load")
    browser.stop()
    assert browser.reached() == ["commit", "domcontentloaded", "load"]
    browser.milestone("networkIdle")
    assert browser.reached() == UNTIL
    assert browser.watcher.status("L1") == 200


def test_nothing_that_happens_to_other_frames_counts(browser: Browser) -> None:
    browser.event(
        "Page.frameStartedNavigating", frameId="F", url="https://a.example/", loaderId="L", navigationType="x"
    )
    browser.event(
        "Page.frameNavigated", frame={"id": "F", "parentId": "M", "url": "https://a.example/", "loaderId": "L"}
    )
    browser.event("Page.frameScheduledNavigation", frameId="F", url="https://a.example/", delay=0)
    browser.event("Network.loadingFailed", type="Document", requestId="L", errorText="net::ERR_FAILED")
    assert browser.watcher.is_over
    assert browser.watcher.documents == 0
    assert browser.watcher.net_error is None


def test_a_navigation_that_the_page_starts_on_the_way_is_followed(browser: Browser) -> None:
    browser.start()
    browser.commit()
    browser.milestone("DOMContentLoaded")
    browser.ask("https://a.example/next")
    assert browser.reached() == ["commit"]
    browser.start("L2", "https://a.example/next")
    browser.milestone("load")
    assert browser.reached() == ["commit"]
    browser.commit("L2", "https://a.example/next")
    browser.milestone("load", "L2")
    assert browser.reached() == ["commit", "domcontentloaded", "load"]
    assert (browser.watcher.documents, browser.watcher.url) == (2, "https://a.example/next")


@pytest.mark.parametrize("reason_first", [True, False])
async def test_a_failed_load_is_known_by_its_reason_whether_it_comes_before_or_after_the_error_page(
    browser: Browser, reason_first: bool
) -> None:
    browser.start()
    browser.request()
    if reason_first:
        browser.fail()
        assert not browser.watcher.is_over  # the error page is still to come
    browser.commit(unreachableUrl="https://a.example/new", url="chrome-error://chromewebdata/")
    assert browser.watcher.is_over
    if not reason_first:
        browser.fail()
    assert browser.watcher.unreachable == "https://a.example/new"
    assert browser.watcher.url is None
    assert await browser.watcher.failure_reason() == "net::ERR_CONNECTION_REFUSED"


async def test_a_reason_that_never_comes_is_waited_for_only_for_a_moment(
    browser: Browser, autojump_clock: trio.testing.MockClock
) -> None:
    browser.start()
    browser.commit(unreachableUrl="https://a.example/new", url="chrome-error://chromewebdata/")
    assert await browser.watcher.failure_reason() == "net::ERR_FAILED"


def test_the_error_page_of_an_earlier_navigation_is_not_that_of_the_next(browser: Browser) -> None:
    browser.start("L2")
    browser.commit("L1", unreachableUrl="https://a.example/old", url="chrome-error://chromewebdata/")
    assert browser.reached() == []
    assert browser.watcher.unreachable is None
    browser.commit("L2")
    assert browser.reached() == ["commit"]


def test_a_page_that_loads_after_a_failure_is_no_failure(browser: Browser) -> None:
    browser.start()
    browser.fail()
    browser.commit(unreachableUrl="https://a.example/new", url="chrome-error://chromewebdata/")
    browser.start("L2")
    browser.commit("L2")
    assert browser.watcher.unreachable is None
    assert browser.watcher.net_error is None


def test_a_cancelled_load_leaves_the_old_document_and_is_no_failure(browser: Browser) -> None:
    browser.start()
    browser.request()
    browser.fail("net::ERR_ABORTED", canceled=True)
    assert browser.watcher.ended_without_document
    assert browser.watcher.is_over
    assert browser.watcher.net_error is None


def test_the_cancelling_of_a_load_that_another_has_replaced_says_nothing_of_the_other(browser: Browser) -> None:
    browser.start("L1")
    browser.start("L2")
    browser.fail("net::ERR_ABORTED", "L1", canceled=True)
    assert not browser.watcher.ended_without_document
    assert not browser.watcher.is_over


def test_a_restored_document_is_complete_at_once(browser: Browser) -> None:
    browser.start()
    browser.commit(kind="BackForwardCacheRestore")
    assert browser.reached() == UNTIL
    assert browser.watcher.restored


def test_a_document_whose_loading_is_stopped_counts_as_loaded(browser: Browser) -> None:
    browser.start()
    browser.commit()
    browser.stop()
    assert browser.reached() == UNTIL
    assert browser.watcher.is_over


def test_a_document_that_has_loaded_is_not_taken_for_one_that_was_stopped(browser: Browser) -> None:
    browser.start()
    browser.commit()
    browser.milestone("load")
    browser.stop()
    assert "networkidle" not in browser.reached()


@pytest.mark.parametrize("url", ["javascript:go()", "mailto:a@b.example", "tel:1", "myapp://open"])
def test_addresses_that_open_no_page_are_no_navigation(browser: Browser, url: str) -> None:
    browser.ask(url)
    browser.event("Page.frameScheduledNavigation", frameId="M", url=url, delay=0)
    assert browser.watcher.is_over


@pytest.mark.parametrize(("delay", "over"), [(0, False), (1, False), (5, True)])
def test_a_refresh_belongs_to_the_way_only_when_it_comes_soon(browser: Browser, delay: float, over: bool) -> None:
    browser.event("Page.frameScheduledNavigation", frameId="M", url="https://a.example/later", delay=delay)
    assert browser.watcher.is_over is over
    browser.event("Page.frameClearedScheduledNavigation", frameId="M")
    for reply in browser.asked:
        reply.resolve({})
    assert browser.watcher.is_over


def test_a_cleared_navigation_is_over_once_the_page_has_answered_and_the_browser_has_started_none(
    browser: Browser,
) -> None:
    browser.ask()
    browser.event("Page.frameClearedScheduledNavigation", frameId="M")
    assert not browser.watcher.is_over
    browser.asked[0].fail(KaptureError(ErrorCode.DETACHED, "The page has gone."))
    assert browser.watcher.is_over


def test_a_cleared_navigation_that_the_browser_then_starts_goes_on(browser: Browser) -> None:
    browser.event("Page.frameScheduledNavigation", frameId="M", url="https://a.example/new", delay=0)
    browser.ask()
    browser.event("Page.frameClearedScheduledNavigation", frameId="M")
    assert not browser.watcher.is_over
    browser.start()
    browser.asked[0].resolve({})
    assert not browser.watcher.is_over
    browser.commit()
    browser.milestone("load")
    assert browser.watcher.is_over


def test_a_refresh_outlasts_the_loading_of_the_document_that_asks_for_it(browser: Browser) -> None:
    browser.start()
    browser.commit()
    browser.milestone("load")
    browser.event("Page.frameScheduledNavigation", frameId="M", url="https://a.example/next", delay=0)
    browser.stop()
    assert browser.reached() == ["commit"]
    browser.ask("https://a.example/next")
    browser.stop()
    assert browser.reached() == ["commit"]
    browser.start("L2", "https://a.example/next")
    browser.event("Page.frameClearedScheduledNavigation", frameId="M")
    assert browser.reached() == ["commit"]
    browser.stop()  # it had no content
    assert "load" in browser.reached()


def test_a_move_within_the_document_is_the_end_of_what_was_asked_for(browser: Browser) -> None:
    browser.ask("https://a.example/#part")
    browser.start(kind="sameDocument")
    browser.event("Page.navigatedWithinDocument", frameId="M", url="https://a.example/#part")
    assert browser.watcher.is_over
    assert browser.watcher.same_document
    assert browser.watcher.url == "https://a.example/#part"


def test_a_crash_ends_it(browser: Browser) -> None:
    browser.start()
    browser.event("Inspector.targetCrashed")
    assert browser.watcher.crashed
    assert browser.watcher.is_over


def test_a_prerendered_page_brings_a_main_frame_of_its_own(browser: Browser) -> None:
    browser.event("Page.frameNavigated", frame={"id": "P", "url": "https://a.example/", "loaderId": "L9"})
    browser.event("Page.lifecycleEvent", frameId="P", loaderId="L9", name="load")
    assert browser.reached() == ["commit", "domcontentloaded", "load"]


@pytest.mark.parametrize(("delay", "waits"), [(0, True), (1, False)])
def test_a_page_that_shows_itself_again_after_a_delay_has_loaded(browser: Browser, delay: int, waits: bool) -> None:
    browser.start()
    browser.commit(urlFragment="#part")
    browser.event("Page.frameScheduledNavigation", frameId="M", url="https://a.example/new", delay=delay)
    browser.milestone("load")
    assert browser.watcher.reached("load") is not waits


def test_pages_that_replace_each_other_without_end_are_told_from_those_that_send_a_browser_on(browser: Browser) -> None:
    for number in range(10):
        browser.start(f"L{number}")
        browser.commit(f"L{number}")
        assert not browser.watcher.is_endless
    browser.start("last")
    browser.commit("last")
    assert browser.watcher.is_endless


# The lines of an answer about what an action has caused.


def test_a_message_about_an_invalid_field_stays_within_its_quotation_marks_its_line_and_its_length() -> None:
    """Pages may set any message for a field."""
    forged = 'Wrong."\nclicked <button> "Pay" ' + "x" * 1_000
    [line] = Outcome(refused=[InvalidField('<input> "Name" ref=e2', forged)]).lines()
    beginning = 'the browser did not submit the form: <input> "Name" ref=e2 "Wrong.\\" clicked <button> \\"Pay\\" x'
    assert line.startswith(beginning)
    assert line.endswith('x…"')
    assert len(line) < 300


def test_a_field_whose_message_is_not_known_is_said_to_be_invalid() -> None:
    [line] = Outcome(refused=[InvalidField("<my-field> ref=e2", "")]).lines()
    assert line == "the browser did not submit the form: <my-field> ref=e2 is invalid"
