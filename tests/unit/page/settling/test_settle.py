"""What an action set off is waited for, as the browser's events tell it, with no browser."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from kapture.page.dialogs import Dialog
from kapture.page.documents.execution_context import ExecutionContext
from kapture.page.documents.look import Look
from kapture.page.settling.settle import NAVIGATION_BOUND_S, REPORT_BOUND_S, REQUESTS_BOUND_S
from tests.unit.page.settling.conftest import Tab


async def test_an_action_that_started_nothing_has_settled_at_once(tab: Tab, autojump_clock: MockClock) -> None:
    assert await tab.settle() == 0
    assert tab.watch.outcome.lines() == []
    assert tab.main.asked == [{"thorough": False}]
    assert tab.main.resting


async def test_a_frame_that_has_flushed_already_is_not_asked_again(tab: Tab) -> None:
    tab.watch.on_settled(tab.main, {"resting": False, "transients": ["Saved"]})  # type: ignore[arg-type]
    await tab.settle()
    assert tab.main.asked == []
    assert tab.watch.outcome.transients == ["Saved"]


async def test_what_has_scrolled_back_is_not_reported(tab: Tab) -> None:
    away: dict[str, Any] = {"resting": True, "scrolled": [{"y": 300, "max_y": 900, "shown": []}]}
    tab.watch.on_settled(tab.main, away)  # type: ignore[arg-type]
    assert [part.positions for part in tab.watch.outcome.scrolled] == [("y 300 of 900",)]
    tab.watch.on_settled(tab.main, {"resting": True})  # type: ignore[arg-type]  # it has not looked
    assert len(tab.watch.outcome.scrolled) == 1
    tab.watch.on_settled(tab.main, {"resting": True, "scrolled": []})  # type: ignore[arg-type]
    assert tab.watch.outcome.scrolled == []


async def test_messages_of_a_document_outside_the_grant_are_not_kept(tab: Tab) -> None:
    tab.main.granted = False
    tab.main.transients = ["Secret"]
    await tab.settle()
    assert tab.watch.outcome.transients == []


async def test_requests_are_waited_for_and_the_page_is_then_flushed_once_more(tab: Tab, nursery: trio.Nursery) -> None:
    tab.request("one")
    tab.request("two")
    nursery.start_soon(tab.settle)
    await trio.testing.wait_all_tasks_blocked()
    tab.respond("one")
    await trio.testing.wait_all_tasks_blocked()
    assert not tab.settled
    tab.respond("two")
    await trio.testing.wait_all_tasks_blocked()
    assert tab.settled
    assert tab.main.asked == [{"thorough": False}, {"thorough": True}]
    assert tab.watch.outcome.requests == 2


@pytest.mark.parametrize("requested", [False, True])
async def test_a_look_is_dropped_if_the_action_has_made_a_request(
    tab: Tab, requested: bool, autojump_clock: MockClock
) -> None:
    tab.watch.look = look = Look("M", {})
    look.take(msgspec.Raw(b"{}"), ExecutionContext("M", "kapture", tab.connection.root, "C", 1, ""))
    if requested:
        tab.request("one")
        tab.respond("one")
    await tab.settle()
    assert (look.taken is None) == requested


async def test_a_request_that_hangs_is_waited_for_only_within_its_bound(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("one")
    assert await tab.settle() == pytest.approx(REQUESTS_BOUND_S)


@pytest.mark.parametrize("kind", ["Image", "Ping", "Media", "Font"])
async def test_what_an_effect_needs_nothing_of_is_not_waited_for(
    tab: Tab, kind: str, autojump_clock: MockClock
) -> None:
    tab.request("one", kind)
    assert await tab.settle() == 0
    assert tab.watch.outcome.requests == 0


async def test_a_stream_has_been_answered_when_it_begins(tab: Tab, autojump_clock: MockClock) -> None:
    tab.request("one")
    tab.event("Network.responseReceived", requestId="one", type="Fetch", response={"mimeType": "text/event-stream"})
    assert await tab.settle() == 0


async def test_a_navigation_is_followed_to_the_parsed_document(tab: Tab, nursery: trio.Nursery) -> None:
    tab.start()
    nursery.start_soon(tab.settle)
    await trio.testing.wait_all_tasks_blocked()
    tab.commit()
    await trio.testing.wait_all_tasks_blocked()
    assert not tab.settled
    tab.parsed()
    await trio.testing.wait_all_tasks_blocked()
    assert tab.settled
    assert tab.watch.outcome.navigated_to == "https://a.example/new"
    assert tab.main.asked == []  # the document that was acted on has gone


async def test_a_navigation_that_hangs_is_reported_as_still_loading(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start("https://a.example/slow")
    assert await tab.settle() == pytest.approx(NAVIGATION_BOUND_S)
    assert tab.watch.outcome.lines() == ["still loading https://a.example/slow"]


async def test_a_navigation_that_hangs_leaves_time_for_the_answer(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start()
    with trio.fail_after(5):
        assert await tab.settle() == pytest.approx(4)


async def test_a_failed_navigation_says_why(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start()
    tab.event("Network.loadingFailed", requestId="L1", type="Document", errorText="net::ERR_FAILED")
    tab.event("Page.frameNavigated", frame={"id": "M", "url": "x", "loaderId": "L1", "unreachableUrl": "https://a.b/"})
    assert await tab.settle() == 0
    assert tab.watch.outcome.lines() == ["navigation failed: https://a.b/: net::ERR_FAILED"]


async def test_a_dialog_ends_the_wait_at_once(tab: Tab, nursery: trio.Nursery) -> None:
    tab.start()
    nursery.start_soon(tab.settle)
    await trio.testing.wait_all_tasks_blocked()
    root = tab.connection.root
    tab.watch.on_dialog(Dialog(type="alert", message="Hi", default_prompt="", url="", session=root))
    await trio.testing.wait_all_tasks_blocked()
    assert tab.settled
    assert tab.watch.outcome.lines() == ['dialog alert "Hi" is open; answer it first']


async def test_a_new_tab_is_reported_by_its_id_where_tabs_connect(tab: Tab, nursery: trio.Nursery) -> None:
    tab.children_connect = True
    tab.event("Page.windowOpen", url="https://a.example/popup")
    nursery.start_soon(tab.settle)
    await trio.testing.wait_all_tasks_blocked()
    assert not tab.settled
    tab.watch.on_child("child123")
    await trio.testing.wait_all_tasks_blocked()
    assert tab.watch.outcome.lines() == ["opened tab child123"]


async def test_a_new_tab_that_does_not_connect_is_reported_by_its_address(tab: Tab, autojump_clock: MockClock) -> None:
    tab.children_connect = True
    tab.event("Page.windowOpen", url="https://a.example/popup")
    assert await tab.settle() == pytest.approx(REPORT_BOUND_S)
    assert tab.watch.outcome.lines() == ["opened a new tab at https://a.example/popup"]


def cancelled_after(tab: Tab, status: int) -> None:
    tab.start()
    document = {"requestId": "L1", "type": "Document", "frameId": "M"}
    tab.event("Network.requestWillBeSent", **document, request={"url": "https://a.example/new"})
    tab.event("Network.responseReceived", **document, loaderId="L1", response={"status": status})
    tab.event("Network.loadingFailed", **document, canceled=True, errorText="net::ERR_ABORTED")
    tab.event("Page.frameStoppedLoading", frameId="M")


async def test_the_report_of_a_download_is_waited_for(tab: Tab, nursery: trio.Nursery) -> None:
    cancelled_after(tab, 200)
    nursery.start_soon(tab.settle)
    await trio.testing.wait_all_tasks_blocked()
    assert not tab.settled
    tab.download("https://a.example/new", "data.csv")
    await trio.testing.wait_all_tasks_blocked()
    assert tab.watch.outcome.lines() == ["download started: data.csv"]


@pytest.mark.parametrize(("status", "waited"), [(200, REPORT_BOUND_S), (204, 0)])
async def test_a_cancelled_load_without_a_download_holds_nothing_up(
    tab: Tab, autojump_clock: MockClock, status: int, waited: float
) -> None:
    cancelled_after(tab, status)
    assert await tab.settle() == pytest.approx(waited)


async def test_addresses_outside_the_grant_are_shown_by_their_site_only(tab: Tab) -> None:
    tab.start()
    tab.commit("https://secret.example/account?token=1")
    tab.parsed()
    await tab.settle()
    assert tab.watch.outcome.lines() == ["navigated to https://secret.example/… (outside the grant)"]


async def test_a_download_is_reported(tab: Tab, autojump_clock: MockClock) -> None:
    tab.start()
    tab.download("https://a.example/f", "a.csv")
    assert await tab.settle() == 0
    assert tab.watch.outcome.lines() == ["download started: a.csv"]


async def test_of_a_download_that_comes_from_outside_the_grant_only_the_site_is_shown(
    tab: Tab, autojump_clock: MockClock
) -> None:
    tab.download("https://secret.example/statement?token=1", "statement of Ann.pdf")
    await tab.settle()
    assert tab.watch.outcome.lines() == ["download started: https://secret.example/…"]


@pytest.mark.parametrize("frame", ["M", "unknown"])
async def test_a_download_that_a_document_outside_the_grant_started_is_not_shown(
    tab: Tab, frame: str, autojump_clock: MockClock
) -> None:
    tab.main.policy_url = "https://secret.example/"
    tab.download("https://a.example/f", "a.csv", frame)
    await tab.settle()
    assert tab.watch.outcome.lines() == []
